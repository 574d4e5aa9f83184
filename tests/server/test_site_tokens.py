"""Which tokens of a site are accepted for its customer, and which are not."""

import asyncio
import base64
import hashlib
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.conversation.customer import Customer
from assistant.errors import DeclarationError
from assistant.server.auth import SEAL_LABEL, SiteTokens, UserRefused
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.server.running_server import ManualClock
from tests.server.site import SITE_SECRET, Site, believing

PUBLIC_KEY = "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQ\n-----END PUBLIC KEY-----\n"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def site(clock: ManualClock) -> Site:
    return Site(clock)


@pytest.fixture
async def used(tmp_path: Path) -> AsyncGenerator[SqliteUsedTokens]:
    used = SqliteUsedTokens(tmp_path / "used.db")
    yield used
    await used.close()


@pytest.fixture
def tokens(clock: ManualClock, used: SqliteUsedTokens) -> SiteTokens:
    return believing(clock, used)


async def test_a_signed_token_says_who_the_customer_is(site: Site, tokens: SiteTokens) -> None:
    full = await tokens.redeem(site.signs(name="Ana Lindqvist", locale="de_AT", role="gold"))
    plain = await tokens.redeem(site.signs(aud=["shop", "meanwhile"], iat=None))

    assert full.customer == Customer(tenant="demo", id="c-17", level="signed_in", name="Ana Lindqvist")
    assert full.locale == "de-AT"
    assert (plain.customer.name, plain.locale) == (None, None)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"sub": None}, "the token's 'sub': Field required"),
        ({"sub": 17}, "the token's 'sub': Input should be a valid string"),
        ({"sub": ""}, "the token's 'sub': String should have at least 1"),
        ({"jti": None}, "the token's 'jti': Field required"),
        ({"jti": "j" * 129}, "the token's 'jti': String should have at most 128"),
        ({"exp": None}, "the token's 'exp': Field required"),
        ({"exp": "soon"}, "the token's 'exp': Input should be a valid number"),
        ({"exp": True}, "the token's 'exp': Input should be a valid number"),
        ({"exp": 1e999}, "the token's 'exp': Input should be a finite number"),
        ({"aud": None}, "the token's 'aud': Field required"),
        ({"aud": "shop"}, "the token is meant for 'shop'; 'aud' must be 'meanwhile'"),
        ({"aud": ["shop"]}, "the token is meant for ['shop']"),
        ({"name": ["Ana"]}, "the token's 'name': Input should be a valid string"),
        ({"exp": 1_800_003_631}, "the token ends in 3631 s; at most 3600 s are allowed"),
        ({"exp": 4_000_000_000}, "at most 3600 s are allowed"),
        ({"iat": 1_800_000_031}, "the token begins in the future; is the site's clock right?"),
        ({"nbf": 1_800_000_031}, "the token begins in the future"),
    ],
)
async def test_a_malformed_token_is_refused_with_the_reason(
    site: Site, tokens: SiteTokens, changed: dict[str, Any], problem: str
) -> None:
    token = site.signs(**changed)
    with pytest.raises(UserRefused) as refused:
        await tokens.redeem(token)
    assert refused.value.code == "user_refused"
    assert problem in str(refused.value)


async def test_clocks_may_differ_by_half_a_minute(site: Site, tokens: SiteTokens, clock: ManualClock) -> None:
    now = int(clock.at_s)
    await tokens.redeem(site.signs(exp=now - 29))
    await tokens.redeem(site.signs(exp=now + 3630))
    await tokens.redeem(site.signs(iat=now + 30, nbf=now + 30))
    late = site.signs(exp=now + 10)
    clock.advance(40)
    with pytest.raises(UserRefused, match="the token ended 30 s ago; sign a new one") as refused:
        await tokens.redeem(late)
    assert refused.value.code == "user_expired"


@pytest.mark.parametrize(
    "how",
    [
        {"key": b"what somebody else knows, which is not the same"},
        {"algorithm": "HS384", "key": SITE_SECRET * 2},
        {"algorithm": "none", "key": None},
        {"headers": {"crit": ["exp"], "exp": 1}},
    ],
)
async def test_a_token_without_the_sites_signature_is_refused(
    site: Site, tokens: SiteTokens, how: dict[str, Any]
) -> None:
    token = site.signs(how=how)
    with pytest.raises(UserRefused) as refused:
        await tokens.redeem(token)
    assert refused.value.code == "user_refused"
    assert SITE_SECRET.decode() not in str(refused.value)


