"""Used tokens are remembered as long as they could be used again, and no longer."""

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest

from assistant.errors import DeclarationError, LogError
from assistant.store.credentials import UsedTokens


async def test_the_first_time_is_told_from_all_others_after_a_restart_too(tmp_path: Path) -> None:
    told: list[bool] = []
    for _ in range(2):
        used = UsedTokens(tmp_path / "used.db")
        told += [await used.use(name, until_ms=1000, now_ms=0) for name in ("a", "a", "b")]
        await used.close()
    assert told == [True, False, True, False, False, False]


async def test_of_several_at_once_one_is_first(tmp_path: Path) -> None:
    used = UsedTokens(tmp_path / "used.db")
    told = await asyncio.gather(*(used.use("a", until_ms=1000, now_ms=0) for _ in range(20)))
    await used.close()
    assert sum(told) == 1


async def test_what_is_over_is_forgotten(tmp_path: Path) -> None:
    used = UsedTokens(tmp_path / "used.db")
    for number in range(10):
        await used.use(f"n{number}", until_ms=1000 + number, now_ms=0)
    still = await used.use("n5", until_ms=1005, now_ms=1004)
    over = await used.use("n5", until_ms=1005, now_ms=1005)
    await used.use("new", until_ms=3000, now_ms=2000)
    await used.close()

    assert (still, over) == (False, True)
    file = sqlite3.connect(tmp_path / "used.db")
    assert file.execute("SELECT id, until_ms FROM used").fetchall() == [("new", 3000)]
    file.close()


async def test_it_is_made_at_its_first_use_for_its_owner_alone(tmp_path: Path) -> None:
    used = UsedTokens(tmp_path / "used.db")
    assert not (tmp_path / "used.db").exists()

    await used.use("a", until_ms=1000, now_ms=0)
    await used.close()

    assert stat.S_IMODE((tmp_path / "used.db").stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "used.db").write_text("this is no database, and long enough to be seen as none at all")
    for path in (tmp_path / "used.db", tmp_path / "nowhere" / "used.db"):
        with pytest.raises(DeclarationError, match="is ASSISTANT_DATA_DIR right"):
            UsedTokens(path)


async def test_when_nothing_can_be_kept_nobody_is_first(tmp_path: Path) -> None:
    used = UsedTokens(tmp_path / "used.db")
    await used.close()
    with pytest.raises(LogError, match="cannot be kept"):
        await used.use("a", until_ms=1000, now_ms=0)
