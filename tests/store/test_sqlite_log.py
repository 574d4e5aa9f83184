"""What a log on disk promises in addition: it survives crashes, errors and upgrades."""

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import assistant
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallRequested, CustomerMessage, Logged, MessageText
from assistant.errors import DeclarationError, LogConflict, LogError
from assistant.store.sqlite.log import SqliteLog
from assistant.testing.virtual_time import run_virtually


def text(seq: int, words: str = "Hello") -> Logged:
    return Logged(seq, 1_000 + seq, "t1", MessageText(message_id="m1", text=words))


async def test_everything_is_there_after_closing_and_opening(tmp_path: Path, ana: ConversationKey) -> None:
    said = Logged(1, 5, "", CustomerMessage(message_id="m1", client_message_id="x1", text="Hi"))
    log = SqliteLog(tmp_path / "log.sqlite3")
    await log.append(ana, [said, text(2)])
    await log.close()

    again = SqliteLog(tmp_path / "log.sqlite3")

    assert await again.read(ana) == [said, text(2)]
    assert await again.unfinished() == [ana]
    with pytest.raises(LogConflict):
        await again.append(ana, [text(2)])
    await again.append(ana, [text(3)])
    await again.close()


async def test_closing_stores_waiting_entries(tmp_path: Path, ana: ConversationKey) -> None:
    log = SqliteLog(tmp_path / "log.sqlite3")
    waiting = [asyncio.ensure_future(log.append(ana, [text(seq)])) for seq in range(1, 101)]
    await asyncio.sleep(0)
    await log.close()

    assert await asyncio.gather(*waiting) == [None] * 100
    again = SqliteLog(tmp_path / "log.sqlite3")
    assert len(await again.read(ana)) == 100
    await again.close()


async def test_a_closed_log_has_no_journal_and_accepts_nothing(tmp_path: Path, ana: ConversationKey) -> None:
    log = SqliteLog(tmp_path / "log.sqlite3")
    await log.append(ana, [text(1)])
    await log.close()

    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.sqlite3", "log.sqlite3-last"]
    with pytest.raises(LogError, match="could not be read"):
        await log.read(ana)


def test_everything_acknowledged_is_there_after_the_process_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    command = [sys.executable, Path(__file__).with_name("endless_writer.py"), path]
    where = {**os.environ, "PYTHONPATH": str(Path(assistant.__file__).parents[1])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=where) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(400)]
        os.kill(writer.pid, signal.SIGKILL)
        lines += writer.stdout.readlines()
    whole = [line.split() for line in lines if line.endswith("\n")]
    acknowledged = {conversation: int(seq) for conversation, seq in whole}
    assert len(whole) >= 400

    async def kept() -> dict[str, list[int]]:
        log = SqliteLog(path)
        found = {
            conversation: [
                logged.seq
                for logged in await log.read(
                    ConversationKey(tenant="acme", customer="ana", conversation=conversation)
                )
            ]
            for conversation in acknowledged
        }
        await log.close()
        return found

    for conversation, numbers in asyncio.run(kept()).items():
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) >= acknowledged[conversation]


async def test_a_commit_is_on_disk_before_its_callers_are_told(sqlite_log: SqliteLog) -> None:
    full = 2

    assert sqlite_log._writer.execute("PRAGMA synchronous").fetchone() == (full,)
    assert sqlite_log._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.fixture
