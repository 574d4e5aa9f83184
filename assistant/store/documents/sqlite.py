"""Documents in the log's SQLite file: searched exactly, deleted for good, without a server."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentInfo, Finding, Passage, Vector
from assistant.errors import DeclarationError
from assistant.store.documents.sqlite_rows import (
    FoundRow,
    delete_found,
    digest,
    find_expired,
    find_named,
    find_of_customer,
    list_documents,
    list_stale,
    put_document,
    read_document,
)
from assistant.store.documents.vectors import check_passages, check_query_vector
from assistant.store.sqlite_file import ThreadBoundConnection, connect, empty_journal, migrate, transaction

if TYPE_CHECKING:
    from assistant.store.documents.vector_cache import VectorCache

_MEMORY_BYTES = 512 * 2**20
_PATIENCE_MS = 5_000


class SqliteDocuments:
    """Every document in one file: written by one thread, read by another, searched by a third.

    The vectors of what was searched last are held in memory, about 1.6 kB for a passage of 384 numbers. Other
    processes may write the file at the same time; each search sees what is there by then.

    Args:
        path: the file; made when it does not exist, readable by its owner alone. Its folder must be there.
        embedder: whose vectors these are. What was put with those of another, or of another width, is kept and
            not found; see :meth:`stale`.
        width: how many numbers a vector has.
        memory_bytes: vectors are let go of above that, except those that the search under way needs.
        patience_ms: how long a deletion waits for other readers to let go of what it has to overwrite. Then it
            raises ``StoreError`` although nothing is found any more; asked for again, it tries again.

    Raises:
        DeclarationError: the file cannot be used, or is a newer release's.
    """

    def __init__(
        self,
        path: Path,
        *,
        embedder: str,
        width: int,
        memory_bytes: int = _MEMORY_BYTES,
        patience_ms: int = _PATIENCE_MS,
    ) -> None:
        self._embedder = f"{embedder} {width}"
        self._width = width
        self._memory_bytes = memory_bytes
        self._patience_ms = patience_ms
        self._vector_cache: VectorCache | None = None
        self._owes_the_journal = True  # the last process may have ended between deleting and emptying it
        self._writing = ThreadBoundConnection(_open(path), "documents-writer")
        self._reading = ThreadBoundConnection(connect(path), "documents-reader")
        self._searching = ThreadBoundConnection(connect(path), "documents-search")

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document in place of the one with its ``ref``. Raises ``StoreError``; see the port."""

        def keep(file: sqlite3.Connection) -> None:
            check_passages(document, passages, self._width)
            with transaction(file, "IMMEDIATE"):
                put_document(file, document, passages, self._embedder)

        await self._writing.ask(keep)

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; of equally near ones, the first that was kept."""
        whose = {digest(tenant, customer), digest(tenant, ALL_CUSTOMERS)}

        def look(file: sqlite3.Connection) -> list[Finding]:
            check_query_vector(vector, self._width)
            with transaction(file, "DEFERRED"):
                return self._vectors_in_memory().search(file, whose, vector, limit, now_ms)

        return await self._searching.ask(look)

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document; None for one that is not there, has expired, or is another customer's."""
        return await self._reading.ask(lambda file: read_document(file, tenant, customer, ref, now_ms))

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        return await self._reading.ask(lambda file: list_documents(file, tenant, customer))

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of what another embedder made, oldest first: put it again, and it is found."""
        return await self._reading.ask(lambda file: list_stale(file, self._embedder))

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages for good; whether it was there."""
        return await self._forget(lambda file: find_named(file, tenant, ref)) > 0

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all that is kept of a customer, for good; gives the number of documents."""
        return await self._forget(lambda file: find_of_customer(file, tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Delete what has expired, for good; gives the number of documents."""
        return await self._forget(lambda file: find_expired(file, now_ms))

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        for thread in (self._searching, self._reading, self._writing):
            await thread.close()

    async def _forget(self, which: Callable[[sqlite3.Connection], list[FoundRow]]) -> int:
        def forget(file: sqlite3.Connection) -> int:
            with transaction(file, "IMMEDIATE"):
                count = delete_found(file, which(file))
            self._owes_the_journal |= count > 0
            if self._owes_the_journal:  # also because of an earlier deletion that could not empty it
                empty_journal(file, self._patience_ms)
                self._owes_the_journal = False
            return count

        return await self._writing.ask(forget)

    def _vectors_in_memory(self) -> "VectorCache":
        if self._vector_cache is None:
            # Imported at the first search: numpy takes a while to load, and many installations have no documents.
            from assistant.store.documents.vector_cache import VectorCache

            self._vector_cache = VectorCache(self._embedder, self._width, self._memory_bytes)
        return self._vector_cache


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.touch(mode=0o600)
        file = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise DeclarationError(f"{path} cannot be opened: {error}; is ASSISTANT_DATA_DIR right?") from error
    try:
        migrate(file, str(path))
    except BaseException:
        file.close()
        raise
    return file
