"""Two servers that share a database write each document once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from assistant.assembly.knowledge_folder import Knowledge
from assistant.clock import SystemClock
from assistant.conversation.documents import Document
from assistant.ids import SystemIds
from assistant.memory.file_reader import read_file
from assistant.memory.library import Library
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.postgres.storage import open_postgres_storage
from assistant.store.storage import Storage
from tests.support.library import WIDTH, FakeEmbedder

TENANT = "acme"


class Server:
    """One server's library; ``embedder`` knows what it has written."""

    def __init__(self, storage: Storage, documents: PgvectorDocuments) -> None:
        self.storage, self.embedder = storage, FakeEmbedder()
        self.library = Library(
            documents,
            storage.writes,
            self.embedder,
            storage.log,
            SystemClock(),
            keep_results_days=None,
            keep_uploads_days=None,
        )


@pytest.fixture
async def servers(database: str) -> AsyncIterator[list[Server]]:
    """Two servers; neither has begun to write."""
    async with AsyncExitStack() as in_the_end:
        both = list[Server]()
        for _ in range(2):
            storage = await in_the_end.enter_async_context(
                open_postgres_storage(database, SystemClock(), SystemIds())
            )
            documents = PgvectorDocuments(database, embedder="fake", width=WIDTH)
            in_the_end.push_async_callback(documents.close)
            both.append(Server(storage, documents))
            in_the_end.push_async_callback(both[-1].library.close)
        yield both


async def test_each_document_is_embedded_by_one_server_and_found_by_both(servers: list[Server]) -> None:
    for number in range(12):
        text = f"Rule {number}: parcels arrive on Mondays."
        await servers[0].library.keep(
            Document(
                ref=f"document:{number}",
                tenant=TENANT,
                customer="",
                kind="knowledge",
                title="Rules",
                text=text,
            )
        )

    for server in servers:
        server.library.start()
    async with asyncio.timeout(20):
        while any(one.state == "waiting" for one in await servers[1].library.documents(TENANT)):
            pass  # each look asks the database

    embedded = [*servers[0].embedder.embedded, *servers[1].embedder.embedded]
    assert len(embedded) == 12
    assert len(set(embedded)) == 12
    for server in servers:
        [found] = await server.library.search(TENANT, "ana", "parcels", limit=1)
        assert "parcels" in found.passage.text


async def test_files_are_queued_by_one_of_the_servers_that_have_them(
    servers: list[Server], tmp_path: Path
) -> None:
    for number in range(12):
        (tmp_path / f"rule{number}.md").write_text(f"Rule {number}: parcels arrive on Mondays.")
    clock, read = SystemClock(), partial(read_file, clock=SystemClock())
    folders = [Knowledge(tmp_path, TENANT, server.library, read, clock) for server in servers]

    servers[0].library.start()
    await asyncio.gather(*(folder.look() for folder in folders))
    await servers[0].library.written()

    embedded = servers[0].embedder.embedded
    assert len(embedded) == len(set(embedded)) == 12


async def test_a_document_that_is_being_indexed_is_not_queued_again(servers: list[Server]) -> None:
    first, other = (server.library for server in servers)
    rule = Document(
        ref="document:1",
        tenant=TENANT,
        customer="",
        kind="knowledge",
        title="Rules",
        text="Monday",
        origin="r",
    )
    servers[0].embedder.may_go_on.clear()
    first.start()
    await first.keep(rule)
    while not (claimed := await servers[0].storage.writes.waiting()):
        pass  # each look asks the database
    await other.keep(rule)
    assert await servers[1].storage.writes.waiting() == claimed

    await other.keep(replace(rule, text="Tuesday"))  # an edit is queued, whichever server writes the old text
    assert [one.number for one in await servers[1].storage.writes.waiting()] != [claimed[0].number]


async def test_a_server_may_leave_documents_to_another(servers: list[Server]) -> None:
    server, worker = servers
    server.library.start(wanted_only=True)
    await server.library.keep(a_note("ana"))
    await server.library.keep(a_note("ben"))

    [found] = await server.library.search(TENANT, "ana", "glasses")
    assert found.ref == "document:ana"  # its own search does not wait for the other
    assert [one.state for one in await server.library.documents(TENANT, "ben")] == ["waiting"]

    worker.library.start()
    await worker.library.written()
    assert [one.state for one in await server.library.documents(TENANT, "ben")] == ["kept"]
    assert len(worker.embedder.embedded) == 1


def a_note(customer: str) -> Document:
    return Document(
        ref=f"document:{customer}",
        tenant=TENANT,
        customer=customer,
        kind="upload",
        title="Note",
        text=f"The glasses of {customer}.",
    )