async def small_disk(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    """A log on a disk of 60 pages."""
    log = SqliteLog(tmp_path / "log.sqlite3")
    log._writer.execute("PRAGMA max_page_count = 60")
    yield log
    await log.close()


async def test_a_full_disk_refuses_only_what_does_not_fit(
    small_disk: SqliteLog, ana: ConversationKey
) -> None:
    other = ConversationKey(tenant="acme", customer="ben", conversation="c1")
    too_much = text(1, "x" * 1_000_000)

    refused, kept = await asyncio.gather(
        small_disk.append(ana, [too_much]), small_disk.append(other, [text(1)]), return_exceptions=True
    )

    assert isinstance(refused, LogError)
    assert "full" in str(refused)
    assert kept is None
    assert await small_disk.read(ana) == []
    await small_disk.append(ana, [text(1)])
    assert await small_disk.read(ana) == [text(1)]


@pytest.mark.parametrize("value", [2**64, "\ud800", object()], ids=["number", "text", "object"])
async def test_a_value_that_is_not_json_affects_only_its_caller(
    sqlite_log: SqliteLog, ana: ConversationKey, value: int | str
) -> None:
    call = Call(id="c1.1", tool="x", arguments={"value": value})

    with pytest.raises(LogError, match="entry 1, a call_requested, cannot be written as JSON"):
        await sqlite_log.append(ana, [Logged(1, 1, "t1", CallRequested(call=call))])

    assert await sqlite_log.read(ana) == []


async def test_an_entry_that_the_database_refuses_affects_only_its_caller(
    sqlite_log: SqliteLog, ana: ConversationKey
) -> None:
    unwritable = ConversationKey(tenant="acme", customer="\ud800", conversation="c1")

    refused, kept = await asyncio.gather(
        sqlite_log.append(unwritable, [text(1)]), sqlite_log.append(ana, [text(1)]), return_exceptions=True
    )

    assert isinstance(refused, LogError)
    assert kept is None
    assert await sqlite_log.read(ana) == [text(1)]


async def test_a_locked_file_is_an_error_after_a_limited_time(
    sqlite_log: SqliteLog, tmp_path: Path, ana: ConversationKey
) -> None:
    sqlite_log._writer.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(tmp_path / "log.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogError, match="locked"):
            await sqlite_log.append(ana, [text(1)])

    await sqlite_log.append(ana, [text(1)])


async def test_two_processes_may_write_one_file(tmp_path: Path, ana: ConversationKey) -> None:
    first, second = SqliteLog(tmp_path / "log.sqlite3"), SqliteLog(tmp_path / "log.sqlite3")
    await first.append(ana, [text(1)])
    await second.append(ana, [text(2)])

    with pytest.raises(LogConflict):
        await first.append(ana, [text(2)])
    assert await first.read(ana) == [text(1), text(2)]
    await first.close()
    await second.close()


def test_a_file_that_is_opened_twice_at_once_gets_its_tables_once(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    with ThreadPoolExecutor(4) as threads:
        logs = list(threads.map(SqliteLog, [path] * 4))

    async def close() -> None:
        for log in logs:
            await log.close()

    asyncio.run(close())


def test_it_continues_when_the_loop_of_a_caller_is_gone(tmp_path: Path, ana: ConversationKey) -> None:
    log = SqliteLog(tmp_path / "log.sqlite3")

    async def leave() -> None:
        append = asyncio.ensure_future(log.append(ana, [text(1)]))
        await asyncio.sleep(0)
        append.cancel()

    async def go_on() -> list[Logged]:
        await log.append(ConversationKey(tenant="acme", customer="ben", conversation="c1"), [text(1)])
        found = await log.read(ana)
        await log.close()
        return found

    asyncio.run(leave())

    assert asyncio.run(go_on()) == [text(1)]


def test_no_virtual_time_limit_ends_while_the_disk_works(tmp_path: Path, ana: ConversationKey) -> None:
    async def main() -> int:
        log = SqliteLog(tmp_path / "log.sqlite3")
        for seq in range(1, 51):
            async with asyncio.timeout(3):
                await log.append(ana, [text(seq)])
                await log.read(ana, after=seq)
        kept = len(await log.read(ana))
        await log.close()
        return kept

    assert run_virtually(main()) == 50


async def test_it_creates_its_folder_and_only_its_owner_can_read_it(
    tmp_path: Path, ana: ConversationKey
) -> None:
    path = tmp_path / "a" / "new" / "log.sqlite3"
    log = SqliteLog(path)
    await log.append(ana, [text(1)])

    for file in path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    await log.close()


def test_a_newer_releases_file_is_refused_with_the_solution(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    asyncio.run(_closed(SqliteLog(path)))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO schema VALUES (9999, '9999_future.sql')")
        connection.commit()

    with pytest.raises(DeclarationError, match=r"newer release.*9999.*ASSISTANT_DATA_DIR"):
        SqliteLog(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite3"
    path.write_bytes(b"Dear diary, " * 1_000)

    with pytest.raises(DeclarationError, match="is damaged or cannot be read: file is not a database"):
        SqliteLog(path)


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        SqliteLog(tmp_path / "file" / "log.sqlite3")


async def _closed(log: SqliteLog) -> None:
    await log.close()
