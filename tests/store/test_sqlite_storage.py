"""A data folder is opened as a whole, also while a server uses it; files are created when they are needed."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.errors import DeclarationError, LogError
from assistant.storage_ports import DeliveryPosition
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.store.storage import Recording, Storage, StorageInUse, StoredBundle
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock

ANA = ConversationKey(tenant="shop", customer="ana", conversation="c-1")


def opened(
    folder: Path, *, exclusive: bool = True, create: bool = True
) -> AbstractAsyncContextManager[Storage]:
    return open_sqlite_storage(folder, VirtualClock(), CountedIds(), exclusive=exclusive, create=create)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_the_next_process_finds_the_stored_data(tmp_path: Path) -> None:
    credential = CustomerCredential(token="t", claims={}, expires_ms=VirtualClock().now_ms() + 60_000)
    async with opened(tmp_path / "data") as first:
        await first.bundles.keep("demo", StoredBundle(bundle="b1", kept_ms=1, tools="t", prompts={}))
        await first.deliveries.begin(["handoff"], ANA, 3)
        await first.credentials.keep(ANA, credential)
        assert await first.used_tokens.use("demo", "once", until_ms=9, now_ms=1)
        await first.records.note_recording(ANA, Recording(tmp_path / "a.conversation.yaml"))

    async with opened(tmp_path / "data") as second:
        assert second.secret == first.secret
        assert await second.bundles.read("demo", "b1") is not None
        assert await second.deliveries.delivered("handoff", ANA) == DeliveryPosition(3, 3)
        found = await second.credentials.kept(ANA)
        assert found is not None
        assert found.token == "t"
        assert not await second.used_tokens.use("demo", "once", until_ms=9, now_ms=1)
        assert await second.records.recordings("shop", "ana") == [Recording(tmp_path / "a.conversation.yaml")]


async def test_unused_features_create_no_files(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        assert (
            await storage.deliveries.erase("shop", "ana"),
            await storage.credentials.erase("shop", "ana"),
        ) == (
            0,
            0,
        )

    assert names(tmp_path) == {"lock", "log.db", "secret"}


async def test_one_process_serves_while_commands_work(tmp_path: Path) -> None:
    async with opened(tmp_path) as server:
        with pytest.raises(StorageInUse, match="is in use by process"):
            async with opened(tmp_path):
                pass
        async with opened(tmp_path, exclusive=False, create=False) as command:
            await command.records.note_recording(ANA, Recording(tmp_path / "a.conversation.yaml"))
            assert command.secret == server.secret
        assert await server.records.recordings("shop", "ana") == [Recording(tmp_path / "a.conversation.yaml")]


async def test_nothing_is_created_if_an_installation_must_exist(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match=r"there is no .*log\.db: is ASSISTANT_DATA_DIR right"):
        async with opened(tmp_path / "data", create=False):
            pass
    assert not (tmp_path / "data").exists()


async def test_everything_is_closed_at_the_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as storage:
        await storage.deliveries.begin(["handoff"], ANA, 1)

    with pytest.raises(LogError):
        await storage.log.read(ANA)
    with pytest.raises(LogError):
        await storage.deliveries.begin(["handoff"], ANA, 2)
    with pytest.raises(LogError):
        await storage.used_tokens.use("demo", "once", until_ms=9, now_ms=1)
    assert not (tmp_path / "log.db-wal").exists()
