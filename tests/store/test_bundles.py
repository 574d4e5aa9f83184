"""The prompts of a conversation are stored, and can be read while a server writes."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.errors import DeclarationError, LogError
from assistant.store.sqlite.bundles import SqliteBundles
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.log_reader import open_log
from assistant.store.storage import Storage, StoredBundle
from tests.store.conftest import Installation

KEPT = StoredBundle(bundle="b1", kept_ms=5, tools="t1", prompts={"voice.toml": "name = 'Mia'", "a.j2": "é"})


@pytest.fixture
async def path(tmp_path: Path) -> AsyncIterator[Path]:
    """A log's file, which is being written to."""
    path = tmp_path / "log of 100%?.db"
    log = SqliteLog(path)
    yield path
    await log.close()


async def test_a_bundle_is_there_for_the_next_process(installation: Installation) -> None:
    kept = replace(KEPT, prompts={**KEPT.prompts, "b.j2": "\0"})
    async with installation.open() as server:
        await server.bundles.keep("demo", kept)

    async with installation.open() as server:
        assert await server.bundles.read("demo", "b1") == kept
        assert await server.bundles.read("demo", "b2") is None


async def test_a_bundle_is_stored_once(storage: Storage) -> None:
    await storage.bundles.keep("demo", KEPT)

    await storage.bundles.keep("demo", replace(KEPT, kept_ms=9))

    assert await storage.bundles.read("demo", "b1") == KEPT


async def test_the_newest_bundles_come_first(storage: Storage) -> None:
    for bundle, kept_ms in (("b1", 5), ("b2", 9), ("b3", 7)):
        await storage.bundles.keep("demo", replace(KEPT, bundle=bundle, kept_ms=kept_ms))
    await storage.bundles.keep("bank", replace(KEPT, bundle="b9", kept_ms=99))

    assert await storage.bundles.newest("demo", 2) == [("b2", 9), ("b3", 7)]
    assert await storage.bundles.newest("shop", 2) == []


async def test_a_file_without_bundles_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no such table"):
        await SqliteBundles(tmp_path / "empty.db").keep("demo", KEPT)


async def test_conversations_are_read_while_the_log_is_written(
    installation: Installation, ana: ConversationKey
) -> None:
    said = [
        Logged(seq, 5, "", CustomerMessage(message_id=f"m{seq}", client_message_id=f"x{seq}", text="Hi"))
        for seq in (1, 2)
    ]
    older, other = replace(ana, conversation="c0"), replace(ana, tenant="bank")
    async with installation.open() as server:
        await server.log.append(other, [replace(said[0], at_ms=9)])
        await server.log.append(older, [replace(said[0], at_ms=4)])
        await server.log.append(ana, said)
        await server.bundles.keep("demo", KEPT)

        async with installation.open_to_read() as reader:
            assert [(one.key, one.last_ms) for one in await reader.listed()] == [
                (older, 4),
                (ana, 5),
                (other, 9),
            ]
            assert await reader.read(ana) == said
            assert await reader.read(ana, 1) == said[1:]
            assert await reader.bundle("demo", "b1") == KEPT
            assert await reader.bundle("demo", "b2") is None
            assert await reader.secrets() == server.keyring.record
            assert reader.keeps_documents
            assert "correct" not in reader.where  # the database's password


async def test_reading_changes_nothing(path: Path) -> None:
    async with open_log(path) as reader:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader._connection.execute("DELETE FROM entries")


async def test_the_log_of_an_older_release_has_no_bundles(path: Path) -> None:
    with closing(sqlite3.connect(path)) as older:
        older.execute("DROP TABLE bundles")

    async with open_log(path) as reader:
        assert await reader.bundle("demo", "b1") is None


async def test_a_folder_without_a_log_is_reported_with_the_setting(tmp_path: Path) -> None:
    (tmp_path / "diary.db").write_bytes(b"Dear diary, " * 1_000)

    for name in ("nothing.db", "diary.db"):
        with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
            async with open_log(tmp_path / name):
                pass
