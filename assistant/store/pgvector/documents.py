"""The port of documents, in a PostgreSQL database with pgvector."""

from collections.abc import Sequence

from assistant.conversation.documents import Document, Finding, Listed, Passage, Vector
from assistant.store.documents.vectors import check_passages, check_question
from assistant.store.pgvector.address import read_address
from assistant.store.pgvector.connections import Connections
from assistant.store.pgvector.rows import (
    document_of,
    document_values,
    finding_of,
    listed_of,
    passage_values,
)
from assistant.store.pgvector.schema import bring_up_to_date
from assistant.store.pgvector.statements import (
    DELETE,
    ERASE,
    EXPIRE,
    FORGET_PASSAGES,
    GET,
    LIST_OF_CUSTOMER,
    LIST_OF_TENANT,
    PUT,
    PUT_PASSAGE,
    SEARCH,
    STALE,
)


class PgvectorDocuments:
    """Documents, for one replica or many. A search is exact: it reads every vector that the customer may read.

    Nothing is connected before the first call; the tables are made then. A call that fails raises ``StoreError``,
    and the next connects anew.

    Args:
        address: of the database, such as ``postgresql://user:password@host/database``.
        embedder: who makes the vectors; what another one made is never found.
        width: how many numbers a vector has.

    Raises:
        DeclarationError: the address cannot be read, or the package that talks to PostgreSQL is not installed.
    """

    def __init__(self, address: str, *, embedder: str, width: int) -> None:
        self._connections = Connections(read_address(address), bring_up_to_date)
        self._embedder, self._width = embedder, width

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document in place of the one with its ``ref``, all or nothing; durable when it returns."""
        check_passages(document, passages, self._width)
        values = document_values(document, len(passages), self._embedder, self._width)
        async with self._connections.one() as connection, connection.transaction():
            # Whoever puts the same document at the same time waits here until this transaction ends.
            kept = int(str(await connection.fetchval(PUT, *values)))
            await connection.execute(FORGET_PASSAGES, kept)
            rows = (passage_values(kept, document, one, self._embedder, self._width) for one in passages)
            await connection.executemany(PUT_PASSAGE, rows)

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; see the port."""
        check_question(vector, self._width)
        async with self._connections.one() as connection:
            asked = (tenant, customer, self._embedder, vector, now_ms, max(limit, 0), self._width)
            rows = await connection.fetch(SEARCH, *asked)
        return [finding_of(row) for row in rows]

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document, for whom may read it; see the port."""
        async with self._connections.one() as connection:
            row = await connection.fetchrow(GET, tenant, customer, ref, now_ms)
        return None if row is None else document_of(row)

    async def documents(self, tenant: str, customer: str | None = None) -> list[Listed]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        async with self._connections.one() as connection:
            if customer is None:
                rows = await connection.fetch(LIST_OF_TENANT, tenant)
            else:
                rows = await connection.fetch(LIST_OF_CUSTOMER, tenant, customer)
        return [listed_of(row) for row in rows]

    async def stale(self) -> list[tuple[str, str, str]]:
        """The tenant, customer and ref of what another embedder was used for, oldest first; see the port."""
        async with self._connections.one() as connection:
            rows = await connection.fetch(STALE, self._embedder, self._width)
        return [(str(row["tenant"]), str(row["customer"]), str(row["ref"])) for row in rows]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages for good; whether it was there."""
        return await self._deleted(DELETE, tenant, ref) > 0

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all that is kept of a customer, for good; gives the number of documents."""
        return await self._deleted(ERASE, tenant, customer)

    async def expire(self, now_ms: int) -> int:
        """Delete what has expired, for good; gives the number of documents."""
        return await self._deleted(EXPIRE, now_ms)

    async def close(self) -> None:
        """Finish what is under way and let go of the database."""
        await self._connections.close()

    async def _deleted(self, order: str, *which: str | int) -> int:
        async with self._connections.one() as connection:
            return int(str(await connection.fetchval(order, *which)))
