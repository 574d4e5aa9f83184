"""The format's number is compared before anything of a log is read, wherever it is opened."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest

from assistant.conversation.codec import FORMAT
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.errors import DeclarationError, LogError
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.log_reader import open_log
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock

ANA = ConversationKey(tenant="shop", customer="ana", conversation="c1")
SAID = Logged(1, 5, "", CustomerMessage(message_id="m1", client_message_id="x1", text="Hi", spoken=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with one message in it."""

    async def write() -> None:
        log = SqliteLog(tmp_path / "log.db")
        await log.append(ANA, [SAID])
        await log.close()

    asyncio.run(write())
    return tmp_path / "log.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as log:
        for statement in statements:
            log.execute(statement)


async def read(path: Path) -> list[Logged]:
    log = SqliteLog(path)
    try:
        return await log.read(ANA)
    finally:
        await log.close()


async def opened(storage: AbstractAsyncContextManager[object]) -> None:
    async with storage:
        pass


WAYS: dict[str, Callable[[Path], object]] = {
    "log": SqliteLog,
    "reader": lambda path: asyncio.run(opened(open_log(path))),
    "documents": lambda path: SqliteDocuments(path, embedder="fake", width=3),
    "storage": lambda path: asyncio.run(
        opened(open_sqlite_storage(path.parent, VirtualClock(), CountedIds()))
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("number", "found"),
    [
        (0, "this log has no format number: it is from before there was one"),
        (FORMAT + 1, f"this log has format {FORMAT + 1}"),
    ],
)
def test_a_log_of_another_format_is_refused_in_every_way_to_open_it(
    path: Path, way: str, number: int, found: str
) -> None:
    # Its tables are of another time, too: the number has to be checked before them.
    change(path, f"PRAGMA user_version = {number}", "ALTER TABLE entries RENAME TO lines")
    before = path.read_bytes()

    with pytest.raises(DeclarationError) as refused:
        WAYS[way](path)

    assert str(refused.value) == (
        f"{path}: {found}, and this release reads format {FORMAT} alone; set ASSISTANT_DATA_DIR to another folder"
        " to begin anew, or install the release that wrote it"
    )
    assert path.read_bytes() == before


async def test_a_backup_keeps_the_number(path: Path, tmp_path: Path) -> None:
    for name, copied in (("backup.db", "backup"), ("vacuumed.db", "vacuum")):
        with closing(sqlite3.connect(path)) as log, closing(sqlite3.connect(tmp_path / name)) as copy:
            if copied == "backup":
                log.backup(copy)
            else:
                log.execute("VACUUM INTO ?", (str(tmp_path / "other.db"),))
    (tmp_path / "other.db").rename(tmp_path / "vacuumed.db")

    for name in ("backup.db", "vacuumed.db"):
        assert await read(tmp_path / name) == [SAID]


async def test_an_erasure_keeps_the_number(path: Path) -> None:
    log = SqliteLog(path)
    await log.erase(ANA.tenant, "ben")
    await log.close()

    assert await read(path) == [SAID]


async def test_a_stored_entry_with_one_renamed_key_is_refused_by_its_number(path: Path) -> None:
    change(
        path,
        "UPDATE entries SET checksum = NULL, body = replace(CAST(body AS TEXT), '\"spoken\"', '\"aloud\"')",
    )

    with pytest.raises(LogError) as refused:
        await read(path)

    assert str(refused.value).startswith(
        "conversation c1, entry 1: this is no 'customer_message' as this release writes it: unknown 'aloud' and"
        " missing 'spoken'; its keys are message_id, client_message_id, "
    )
