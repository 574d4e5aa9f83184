"""Every document store, for the same tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_warnings import SEEN_MESSAGES

from assistant.storage_ports import DocumentStore
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.documents.qdrant import QdrantDocuments
from assistant.store.documents.sqlite import SqliteDocuments
from tests.support.document_stores import EVERY, WIDTH, OpensStore
from tests.support.memory_documents import MemoryDocuments


@pytest.fixture
def memory_documents() -> OpensStore:
    """Documents in memory."""

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        return MemoryDocuments(width=width)

    return open_it


@pytest.fixture
def pgvector_documents(postgres_server: str) -> OpensStore:
    """Documents in PostgreSQL, the tables made anew for each test."""
    begun = False

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        nonlocal begun
        if not begun:
            async with asyncpg.create_pool(postgres_server, min_size=0, max_size=1) as pool:  # pyright: ignore
                await pool.execute("DROP SCHEMA IF EXISTS meanwhile CASCADE")  # pyright: ignore
                await pool.execute("CREATE EXTENSION IF NOT EXISTS vector")  # pyright: ignore
            begun = True
        return PgvectorDocuments(postgres_server, embedder=embedder, width=width)

    return open_it


class _OpenQdrant(AsyncQdrantClient):
    """Qdrant's own small edition in memory, which would be empty once it was closed."""

    def __init__(self) -> None:
        super().__init__(":memory:")

    async def close(self, grpc_grace: float | None = None, **kwargs: object) -> None:
        """It ends with the test."""


@pytest.fixture
def qdrant_documents() -> OpensStore:
    """Documents on Qdrant."""
    # It says once, as a warning, each thing that has a meaning for a server only.
    SEEN_MESSAGES.update(["local_query_points_search_params_ignored", "create-local-payload-indexes"])
    client = _OpenQdrant()

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        return QdrantDocuments(client, shown="qdrant", embedder=embedder, width=width)

    return open_it


@pytest.fixture
def sqlite_documents(tmp_path: Path) -> OpensStore:
    """Documents in a file."""

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        return SqliteDocuments(tmp_path / "log.db", embedder=embedder, width=width)

    return open_it


@pytest.fixture(params=EVERY)
async def open_store(request: pytest.FixtureRequest) -> AsyncIterator[OpensStore]:
    """What opens a store of each kind in turn; all that were opened are closed in the end."""
    of_this_kind: OpensStore = request.getfixturevalue(f"{request.param}_documents")
    opened: list[DocumentStore] = []

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        opened.append(await of_this_kind(embedder=embedder, width=width))
        return opened[-1]

    yield open_it
    for store in opened:
        await store.close()


@pytest.fixture
async def store(open_store: OpensStore) -> DocumentStore:
    """An open store, of each kind in turn."""
    return await open_store()
