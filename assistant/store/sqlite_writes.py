"""The queue of documents that wait to be written, in the log's own file."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from assistant.conversation.documents import Document, DocumentKind
from assistant.conversation.writes import Waiting
from assistant.errors import StoreError
from assistant.store import sqlite_write_rows as rows
from assistant.store.connection import connect
from assistant.store.documents.journal import fold_the_journal

T = TypeVar("T")

_PATIENCE_MS = 1_000

_PUT_OFF = "UPDATE writes SET tries = tries + 1, problem = ?, due_ms = ? WHERE number = ?"
_REMOVE = "DELETE FROM writes WHERE number = ?"
_DELETE = "DELETE FROM writes WHERE tenant = ? AND ref = ?"
_ERASE = "DELETE FROM writes WHERE tenant = ? AND customer = ? RETURNING ref"
_EXPIRE = "DELETE FROM writes WHERE expires_ms <= ?"


class SqliteWrites:
    """The queue as a table beside the entries, so that a result waits in the very moment its snapshot is kept.

    Asked by a thread of its own, in the order in which questions come. What it is told is on the disk when it
    returns, and what is deleted for good is overwritten there, and in the journal.

    Args:
        path: the log's file, which a :class:`SqliteLog` has opened before.

    Raises:
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._file = connect(path)
        except sqlite3.Error as error:
            raise StoreError(f"the queue of documents in {path} cannot be opened: {error}") from error
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="writes")
        self._closed = False

    async def add(self, document: Document, now_ms: int) -> None:
        """Let a document wait, in place of the one with its ``ref``; durable when it returns."""
        await self._ask(lambda file: rows.add(file, document, now_ms))

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> Waiting | None:
        """Of these kinds the one that has been due the longest; None while none is."""
        return await self._ask(lambda file: rows.next_due(file, kinds, now_ms))

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[Waiting]:
        """All that waits or has failed for good, longest first: of one customer alone, or of all for None."""
        return await self._ask(lambda file: rows.waiting(file, tenant, customer))

    async def read(self, number: int) -> Document | None:
        """The document that waits under this number, whole; None when it does not any more."""
        return await self._ask(lambda file: rows.read(file, number))

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, whole, if it waits or has failed, and this customer may read it."""
        return await self._ask(lambda file: rows.get(file, tenant, customer, ref))

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """It failed: not again before then; None: never again."""
        await self._ask(lambda file: file.execute(_PUT_OFF, (problem, due_ms, number)))

    async def remove(self, number: int) -> None:
        """It need not wait any longer; nothing happens when it does not."""
        await self._ask(lambda file: file.execute(_REMOVE, (number,)))

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget a document for good; whether it was there."""
        return (
            await self._ask(lambda file: _for_good(file, file.execute(_DELETE, (tenant, ref)).rowcount)) > 0
        )

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Forget all that waits of a customer, for good; gives the documents' references."""

        def erase(file: sqlite3.Connection) -> list[str]:
            refs = [ref for (ref,) in file.execute(_ERASE, (tenant, customer)).fetchall()]
            _for_good(file, len(refs))
            return refs

        return await self._ask(erase)

    async def expire(self, now_ms: int) -> int:
        """Forget what has expired, for good; gives the number of documents."""
        return await self._ask(lambda file: _for_good(file, file.execute(_EXPIRE, (now_ms,)).rowcount))

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._file)
        except (sqlite3.Error, RuntimeError) as error:  # the latter: the thread is gone, the queue is closed
            raise StoreError(f"the queue of documents did not answer: {error}") from error


def _for_good(file: sqlite3.Connection, number: int) -> int:
    """Empty the journal too, unless nothing was deleted: it holds what the file held before.

    While somebody reads all the time, it cannot be; then whoever deletes next does it.
    """
    if number:
        with suppress(StoreError):
            fold_the_journal(file, _PATIENCE_MS)
    return number
