"""Used tokens are remembered as long as they could be used again."""

import asyncio
import stat
from pathlib import Path

import pytest

from assistant.errors import DeclarationError, LogError
from assistant.store.sqlite.credentials import SqliteUsedTokens
from assistant.store.storage import Storage
from tests.store.conftest import Installation


async def test_the_first_use_is_known_also_after_a_restart(installation: Installation) -> None:
    told: list[bool] = []
    for _ in range(2):
        async with installation.open() as server:
            told += [
                await server.used_tokens.use("demo", name, until_ms=1000, now_ms=0)
                for name in ("a", "a", "b")
            ]
    assert told == [True, False, True, False, False, False]


async def test_of_several_concurrent_uses_one_is_the_first(storage: Storage) -> None:
    told = await asyncio.gather(
        *(storage.used_tokens.use("demo", "a", until_ms=1000, now_ms=0) for _ in range(20))
    )
    assert sum(told) == 1


async def test_a_use_that_has_already_expired_only_asks(two_servers: tuple[Storage, Storage]) -> None:
    """So another server learns whether a call was ended, and marks nothing."""

    async def asks(server: Storage, now_ms: int) -> bool:
        return await server.used_tokens.use("demo", "call", until_ms=0, now_ms=now_ms)

    here, there = two_servers
    assert [await asks(there, 1), await asks(there, 2)] == [True, True]
    assert await here.used_tokens.use("demo", "call", until_ms=1000, now_ms=3)
    assert [await asks(there, 4), await asks(there, 5), await asks(there, 1000)] == [False, False, True]


async def test_two_servers_accept_a_token_once(two_servers: tuple[Storage, Storage]) -> None:
    for token in ("a", "b", "c"):
        uses = (two_servers[n % 2].used_tokens.use("demo", token, until_ms=1000, now_ms=0) for n in range(20))
        assert sum(await asyncio.gather(*uses)) == 1


async def test_expired_tokens_are_used_and_deleted_concurrently_without_harm(
    two_servers: tuple[Storage, Storage],
) -> None:
    names = [f"n{number}" for number in range(40)]
    for name in names:
        await two_servers[0].used_tokens.use("demo", name, until_ms=1000, now_ms=0)

    uses = (
        server.used_tokens.use("demo", name, until_ms=3000, now_ms=2000)
        for name in names
        for server in two_servers
    )
    assert sum(await asyncio.gather(*uses)) == len(names)


async def test_expired_tokens_are_deleted(installation: Installation) -> None:
    async with installation.open() as server:
        used = server.used_tokens
        for number in range(10):
            await used.use("demo", f"n{number}", until_ms=1000 + number, now_ms=0)
        still = await used.use("demo", "n5", until_ms=1005, now_ms=1004)
        over = await used.use("demo", "n5", until_ms=1005, now_ms=1005)
        await used.use("demo", "new", until_ms=3000, now_ms=2000)

    assert (still, over) == (False, True)
    assert [{*row} for row in await installation.rows("used_tokens")] == [{"demo", "new", 3000}]


async def test_the_file_is_created_at_first_use_for_its_owner_only(tmp_path: Path) -> None:
    used = SqliteUsedTokens(tmp_path / "used.db")
    assert not (tmp_path / "used.db").exists()

    await used.use("demo", "a", until_ms=1000, now_ms=0)
    await used.close()

    assert stat.S_IMODE((tmp_path / "used.db").stat().st_mode) == 0o600


def test_an_unusable_file_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "used.db").write_text("this is no database, and long enough to be seen as none at all")
    for path in (tmp_path / "used.db", tmp_path / "nowhere" / "used.db"):
        with pytest.raises(DeclarationError, match="is ASSISTANT_DATA_DIR right"):
            SqliteUsedTokens(path)


async def test_without_storage_no_use_counts_as_the_first(installation: Installation) -> None:
    async with installation.open() as server:
        pass
    with pytest.raises(LogError, match="used tokens cannot be kept"):
        await server.used_tokens.use("demo", "a", until_ms=1000, now_ms=0)
