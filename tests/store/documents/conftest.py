"""Every store of documents there is, to be asked the same questions."""

from collections.abc import AsyncIterator

import pytest

from assistant.ports import DocumentStore
from assistant.store.documents.memory import MemoryDocuments
from assistant.testing.document_stores import EVERY, WIDTH, OpensStore


@pytest.fixture
def memory_documents() -> OpensStore:
    """Documents in memory."""

    async def open_it(*, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        return MemoryDocuments(width=width)

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
