"""The records for erasure are stored in every storage."""

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.errors import LogError
from assistant.store.storage import Recording, Storage
from tests.store.conftest import Installation

SAID = Logged(1, 5, "", CustomerMessage(message_id="m1", client_message_id="x1", text="Hi"))


async def test_recordings_are_found_by_their_customer(storage: Storage, ana: ConversationKey) -> None:
    records, ben, other = storage.records, replace(ana, customer="ben"), replace(ana, tenant="other")
    for key, name in ((ana, "b"), (ana, "a"), (ben, "c"), (other, "d")):
        await records.note_recording(key, Recording(Path(f"/{name}.yaml")))
    await records.note_recording(other, Recording(Path("/x/../c.yaml")))  # in the place of Ben's

    assert await records.recordings("acme", "ana") == [Recording(Path("/a.yaml")), Recording(Path("/b.yaml"))]
    assert await records.recordings("acme", "ben") == []
    assert await records.recordings("other", "ana") == [
        Recording(Path("/c.yaml")),
        Recording(Path("/d.yaml")),
    ]

    await records.forget_recording(Recording(Path("/a.yaml")))
    assert await records.recordings("acme", "ana") == [Recording(Path("/b.yaml"))]


async def test_recordings_of_two_machines_are_distinguished(
    two_servers: tuple[Storage, Storage], ana: ConversationKey
) -> None:
    records, path = two_servers[0].records, Path("/data/a.yaml")
    for place in ("here", "there"):
        await records.note_recording(ana, Recording(path, place))
    assert await records.recordings("acme", "ana") == [Recording(path, "here"), Recording(path, "there")]

    await records.forget_recording(Recording(path, "here"))
    assert await records.orphaned_recordings() == [Recording(path, "there")]


async def test_recordings_are_erased_with_their_customer(storage: Storage, ana: ConversationKey) -> None:
    ben = replace(ana, customer="ben")
    for key in (ana, ben):
        await storage.log.append(key, [SAID])
        await storage.records.note_recording(key, Recording(Path(f"/{key.customer}.yaml")))

    await storage.log.erase("acme", "ana")

    assert await storage.records.recordings("acme", "ana") == []
    assert await storage.records.recordings("acme", "ben") == [Recording(Path("/ben.yaml"))]


async def test_recordings_of_deleted_conversations_are_found(storage: Storage, ana: ConversationKey) -> None:
    gone = [replace(ana, tenant="other"), replace(ana, conversation="c2")]
    await storage.log.append(ana, [SAID])
    for number, key in enumerate((ana, *gone)):
        await storage.records.note_recording(key, Recording(Path(f"/{number}.yaml")))

    assert await storage.records.orphaned_recordings() == [
        Recording(Path("/1.yaml")),
        Recording(Path("/2.yaml")),
    ]


async def test_commitments_are_never_replaced(installation: Installation) -> None:
    async with installation.open() as server:
        await server.records.keep_commitments([b"one", b"two"], 5)
        await server.records.keep_commitments([b"two", b"three"], 9)
        await server.records.keep_commitments([], 9)

    async with installation.open_to_read() as reader:
        found = [await reader.erased_at(each) for each in (b"one", b"two", b"three", b"four")]
    assert found == [5, 5, 9, None]


async def test_records_that_cannot_be_stored_are_an_error(
    postgres_installation: Installation, ana: ConversationKey
) -> None:
    async with postgres_installation.open() as server:
        pass
    with pytest.raises(LogError, match="records for erasure cannot be kept"):
        await server.records.note_recording(ana, Recording(Path("/a.yaml")))
