"""The queue of documents to be written: a table in the log's own file.

A result is queued in the same transaction in which the log stores its snapshot.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeAlias, cast

from assistant.conversation.documents import (
    LOOKUPS,
    Document,
    DocumentInfo,
    DocumentKind,
    QueuedDocument,
    result_ref,
)
from assistant.conversation.entries import Logged, Snapshot
from assistant.errors import StoreError
from assistant.store.sqlite.file import ThreadBoundConnection, connect, connect_to_read, empty_journal

_Row: TypeAlias = tuple[str, str, str, str, str, str, str, str, int, int | None, int, int, str]

_LISTED = "ref, customer, kind, title, mime, characters, origin, kept_ms, expires_ms"
_WAITING = f"number, tenant, due_ms, tries, problem, {_LISTED}"
_DOCUMENT = "ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms"
_ADD = (
    "REPLACE INTO writes (tenant, customer, ref, kind, title, mime, conversation, origin, kept_ms, expires_ms,"
    " characters, due_ms, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NEXT = f"SELECT {_WAITING} FROM writes WHERE kind IN (%s) AND due_ms <= ? ORDER BY due_ms, number LIMIT 1"  # noqa: S608
_ALL = (
    f"SELECT {_WAITING} FROM writes WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR customer = ?2)"  # noqa: S608
    " ORDER BY number"
)
_READ = f"SELECT {_DOCUMENT} FROM writes WHERE number = ?"  # noqa: S608 - constants, as everywhere here
_GET = f"SELECT {_DOCUMENT} FROM writes WHERE tenant = ? AND ref = ? AND customer IN ('', ?)"  # noqa: S608


def insert_row(connection: sqlite3.Connection, document: Document, due_ms: int) -> None:
    """Queue a document and replace the one with its ``ref``."""
    row: _Row = (
        *(document.tenant, document.customer, document.ref, document.kind, document.title, document.mime),
        *(document.conversation, document.origin, document.kept_ms, document.expires_ms),
        *(len(document.text), due_ms, document.text),
    )
    connection.execute(_ADD, row)


def add_results(connection: sqlite3.Connection, key: tuple[str, str, str], entries: Iterable[Logged]) -> None:
    """Queue the full results of the snapshots among these entries.

    A snapshot does not say how its call ended; the reader of the log decides whether there was a result. A
    snapshot written by a model replaces an earlier one, whose result is already queued or stored. Results of
    document searches are not queued.
    """
    tenant, customer, conversation = key
    for ref, tool, at_ms in results_to_queue(conversation, entries):
        place = (tenant, customer, ref, "result", tool, "application/json", conversation, "")
        connection.execute(_ADD, (*place, at_ms, None, 0, at_ms, ""))


def results_to_queue(conversation: str, entries: Iterable[Logged]) -> Iterator[tuple[str, str, int]]:
    """The full results that an append queues: reference, tool, and time of their snapshot in Unix ms."""
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, Snapshot) and _is_new(entry):
            yield result_ref(conversation, logged.turn_id, entry.call_id), entry.tool_name, logged.at_ms


def _is_new(snapshot: Snapshot) -> bool:
    first = snapshot.made_by == "rule" and snapshot.result_summary is not None
    return first and snapshot.tool_name not in LOOKUPS


def next_row(
    connection: sqlite3.Connection, kinds: Sequence[DocumentKind], now_ms: int
) -> QueuedDocument | None:
    """The document of these kinds with the oldest due time."""
    row = connection.execute(_NEXT % ", ".join("?" * len(kinds)), (*kinds, now_ms)).fetchone()
    return _waiting(*row) if row is not None else None


def list_rows(
    connection: sqlite3.Connection, tenant: str | None, customer: str | None
) -> list[QueuedDocument]:
    """All waiting and failed documents, longest first; None: of any tenant or customer."""
    return [_waiting(*row) for row in connection.execute(_ALL, (tenant, customer))]


def waiting_documents(log: Path) -> list[QueuedDocument]:
    """All waiting and failed documents in a log's file, opened read-only; none if there is no such file.

    Raises ``StoreError`` if it cannot be read.
    """
    if not log.is_file():
        return []
    try:
        with closing(connect_to_read(log)) as file:
            return list_rows(file, None, None)
    except sqlite3.Error as error:
        raise StoreError(f"the queue of documents in {log} cannot be read: {error}") from error


def read_row(connection: sqlite3.Connection, number: int) -> Document | None:
    """The queued document with this number."""
    return _document(connection.execute(_READ, (number,)).fetchone())


def find_row(connection: sqlite3.Connection, tenant: str, customer: str, ref: str) -> Document | None:
    """The document, if this customer may read it."""
    return _document(connection.execute(_GET, (tenant, ref, customer)).fetchone())


def _waiting(
    number: int, tenant: str, due_ms: int | None, tries: int, problem: str, *listed: object
) -> QueuedDocument:
    fields = cast("dict[str, Any]", dict(zip(_LISTED.split(", "), listed, strict=True)))
    return QueuedDocument(
        number=number,
        tenant=tenant,
        due_ms=due_ms,
        tries=tries,
        problem=problem,
        listed=DocumentInfo(passages=0, **fields),
    )


def _document(row: Sequence[object] | None) -> Document | None:
    if row is None:
        return None
    return Document(**cast("dict[str, Any]", dict(zip(_DOCUMENT.split(", "), row, strict=True))))


_PATIENCE_MS = 1_000

_PUT_OFF = "UPDATE writes SET tries = tries + 1, problem = ?, due_ms = ? WHERE number = ?"
_REMOVE = "DELETE FROM writes WHERE number = ?"
_DELETE = "DELETE FROM writes WHERE tenant = ? AND ref = ?"
_ERASE = "DELETE FROM writes WHERE tenant = ? AND customer = ? RETURNING ref"
_EXPIRE = "DELETE FROM writes WHERE expires_ms <= ?"


class SqliteWriteQueue:
    """The queue as a table in the log's file, so that a result is queued when its snapshot is stored.

    It has its own thread, which answers in order. A write is on disk when it returns. Permanently deleted data
    is overwritten in the file and in the journal.

    Args:
        path: the log's file, which a :class:`SqliteLog` has opened before.

    Raises:
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            file = connect(path)
        except sqlite3.Error as error:
            raise StoreError(f"the queue of documents in {path} cannot be opened: {error}") from error
        self._connection = ThreadBoundConnection(file, "writes", "the queue of documents")

    async def add(self, document: Document, now_ms: int) -> None:
        """Queue a document and replace the one with its ``ref``; on disk when this returns."""
        await self._connection.ask(lambda file: insert_row(file, document, now_ms))

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """The document of these kinds with the oldest due time; None if none is due."""
        return await self._connection.ask(lambda file: next_row(file, kinds, now_ms))

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """All waiting and all failed documents, longest first: of one customer, or of all if None."""
        return await self._connection.ask(lambda file: list_rows(file, tenant, customer))

    async def read(self, number: int) -> Document | None:
        """The whole waiting document with this number; None if it is no longer queued."""
        return await self._connection.ask(lambda file: read_row(file, number))

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document, if it waits or has failed and this customer may read it."""
        return await self._connection.ask(lambda file: find_row(file, tenant, customer, ref))

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """Record a failure. The document is tried again at ``due_ms``, or never if None."""
        await self._connection.ask(lambda file: file.execute(_PUT_OFF, (problem, due_ms, number)))

    async def remove(self, number: int) -> None:
        """Remove a document from the queue. Does nothing if it is not queued."""
        await self._connection.ask(lambda file: file.execute(_REMOVE, (number,)))

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a queued document permanently. Returns whether it existed."""
        return (
            await self._connection.ask(
                lambda file: _empty_journal_after(file, file.execute(_DELETE, (tenant, ref)).rowcount)
            )
            > 0
        )

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Delete all queued documents of a customer permanently; returns their references."""

        def erase(file: sqlite3.Connection) -> list[str]:
            refs = [ref for (ref,) in file.execute(_ERASE, (tenant, customer)).fetchall()]
            _empty_journal_after(file, len(refs))
            return refs

        return await self._connection.ask(erase)

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        return await self._connection.ask(
            lambda file: _empty_journal_after(file, file.execute(_EXPIRE, (now_ms,)).rowcount)
        )

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._connection.close()


def _empty_journal_after(file: sqlite3.Connection, number: int) -> int:
    """Also empty the journal, unless nothing was deleted: it contains the earlier content of the file.

    This fails while there are always readers; the next deletion tries again.
    """
    if number:
        with suppress(StoreError):
            empty_journal(file, _PATIENCE_MS)
    return number
