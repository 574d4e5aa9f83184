"""Visitors' tokens, the secrets, and a visitor's identity."""

from dataclasses import replace
from typing import Any

import jwt
import pytest

from assistant.conversation.customer import ConversationKey, Customer
from assistant.errors import IdentityError
from assistant.server.auth import Visit, VisitorIdentity, VisitorTokens
from tests.server.running_server import ANA, SECRET, CountingIds, ManualClock
from tests.support.rows import check_rows

VISIT = Visit(customer=ANA, conversation="c1")


def test_a_token_names_the_visitor_and_the_conversation() -> None:
    tokens = VisitorTokens(SECRET, ManualClock())
    token, _ = tokens.issue(VISIT)
    assert tokens.read(token) == VISIT
    assert VISIT.key == ConversationKey(tenant="demo", customer="ana", conversation="c1")


def test_a_token_is_valid_to_its_last_second() -> None:
    clock = ManualClock()
    tokens = VisitorTokens(SECRET, clock, lifetime_s=60)
    token, expires_at_ms = tokens.issue(VISIT)
    assert expires_at_ms == clock.now_ms() + 60_000
    clock.advance(59)
    tokens.read(token)
    clock.advance(1)
    with pytest.raises(IdentityError, match="expired"):
        tokens.read(token)


GOOD: dict[str, Any] = {
    "iss": "meanwhile",
    "sub": "ana",
    "tenant": "demo",
    "level": "verified",
    "conversation": "c1",
    "exp": 4_000_000_000,
}


@check_rows(
    ("changed", "how"),
    [
        ({}, {"key": b"another secret that is long enough too"}),
        ({}, {"algorithm": "HS512", "key": SECRET * 2}),
        ({}, {"algorithm": "none", "key": None}),
        ({"iss": "somebody else"}, {}),
        ({"level": "owner"}, {}),
        ({"conversation": None}, {}),
        ({"sub": None}, {}),
        ({"exp": None}, {}),
    ],
)
def test_a_token_without_our_signature_is_not_trusted(changed: dict[str, Any], how: dict[str, Any]) -> None:
    claims = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    token: str = jwt.encode(claims, **{"key": SECRET, "algorithm": "HS256", **how})  # pyright: ignore
    with pytest.raises(IdentityError):
        VisitorTokens(SECRET, ManualClock()).read(token)


def test_the_claims_of_these_tests_are_valid_otherwise() -> None:
    token: str = jwt.encode(GOOD, SECRET, algorithm="HS256")  # pyright: ignore
    assert VisitorTokens(SECRET, ManualClock()).read(token).customer == replace(ANA, name=None)


@pytest.mark.parametrize("token", ["", "a.b.c", "x" * 4_000, "\x00"])
def test_garbage_is_not_trusted(token: str) -> None:
    with pytest.raises(IdentityError):
        VisitorTokens(SECRET, ManualClock()).read(token)


def test_a_secret_that_can_be_guessed_is_refused() -> None:
    with pytest.raises(ValueError, match="5 bytes"):
        VisitorTokens(b"12345", ManualClock())


async def test_a_visitor_without_an_identity_is_anonymous() -> None:
    identity = VisitorIdentity(tokens=VisitorTokens(SECRET, ManualClock()), ids=CountingIds(), tenant="shop")
    first, second = await identity.identify(None, "en"), await identity.identify(None, "de")
    assert first == Customer(tenant="shop", id="id1")
    assert second == Customer(tenant="shop", id="id2", locale="de")


async def test_a_visitor_with_a_token_has_its_identity() -> None:
    tokens = VisitorTokens(SECRET, ManualClock())
    identity = VisitorIdentity(tokens=tokens, ids=CountingIds())
    assert await identity.identify(tokens.issue(VISIT)[0], "de") == replace(ANA, locale="de")
    with pytest.raises(IdentityError):
        await identity.identify("forged", "de")
