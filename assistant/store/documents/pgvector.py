"""The document store in a PostgreSQL database with pgvector: its statements, rows and the class itself."""

from collections.abc import Sequence
from typing import Any, cast

from assistant.conversation.documents import Document, DocumentInfo, DocumentKind, Finding, Passage, Vector
from assistant.store.documents.vectors import check_passages, check_query_vector
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, migrate, read_address, storable
from assistant.store.postgres.driver import Row, Value

DOCUMENT_COLUMNS = "ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms"

PUT = f"""
INSERT INTO documents ({DOCUMENT_COLUMNS}, characters, passages, embedder, width)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (tenant, ref) DO UPDATE SET
    customer = excluded.customer, kind = excluded.kind, title = excluded.title, text = excluded.text,
    mime = excluded.mime, conversation = excluded.conversation, origin = excluded.origin,
    kept_ms = excluded.kept_ms, expires_ms = excluded.expires_ms,
    characters = excluded.characters, passages = excluded.passages,
    embedder = excluded.embedder, width = excluded.width
RETURNING document
"""  # noqa: S608 - constants

FORGET_PASSAGES = "DELETE FROM passages WHERE document = $1"

PUT_PASSAGE = """
INSERT INTO passages
    (document, number, tenant, customer, embedder, width, expires_ms, starts, ends, place, text, vector)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""

# The readable passages are selected first, and completely: MATERIALIZED prevents the planner, and any index
# that is added, from taking the nearest passages of all tenants first and filtering those.
SEARCH = """
WITH readable AS MATERIALIZED (
    SELECT document, number, -(vector <#> $4) AS score
    FROM passages
    WHERE tenant = $1 AND customer IN ($2, '') AND embedder = $3 AND width = $7
        AND (expires_ms IS NULL OR expires_ms > $5)
), nearest AS (
    SELECT document, number, score FROM readable ORDER BY score DESC, document, number LIMIT $6
)
SELECT ref, kind, title, score, number, starts, ends, place, passages.text
FROM nearest JOIN passages USING (document, number) JOIN documents USING (document)
ORDER BY score DESC, document, number
"""

GET = f"""
SELECT {DOCUMENT_COLUMNS} FROM documents
WHERE tenant = $1 AND customer IN ($2, '') AND ref = $3 AND (expires_ms IS NULL OR expires_ms > $4)
"""  # noqa: S608 - constants

_LISTED = "ref, customer, kind, title, mime, passages, characters, origin, kept_ms, expires_ms"
_OLDEST_FIRST = "ORDER BY kept_ms, ref"
LIST_OF_TENANT = f"SELECT {_LISTED} FROM documents WHERE tenant = $1 {_OLDEST_FIRST}"  # noqa: S608
LIST_OF_CUSTOMER = f"SELECT {_LISTED} FROM documents WHERE tenant = $1 AND customer = $2 {_OLDEST_FIRST}"  # noqa: S608

STALE = """
SELECT tenant, customer, ref FROM documents
WHERE embedder <> $1 OR width <> $2
ORDER BY kept_ms, tenant, ref
"""

_COUNTED = "WITH gone AS (DELETE FROM documents WHERE {} RETURNING 1) SELECT count(*) FROM gone"
DELETE = _COUNTED.format("tenant = $1 AND ref = $2")
ERASE = _COUNTED.format("tenant = $1 AND customer = $2")
EXPIRE = _COUNTED.format("expires_ms <= $1")


def document_values(document: Document, passages: int, embedder: str, width: int) -> tuple[Value, ...]:
    """The values for the statement that stores a document; ``passages`` is the number of its passages."""
    text = (document.ref, document.tenant, document.customer, document.kind, document.title, document.text)
    about = (document.mime, document.conversation, document.origin)
    times = (document.kept_ms, document.expires_ms)
    return (*map(storable, (*text, *about)), *times, len(document.text), passages, embedder, width)


def passage_values(
    kept: int, document: Document, passage: Passage, embedder: str, width: int
) -> tuple[Value, ...]:
    """The values for the statement that stores a passage; ``kept`` is the document's number in the database."""
    whose = (kept, passage.number, document.tenant, document.customer)
    found_by = (embedder, width, document.expires_ms)
    where = (passage.start, passage.end, storable(passage.place))
    return (*whose, *found_by, *where, storable(passage.text), passage.vector)


def document_of(row: Row) -> Document:
    """A document, from a row of all its columns."""
    return Document(**cast("dict[str, Any]", dict(row)))


def listed_of(row: Row) -> DocumentInfo:
    """A document without its text."""
    return DocumentInfo(**cast("dict[str, Any]", dict(row)))


def finding_of(row: Row) -> Finding:
    """A passage that was found."""
    found = cast("dict[str, Any]", dict(row))
    passage = Passage(
        number=found["number"],
        start=found["starts"],
        end=found["ends"],
        text=found["text"],
        place=found["place"],
    )
    kind: DocumentKind = found["kind"]
    return Finding(ref=found["ref"], kind=kind, title=found["title"], passage=passage, score=found["score"])


class PgvectorDocuments:
    """Documents for one replica or many. A search is exact: it reads each vector that the customer may read.

    It connects and creates the tables at the first call. A failed call raises ``StoreError``, and the next
    call connects again.

    Args:
        address: of the database, such as ``postgresql://user:password@host/database``.
        embedder: the name of the model that makes the vectors; vectors of another model are never found.
        width: the number of values in a vector.

    Raises:
        DeclarationError: the address cannot be read, or the PostgreSQL driver is not installed.
    """

    def __init__(self, address: str, *, embedder: str, width: int) -> None:
        self._connections = ConnectionPool(read_address(address), migrate)
        self._embedder, self._width = embedder, width

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document and replace the one with its ``ref``, completely or not. It is on disk when this
        returns.
        """
        check_passages(document, passages, self._width)
        values = document_values(document, len(passages), self._embedder, self._width)
        async with self._connections.of_tenant(document.tenant) as connection:
            # Another process that puts the same document waits here until this transaction ends.
            kept = int(str(await connection.fetchval(PUT, *values)))
            await connection.execute(FORGET_PASSAGES, kept)
            rows = (passage_values(kept, document, one, self._embedder, self._width) for one in passages)
            await connection.executemany(PUT_PASSAGE, rows)

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; see the port."""
        check_query_vector(vector, self._width)
        async with self._connections.of_tenant(tenant) as connection:
            asked = (tenant, customer, self._embedder, vector, now_ms, max(limit, 0), self._width)
            rows = await connection.fetch(SEARCH, *asked)
        return [finding_of(row) for row in rows]

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document, if this customer may read it; see the port."""
        async with self._connections.of_tenant(tenant) as connection:
            row = await connection.fetchrow(GET, tenant, customer, ref, now_ms)
        return None if row is None else document_of(row)

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """All documents, oldest first: of one customer, or of the whole tenant if None."""
        async with self._connections.of_tenant(tenant) as connection:
            if customer is None:
                rows = await connection.fetch(LIST_OF_TENANT, tenant)
            else:
                rows = await connection.fetch(LIST_OF_CUSTOMER, tenant, customer)
        return [listed_of(row) for row in rows]

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of documents with vectors of another embedder, oldest first; see the port."""
        async with self._connections.of_tenant(ALL_TENANTS) as connection:
            rows = await connection.fetch(STALE, self._embedder, self._width)
        return [(str(row["tenant"]), str(row["customer"]), str(row["ref"])) for row in rows]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages permanently. Returns whether it existed."""
        return await self._deleted(tenant, DELETE, tenant, ref) > 0

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer permanently; returns their number."""
        return await self._deleted(tenant, ERASE, tenant, customer)

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        return await self._deleted(ALL_TENANTS, EXPIRE, now_ms)

    async def close(self) -> None:
        """Finish pending work and close the connections."""
        await self._connections.close()

    async def _deleted(self, whose: str, order: str, *which: str | int) -> int:
        async with self._connections.of_tenant(whose) as connection:
            return int(str(await connection.fetchval(order, *which)))