def piece(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none"},
        {"alg": "None"},
        {"alg": "RS256"},
        {"alg": "HS256", "crit": ["exp"], "exp": 1},
        {"alg": ["HS256"]},
        {"alg": "HS256", "kid": 7},
        {"alg": "HS256", "b64": False},
        {},
        [],
        7,
    ],
)
async def test_the_token_does_not_choose_how_it_is_checked(
    site: Site, tokens: SiteTokens, header: object
) -> None:
    head, payload, signature = site.signs().split(".")
    for forged in (f"{piece(header)}.{payload}.{signature}", f"{piece(header)}.{payload}."):
        with pytest.raises(UserRefused):
            await tokens.redeem(forged)
    assert await tokens.redeem(f"{head}.{payload}.{signature}")


async def test_a_changed_payload_is_refused(site: Site, tokens: SiteTokens) -> None:
    head, _, signature = site.signs().split(".")
    with pytest.raises(UserRefused, match="Signature verification failed"):
        await tokens.redeem(f"{head}.{piece(site.claims(sub='somebody else'))}.{signature}")


async def test_an_endlessly_nested_token_is_only_refused(tokens: SiteTokens) -> None:
    endless = base64.urlsafe_b64encode(b"[" * 100_000).rstrip(b"=").decode()
    with pytest.raises(UserRefused):
        await tokens.redeem(f"{endless}.{endless}.{endless}")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.text(st.characters(codec="utf-8")), st.from_regex(r"[\w-]*\.[\w-]*\.[\w-]*")))
async def test_garbage_is_refused_and_breaks_nothing(tokens: SiteTokens, token: str) -> None:
    with pytest.raises(UserRefused):
        await tokens.redeem(token)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
async def test_no_letter_of_a_token_can_be_changed(
    site: Site, tokens: SiteTokens, data: st.DataObject
) -> None:
    token = site.signs(jti="j")
    place = data.draw(st.integers(0, len(token) - 2))  # the last letter has bits that mean nothing
    letter = data.draw(st.sampled_from("AZaz09-_.").filter(lambda one: one != token[place]))
    with pytest.raises(UserRefused):
        await tokens.redeem(token[:place] + letter + token[place + 1 :])


async def test_a_token_is_valid_once(site: Site, tokens: SiteTokens) -> None:
    token = site.signs()
    await tokens.redeem(token)
    for replayed in (token, site.signs(jti="j1")):  # it is the id that counts
        with pytest.raises(UserRefused, match="has been used") as refused:
            await tokens.redeem(replayed)
        assert refused.value.code == "user_replayed"


async def test_of_many_concurrent_uses_of_one_token_one_is_accepted(site: Site, tokens: SiteTokens) -> None:
    token = site.signs()
    came = await asyncio.gather(*(tokens.redeem(token) for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, UserRefused) for one in came) == 19


async def test_a_used_token_is_refused_after_a_restart_until_it_has_expired(
    site: Site, clock: ManualClock, tmp_path: Path
) -> None:
    token = site.signs()
    codes: list[str] = []
    for seconds in (0, 329, 1):
        clock.advance(seconds)
        used = SqliteUsedTokens(tmp_path / "used.db")
        try:
            await believing(clock, used).redeem(token)
        except UserRefused as refused:
            codes.append(refused.code)
        finally:
            await used.close()
    assert codes == ["user_replayed", "user_expired"]


async def test_a_token_that_expires_in_a_millisecond_is_remembered_until_then(
    site: Site, tokens: SiteTokens, clock: ManualClock
) -> None:
    token = site.signs(exp=clock.at_s + 10.0005)
    await tokens.redeem(token)
    clock.advance(40)
    with pytest.raises(UserRefused, match="has been used"):
        await tokens.redeem(token)


async def test_a_refused_token_does_not_count_as_used(site: Site, tokens: SiteTokens) -> None:
    with pytest.raises(UserRefused):
        await tokens.redeem(site.signs(jti="mine", aud="shop"))
    assert await tokens.redeem(site.signs(jti="mine"))


async def test_a_secret_that_can_be_guessed_stops_the_start(
    clock: ManualClock, used: SqliteUsedTokens
) -> None:
    with pytest.raises(DeclarationError) as refused:
        SiteTokens(b"x" * 31, clock=clock, used=used, tenant="demo")
    assert str(refused.value) == (
        "ASSISTANT_SITE_SECRET has 31 bytes and can be guessed; 32 or more are needed, and a space divides two"
        " values. This makes a good one: "
        'python -c "import secrets; print(secrets.token_urlsafe(32))"'
    )


