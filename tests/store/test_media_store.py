"""Pictures and files of tools' results in an S3-compatible store: whole when read, gone when erased."""

import asyncio
import socket
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import obstore  # pyright: ignore[reportMissingTypeStubs]
import obstore.store  # pyright: ignore[reportMissingTypeStubs]
import pytest

from assistant.assembly.storage import open_conversations, open_storage
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded, Entry, Logged
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import DeclarationError, LogError
from assistant.settings import Settings
from assistant.store.media_store import MediaLog, MediaStore
from assistant.store.memory_log import MemoryLog
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock
from tests.support.object_store import BUCKET, object_store

KEY = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
FAR_MS = 4_000_000_000_000


@pytest.fixture(scope="module")
def server() -> Iterator[Mapping[str, str]]:
    """A store of files with a bucket."""
    with object_store() as found:
        yield found


@pytest.fixture
async def store(server: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MediaStore]:
    """An empty bucket."""
    for name, value in server.items():
        monkeypatch.setenv(name, value)
    media = MediaStore(f"s3://{BUCKET}/shop")
    yield media
    for names in (await media.objects(before_ms=FAR_MS)).values():
        await media.delete(names)


def picture(content: str = "a photo", size: int = 9_000) -> Media:
    return Media(
        mime="image/png", data=b64encode(content.encode() * (size // len(content))).decode(), name="photo.png"
    )


def ended(seq: int, *media: Media) -> Logged:
    call = Call(id=f"c{seq}", tool="find_photo", arguments={})
    entry: Entry = CallEnded(outcome=CallSucceeded(call=call, value={"found": seq}, media=media))
    return Logged(seq, seq * 1000, "t1", entry)


async def names(store: MediaStore) -> list[str]:
    found = await store.objects(before_ms=FAR_MS)
    return sorted(name for names in found.values() for name in names)


async def test_a_picture_is_stored_separately_and_read_whole(store: MediaStore) -> None:
    inner = MemoryLog()
    log = MediaLog(inner, store)
    small = picture(size=100)
    entries = [ended(1, picture(), small), ended(2), ended(3, picture("another"))]
    await log.append(KEY, entries)

    assert await log.read(KEY) == entries
    # Another process has nothing in memory.
    assert await MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop")).read(KEY, 1) == entries[1:]
    stored = repr(await inner.read(KEY))
    assert picture().data not in stored
    assert small.data in stored
    assert len(await names(store)) == 2


async def test_any_id_has_its_own_folder(store: MediaStore) -> None:
    inner = MemoryLog()
    log = MediaLog(inner, store)
    ids = ["ana", "..", ".", "a/b", "a", "ana@shop.example", "%2F", "ü 漢字", "a b+c?d#e", "A"]
    for customer in ids:
        await log.append(replace(KEY, customer=customer), [ended(1, picture(customer + "!"))])
    assert sorted(key.customer for key in await store.objects(before_ms=FAR_MS)) == sorted(ids)

    for number, customer in enumerate(ids):
        assert await log.erase("shop", customer) == 1
        assert len(await names(store)) == len(ids) - number - 1
        fresh = MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop"))
        for left in ids[number + 1 :]:
            assert await fresh.read(replace(KEY, customer=left)) == [ended(1, picture(left + "!"))], left


async def test_erasing_keeps_other_tenants_and_customers(store: MediaStore) -> None:
    log = MediaLog(MemoryLog(), store)
    for key in (KEY, replace(KEY, tenant="shop2"), replace(KEY, customer="ana2")):
        await log.append(key, [ended(1, picture())])
    await log.erase("shop", "ana")

    assert [name.split("/")[:2] for name in await names(store)] == [["shop", "ana2"], ["shop2", "ana"]]


async def test_an_erasure_without_access_to_the_pictures_erases_nothing_yet(
    store: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = MemoryLog()
    await MediaLog(inner, store).append(KEY, [ended(1, picture())])
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    away = MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop"))
    with pytest.raises(LogError, match="the files of a customer"):
        await away.erase(KEY.tenant, KEY.customer)

    # Their log says which visitors they were: without it, nothing leads to those pictures any more.
    assert await inner.conversations(KEY.tenant, KEY.customer) == [KEY.conversation]
    assert await MediaLog(inner, store).erase(KEY.tenant, KEY.customer) == 1
    assert await names(store) == []


async def test_old_results_lose_their_pictures(store: MediaStore) -> None:
    log = MediaLog(MemoryLog(), store)
    await log.append(KEY, [ended(1, picture())])
    await log.thin_out("chunks", FAR_MS)
    assert len(await names(store)) == 1
    await log.thin_out("results", 500)
    assert len(await names(store)) == 1
    await log.thin_out("results", FAR_MS)

    assert await names(store) == []
    (left,) = await log.read(KEY)
    assert isinstance(left.entry, CallEnded)


async def test_forgetting_deletes_pictures_without_a_conversation(store: MediaStore) -> None:
    log = MediaLog(MemoryLog(), store)
    other = replace(KEY, conversation="c-2")
    await log.append(KEY, [ended(1, picture())])
    await log.append(other, [ended(1, picture())])
    await store.put(replace(KEY, conversation="never appended"), picture())
    await log.forget(FAR_MS, keep=[other])

    assert [name.split("/")[2] for name in await names(store)] == ["c-2"]


async def test_while_the_store_is_unavailable_pictures_stay_in_their_entries(
    store: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = MemoryLog()
    await MediaLog(inner, store).append(KEY, [ended(1, picture())])
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    away = MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop"))
    await away.append(KEY, [ended(2, picture("new"))])

    with pytest.raises(LogError, match=r"photo.png: the store of files does not answer"):
        await away.read(KEY)
    assert await away.read(KEY, 1) == [ended(2, picture("new"))]
    assert await MediaLog(inner, store).read(KEY) == [ended(1, picture()), ended(2, picture("new"))]


async def test_a_lost_picture_does_not_hide_the_conversation(store: MediaStore) -> None:
    inner = MemoryLog()
    await MediaLog(inner, store).append(KEY, [ended(1, picture())])
    await store.delete(await names(store))

    assert await MediaLog(inner, store).read(KEY) == [ended(1, replace(picture(), data=""))]


async def test_other_programs_objects_in_the_bucket_are_not_changed(store: MediaStore) -> None:
    bucket = obstore.store.from_url(f"s3://{BUCKET}/shop")
    theirs = ["backups/2026/november/shop.tar", "readme.txt", "shop/ana/c-1/notes.txt"]
    for name in theirs:
        await obstore.put_async(bucket, name, b"theirs")
    log = MediaLog(MemoryLog(), store)
    await log.append(KEY, [ended(1, picture())])
    await log.thin_out("results", FAR_MS)
    await log.forget(FAR_MS)

    pages = obstore.list(bucket)  # pyright: ignore[reportUnknownMemberType]
    left = [one["path"] async for page in pages for one in page]
    assert sorted(left) == theirs
    await obstore.delete_async(bucket, left)


async def test_a_temporarily_missing_picture_is_found_again(
    store: MediaStore, server: Mapping[str, str]
) -> None:
    inner = MemoryLog()
    await MediaLog(inner, store).append(KEY, [ended(1, picture())])
    (name,) = await names(store)
    await store.delete([name])
    other = MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop"))
    await other.read(KEY)
    await store.put(KEY, picture())

    assert await other.read(KEY) == [ended(1, picture())]


async def test_a_hanging_store_delays_an_entry_only_for_a_while(
    store: MediaStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
    monkeypatch.setattr("assistant.store.media_store._LONGEST_S", 0.3)
    inner, entries = MemoryLog(), [ended(number, picture()) for number in range(1, 5)]
    async with asyncio.timeout(1):
        await MediaLog(inner, MediaStore(f"s3://{BUCKET}/shop")).append(KEY, entries)
    silent.close()

    assert await inner.read(KEY) == entries
    assert await MediaLog(inner, store).read(KEY) == entries


async def test_servers_and_commands_use_the_store_of_the_settings(store: MediaStore, tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, media_store=f"s3://{BUCKET}/shop")
    async with open_storage(settings, VirtualClock(), CountedIds("i")) as storage:
        await storage.log.append(KEY, [ended(1, picture())])
    assert len(await names(store)) == 1
    async with open_conversations(settings) as conversations:
        assert await conversations.read(KEY) == [ended(1, picture())]


async def test_an_address_without_a_bucket_is_refused() -> None:
    for address in ("bucket", "s3://", "https://files.example/bucket"):
        with pytest.raises(DeclarationError, match="write one such as 's3://bucket/folder'"):
            MediaStore(address)
