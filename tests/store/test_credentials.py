"""Customers' credentials on the disk: encrypted, bound to their conversation, gone when they have expired."""

import sqlite3
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.store.credentials import SqliteCredentials
from assistant.testing.virtual_time import VirtualClock

SECRET = b"the secret of this server, made at its first start"
ANAS = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
BENS = replace(ANAS, customer="ben")
HOUR_MS = 3_600_000


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def kept(tmp_path: Path, clock: VirtualClock) -> AsyncGenerator[SqliteCredentials]:
    store = SqliteCredentials(tmp_path / "credentials.db", SECRET, clock)
    yield store
    await store.close()


def credential(clock: VirtualClock, token: str = "", lasts_ms: int = HOUR_MS) -> CustomerCredential:
    return CustomerCredential(
        token=token or "anas-own-thing", claims={"plan": "gold-claim"}, expires_ms=clock.now_ms() + lasts_ms
    )


async def read(path: Path, clock: VirtualClock, key: ConversationKey, secret: bytes = SECRET) -> str | None:
    """The token that another process finds."""
    store = SqliteCredentials(path / "credentials.db", secret, clock)
    found = await store.kept(key)
    await store.close()
    return found.token if found is not None else None


async def test_another_process_finds_it_and_the_file_shows_nothing(
    kept: SqliteCredentials, clock: VirtualClock, tmp_path: Path
) -> None:
    await kept.keep(ANAS, credential(clock))

    again = await kept.kept(ANAS)
    assert again is not None
    assert (again.token, dict(again.claims)) == ("anas-own-thing", {"plan": "gold-claim"})
    assert await read(tmp_path, clock, ANAS) == "anas-own-thing"
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"anas-own" not in written
    assert b"gold-claim" not in written
    assert (tmp_path / "credentials.db").stat().st_mode & 0o077 == 0


async def test_only_its_own_conversation_has_it(
    kept: SqliteCredentials, clock: VirtualClock, tmp_path: Path
) -> None:
    await kept.keep(ANAS, credential(clock))

    for other in (BENS, replace(ANAS, tenant="else"), replace(ANAS, conversation="c-2")):
        assert await kept.kept(other) is None
    with sqlite3.connect(tmp_path / "credentials.db") as file:
        file.execute("UPDATE credentials SET customer = 'ben'")
    assert await kept.kept(BENS) is None  # it cannot be decrypted as another's


async def test_with_another_secret_or_a_changed_end_it_is_worth_nothing(
    kept: SqliteCredentials, clock: VirtualClock, tmp_path: Path
) -> None:
    await kept.keep(ANAS, credential(clock))

    assert await read(tmp_path, clock, ANAS, b"a secret that was made anew, later on") is None
    with sqlite3.connect(tmp_path / "credentials.db") as file:
        file.execute("UPDATE credentials SET expires_ms = expires_ms + 1")
    assert await read(tmp_path, clock, ANAS) is None


async def test_a_newer_one_replaces_it_and_an_expired_one_is_gone(
    kept: SqliteCredentials, clock: VirtualClock, tmp_path: Path
) -> None:
    await kept.keep(ANAS, credential(clock, lasts_ms=1_000))
    await kept.keep(BENS, credential(clock, lasts_ms=0))
    assert await kept.kept(BENS) is None
    await kept.keep(ANAS, credential(clock, "anas-newer-thing"))
    assert await read(tmp_path, clock, ANAS) == "anas-newer-thing"
    with sqlite3.connect(tmp_path / "credentials.db") as file:
        assert file.execute("SELECT customer FROM credentials").fetchall() == [("ana",)]


async def test_erasing_a_customer_takes_all_of_theirs(kept: SqliteCredentials, clock: VirtualClock) -> None:
    for key in (ANAS, replace(ANAS, conversation="c-2"), BENS):
        await kept.keep(key, credential(clock))

    assert await kept.erase("shop", "ana") == 2
    assert await kept.kept(ANAS) is None
    assert await kept.kept(BENS) is not None