async def test_a_token_may_contain_a_credential_and_claims(site: Site, tokens: SiteTokens) -> None:
    now = int(site.now)
    both = await tokens.redeem(site.signs(credential="its-own-token", claims={"plan": "gold", "seats": 2}))
    longer = await tokens.redeem(site.signs(credential="its-own-token", credential_exp=now + 8 * 3600))
    neither = await tokens.redeem(site.signs())

    assert both.credential is not None
    assert (both.credential.token, dict(both.credential.claims)) == (
        "its-own-token",
        {"plan": "gold", "seats": 2},
    )
    assert both.credential.expires_ms == (now + 300) * 1000
    assert longer.credential is not None
    assert longer.credential.expires_ms == (now + 8 * 3600) * 1000
    assert neither.credential is None


async def test_an_invalid_credential_is_refused_and_never_quoted(site: Site, tokens: SiteTokens) -> None:
    now = int(site.now)
    missed: list[object] = []
    rows: list[tuple[dict[str, Any], str]] = [
        ({"credential": "hunter2"}, "'credential': String should have at least 8 characters"),
        ({"credential": "two words of it"}, "'credential': String should match pattern"),
        ({"credential": "a-line\r\nX-Admin: 1"}, "'credential': String should match pattern"),
        ({"credential": "x" * 9_000}, "'credential': String should have at most 8192 characters"),
        ({"credential": "its-own-token", "credential_exp": now - 1}, "credential ended 1 s ago"),
        ({"credential": "its-own-token", "credential_exp": now + 90_000}, "at most 86400 s are allowed"),
        ({"claims": {"a b": 1}}, "String should match pattern"),
        ({"claims": {"plan": ["gold"]}}, "'claims.plan"),
        ({"claims": {"plan": "x" * 1_001}}, "'claims.plan"),
        ({"claims": {f"c{n}": 1 for n in range(51)}}, "'claims': Dictionary should have at most 50 items"),
    ]
    for changed, problem in rows:
        try:
            await tokens.redeem(site.signs(**changed))
        except UserRefused as error:
            quoted = [
                text for text in ("hunter2", "two words", "X-Admin", "its-own", "gold") if text in str(error)
            ]
            if problem not in str(error) or quoted:
                missed.append((changed, str(error)))
        else:
            missed.append(changed)
    assert missed == []


async def test_a_sealed_credential_cannot_be_read_by_the_page(site: Site, tokens: SiteTokens) -> None:
    key = base64.urlsafe_b64encode(hashlib.sha256(SEAL_LABEL + SITE_SECRET).digest())
    sealed = Fernet(key).encrypt(b"its-own-token").decode()
    token = site.signs(credential_sealed=sealed)

    assert b"its-own-token" not in base64.urlsafe_b64decode(token.split(".")[1] + "==")
    introduced = await tokens.redeem(token)
    assert introduced.credential is not None
    assert introduced.credential.token == "its-own-token"
    for wrong in ("nonsense", Fernet(Fernet.generate_key()).encrypt(b"its-own-token").decode()):
        with pytest.raises(UserRefused, match="'credential_sealed' cannot be opened"):
            await tokens.redeem(site.signs(credential_sealed=wrong))
    short = Fernet(key).encrypt(b"short").decode()
    with pytest.raises(UserRefused, match="holds no credential"):
        await tokens.redeem(site.signs(credential_sealed=short))


async def test_a_token_from_before_a_restore_cannot_be_used_again(
    site: Site, clock: ManualClock, used: SqliteUsedTokens
) -> None:
    before, unsaid = site.signs(), site.signs(iat=None)
    clock.advance(60)
    tokens = SiteTokens(
        SITE_SECRET, clock=clock, used=used, tenant="demo", restored_ms=clock.now_ms() - 10_000
    )
    for token in (before, unsaid, site.signs(iat=None), site.signs()):  # clocks may differ by half a minute
        with pytest.raises(UserRefused, match="before the server's data were restored") as refused:
            await tokens.redeem(token)
        assert refused.value.code == "user_replayed"

    clock.advance(30)
    assert (await tokens.redeem(site.signs())).customer.id == "c-17"
    clock.advance(3600)
    assert (await tokens.redeem(site.signs(iat=None))).customer.id == "c-17"
