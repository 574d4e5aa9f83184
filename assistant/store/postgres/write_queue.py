"""The queue of documents to be written, in a PostgreSQL database that several servers share.

A result is queued in the same transaction in which the log stores its snapshot: see ``append_entries`` in
store/migrations/postgres/0002_log.sql.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from assistant.conversation.documents import Document, DocumentInfo, DocumentKind, QueuedDocument
from assistant.errors import StoreError
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, storable
from assistant.store.postgres.driver import Connection, Row

_CLAIM_MINUTES = 5
"""Longer than nearly any document takes to write, including a large result with a tenth of one core."""

_LISTED = "ref, customer, kind, title, mime, characters, origin, kept_ms, expires_ms"
_WAITING = f"number, tenant, due_ms, tries, problem, {_LISTED}"
_DOCUMENT = "ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms"

_ADD = """
INSERT INTO writes (tenant, customer, ref, kind, title, mime, conversation, origin, kept_ms, expires_ms,
    characters, due_ms, text)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (tenant, ref) DO UPDATE SET number = DEFAULT, customer = $2, kind = $4, title = $5, mime = $6,
    conversation = $7, origin = $8, kept_ms = $9, expires_ms = $10, characters = $11, due_ms = $12, text = $13,
    tries = DEFAULT, problem = DEFAULT, claimed_by = DEFAULT, claimed_until = DEFAULT
-- Servers that start together queue the same files: the first one counts, and another may be writing it already.
WHERE NOT (writes.kind = 'knowledge' AND writes.origin = $8 AND writes.text = $13 AND writes.tries = 0)
"""
# A row that another server is claiming is locked: it is skipped without a wait.
_CLAIM = f"""
UPDATE writes SET claimed_by = $3, claimed_until = now() + interval '{_CLAIM_MINUTES} minutes' WHERE number = (
    SELECT number FROM writes
    WHERE kind = ANY ($1) AND due_ms <= $2 AND (claimed_by = $3 OR claimed_until <= now())
    ORDER BY due_ms, number LIMIT 1 FOR UPDATE SKIP LOCKED
)
RETURNING {_WAITING}
"""  # noqa: S608 - constants, as everywhere here
_RELEASE = "UPDATE writes SET claimed_by = DEFAULT, claimed_until = DEFAULT WHERE claimed_by = $1"
_LIST = f"""
SELECT {_WAITING} FROM writes WHERE ($1::text IS NULL OR tenant = $1) AND ($2::text IS NULL OR customer = $2)
ORDER BY number
"""  # noqa: S608
_READ = f"SELECT {_DOCUMENT} FROM writes WHERE number = $1"  # noqa: S608
_GET = f"SELECT {_DOCUMENT} FROM writes WHERE tenant = $1 AND ref = $2 AND customer IN ('', $3)"  # noqa: S608
_PUT_OFF = """
UPDATE writes SET tries = tries + 1, problem = $2, due_ms = $3, claimed_by = DEFAULT, claimed_until = DEFAULT
WHERE number = $1
"""
_REMOVE = "DELETE FROM writes WHERE number = $1"
_DELETE = "DELETE FROM writes WHERE tenant = $1 AND ref = $2 RETURNING true"
_ERASE = "DELETE FROM writes WHERE tenant = $1 AND customer = $2 RETURNING ref"
_EXPIRE = "WITH gone AS (DELETE FROM writes WHERE expires_ms <= $1 RETURNING 1) SELECT count(*) FROM gone"


class PostgresWriteQueue:
    """The queue as a table. A write is durable when it returns.

    ``next`` claims the document that it returns: for five minutes of the database's clock, no other server gets
    it. ``remove`` and ``put_off`` end the claim, and ``close`` returns this server's unfinished documents. If a
    server dies with a document, or needs longer, another server writes it after the five minutes. Writing a
    document twice does no harm: the second replaces the first. So a search need not wait for a dead server
    either: it writes its customer's documents itself, claimed or not.

    Args:
        connections: opened at the first call; closed by their owner.
        server: this server's id, a new one for each process.
    """

    def __init__(self, connections: ConnectionPool, server: str) -> None:
        self._connections, self._server = connections, server
        self._closed = False

    async def add(self, document: Document, now_ms: int) -> None:
        """Queue a document and replace the one with its ``ref``; durable when this returns."""
        whose = (document.tenant, document.customer, document.ref)
        about = (document.kind, document.title, document.mime, document.conversation, document.origin)
        times = (document.kept_ms, document.expires_ms)
        async with self._seeing(document.tenant) as connection:
            await connection.execute(
                _ADD,
                *(storable(text) for text in (*whose, *about)),
                *(*times, len(document.text), now_ms, storable(document.text)),
            )

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """The document of these kinds with the oldest due time that no other server has claimed."""
        async with self._seeing(ALL_TENANTS) as connection:
            row = await connection.fetchrow(_CLAIM, list[str | None](kinds), now_ms, self._server)
        return None if row is None else _queued(row)

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """All waiting and all failed documents, longest first: of one customer, or of all if None."""
        async with self._seeing(ALL_TENANTS if tenant is None else tenant) as connection:
            return [_queued(row) for row in await connection.fetch(_LIST, tenant, customer)]

    async def read(self, number: int) -> Document | None:
        """The whole waiting document with this number; None if it is no longer queued."""
        async with self._seeing(ALL_TENANTS) as connection:
            return _document(await connection.fetchrow(_READ, number))

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document, if it waits or has failed and this customer may read it."""
        async with self._seeing(tenant) as connection:
            return _document(await connection.fetchrow(_GET, tenant, ref, customer))

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """Record a failure. The document is tried again at ``due_ms``, by any server, or never if None."""
        async with self._seeing(ALL_TENANTS) as connection:
            await connection.execute(_PUT_OFF, number, storable(problem), due_ms)

    async def remove(self, number: int) -> None:
        """Remove a document from the queue. Does nothing if it is not queued."""
        async with self._seeing(ALL_TENANTS) as connection:
            await connection.execute(_REMOVE, number)

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a queued document. Returns whether it existed."""
        async with self._seeing(tenant) as connection:
            return await connection.fetchval(_DELETE, tenant, ref) is True

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Delete all queued documents of a customer; returns their references."""
        async with self._seeing(tenant) as connection:
            return [str(row["ref"]) for row in await connection.fetch(_ERASE, tenant, customer)]

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents; returns their number."""
        async with self._seeing(ALL_TENANTS) as connection:
            return cast("int", await connection.fetchval(_EXPIRE, now_ms))

    async def close(self) -> None:
        """Return the claimed documents, so that another server can write them immediately."""
        if self._closed:
            return
        with suppress(StoreError):  # the claims end by themselves
            async with self._seeing(ALL_TENANTS) as connection:
                await connection.execute(_RELEASE, self._server)
        self._closed = True

    @asynccontextmanager
    async def _seeing(self, tenant: str) -> AsyncGenerator[Connection]:
        """A transaction that sees only this tenant's rows. Raises ``StoreError``."""
        if self._closed:
            raise StoreError("the queue of documents did not answer: it is closed")
        try:
            async with self._connections.of_tenant(tenant) as connection:
                yield connection
        except StoreError as error:
            raise StoreError(f"the queue of documents did not answer: {error}") from error


def _queued(row: Row) -> QueuedDocument:
    found = cast("dict[str, Any]", dict(row))
    listed = {name: found.pop(name) for name in _LISTED.split(", ")}
    return QueuedDocument(**found, listed=DocumentInfo(passages=0, **listed))


def _document(row: Row | None) -> Document | None:
    return None if row is None else Document(**cast("dict[str, Any]", dict(row)))
