"""The log in one SQLite file: durable, without a server. One thread writes, with one commit for many callers."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryFile
from typing import Generic, Literal, TypeAlias, TypeVar

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.snapshots import Aging
from assistant.errors import DeclarationError, LogError
from assistant.storage_ports import Numbering
from assistant.store.sqlite.erasure import erase_customer, forget_conversations, thin_out
from assistant.store.sqlite.file import connect, migrate
from assistant.store.sqlite.last_append import LastAppend, check_nothing_is_lost
from assistant.store.sqlite.log_rows import (
    Addition,
    encode_addition,
    keep_addition,
    list_conversations,
    list_unfinished,
    list_visitors,
    read_entries,
    read_numbering,
)

Item = TypeVar("Item")
Verdict: TypeAlias = LogError | None
"""The result of one item: an error, or None when it is stored."""

_Kept: TypeAlias = "asyncio.Future[None]"
_Waiting: TypeAlias = tuple[Item, asyncio.AbstractEventLoop, _Kept]


class GroupCommit(Generic[Item]):
    """Passes items to ``write`` in order, in batches, in the one writing thread.

    While a batch is written, the next batch collects. The callers of a batch are woken together, with one call
    for each event loop, because waking takes longer than writing.

    Args:
        write: stores a batch, in the writing thread, and returns one result for each item, in order.
    """

    def __init__(self, write: Callable[[Sequence[Item]], Sequence[Verdict]]) -> None:
        self._write = write
        self._gathered: SimpleQueue[_Waiting[Item] | None] = SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        # A daemon thread, so that a process that does not close it can end: acknowledged items are on the disk.
        self._thread = threading.Thread(target=self._write_batches, name="log-writer", daemon=True)
        self._thread.start()

    async def add(self, item: Item) -> None:
        """Return when the item is stored. If cancelled, it may be stored anyway.

        Raises:
            LogError: it is not stored; the error of ``write``.
        """
        loop = asyncio.get_running_loop()
        kept = loop.create_future()
        with self._closing:  # otherwise an item could follow the last one, and wait forever
            if self._closed:
                raise LogError("the log is closed")
            self._gathered.put((item, loop, kept))
        _notify_virtual_loop(loop, "thread_begins")
        await kept

    async def close(self) -> None:
        """Write the waiting items and end the thread."""
        with self._closing:
            self._closed = True
            self._gathered.put(None)
        await asyncio.to_thread(self._thread.join)

    def _write_batches(self) -> None:
        while batch := self._next_batch():
            verdicts = self._verdicts([item for item, _, _ in batch])
            _wake_callers(batch, verdicts)

    def _next_batch(self) -> list[_Waiting[Item]]:
        """All collected items, at least one; empty when the last item has been written."""
        batch: list[_Waiting[Item]] = []
        waiting = self._gathered.get()
        while waiting is not None:
            batch.append(waiting)
            if self._gathered.empty():
                return batch
            waiting = self._gathered.get()
        if batch:
            self._gathered.put(None)  # the end, for the next call
        return batch

    def _verdicts(self, items: Sequence[Item]) -> Sequence[Verdict]:
        try:
            return self._write(items)
        except Exception as error:
            # After any error, no caller may wait forever, and the thread must continue.
            verdict = LogError(f"the log could not be written: {error}")
            verdict.__cause__ = error
            return [verdict] * len(items)


def _wake_callers(batch: Sequence[_Waiting[Item]], verdicts: Sequence[Verdict]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Kept, Verdict]]] = {}
    for (_, loop, kept), verdict in zip(batch, verdicts, strict=True):
        by_loop.setdefault(loop, []).append((kept, verdict))
    for loop, theirs in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed, together with its callers
            loop.call_soon_threadsafe(_set_results, loop, theirs)


def _set_results(loop: asyncio.AbstractEventLoop, verdicts: Sequence[tuple[_Kept, Verdict]]) -> None:
    for kept, verdict in verdicts:
        _notify_virtual_loop(loop, "thread_ends")
        if kept.done():  # the caller was cancelled
            continue
        if verdict is None:
            kept.set_result(None)
        else:
            kept.set_exception(verdict)


def _notify_virtual_loop(
    loop: asyncio.AbstractEventLoop, what: Literal["thread_begins", "thread_ends"]
) -> None:
    """Tell a loop in virtual time that a thread works for it; otherwise it jumps past the disk's answer."""
    if tell := getattr(loop, what, None):
        tell()


T = TypeVar("T")

_NOTHING = Addition(("", "", ""), (), ())
_WRITE_NOTHING = "UPDATE erasures SET count = count"
"""Changes nothing, but is written to the disk like a change."""

_ROOM = 1 << 20
"""Bytes that must be free on the disk; with less, the log counts as full."""


class SqliteLog:
    """All conversations in one file, written by one thread and read by another.

    Appended entries survive a crash of the process and of the machine: each commit is on disk before its
    callers are told. Opening takes a moment; do it at start-up.

    Args:
        path: the file; it and its folder are created if they do not exist, readable by their owner alone.

    Raises:
        DeclarationError: the file is no log, a newer release wrote it, it cannot be written, or it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = _open(path)
        self._reader = connect(path)
        self._closed = False
        self._last = LastAppend(path)
        self._commits = GroupCommit(self._write)
        # One is enough: reading is mostly decoding, and two threads cannot decode at the same time.
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="log-reader")

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store all of these entries or none; they are on disk when this returns. Raises the port's errors."""
        if entries:
            await self._commits.add(encode_addition(key, entries))

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order. Empty for an unknown conversation."""
        return await self.ask(lambda reader: read_entries(reader, key, after))

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        return await self.ask(lambda reader: list_conversations(reader, tenant, customer))

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for an agent.

        The last turn has no end, or the last customer message has neither a turn nor an agent, or a handoff has
        not ended.
        """
        return await self.ask(list_unfinished)

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors who were identified as this customer, in any order."""
        return await self.ask(lambda reader: list_visitors(reader, tenant, customer))

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Distinguishes this conversation's entries from others that had the same numbers."""
        return await self.ask(lambda reader: read_numbering(reader, key))

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer permanently; see the port. Appends wait for it."""
        return await asyncio.to_thread(erase_customer, self._path, tenant, customer)

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase ended conversations without an entry after ``before_ms``; see the port."""
        return await asyncio.to_thread(forget_conversations, self._path, before_ms, keep, tenant)

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from entries older than ``before_ms``; see the port."""
        return await asyncio.to_thread(thin_out, self._path, what, before_ms, tenant)

    async def check_writable(self) -> None:
        """Raises ``LogError`` if the disk has no room, or if a test write fails."""
        try:
            await asyncio.to_thread(_make_room, self._path.parent)
        except OSError as error:
            raise LogError(f"the log could not be written: {error.strerror}") from error
        await self._commits.add(_NOTHING)

    async def close(self) -> None:
        """Finish pending work, write the journal into the file and close it."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._reading, self._reader.close)
        self._reading.shutdown()
        await self._commits.close()
        await asyncio.to_thread(self._writer.close)
        self._last.close()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Call ``question`` with the reading connection, in its thread. Raises ``LogError``."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reading, question, self._reader)
        except (sqlite3.Error, RuntimeError) as error:  # the latter: the thread has ended, the log is closed
            raise LogError(f"the log could not be read: {error}") from error

    def _write(self, additions: Sequence[Addition]) -> Sequence[Verdict]:
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            verdicts = [self._keep(new) for new in additions]
            self._writer.execute("COMMIT")
        except Exception as error:
            if self._writer.in_transaction:  # some errors have ended it already
                self._writer.execute("ROLLBACK")
            if len(additions) == 1:
                return [LogError(f"the log could not be written: {error}")]
            # One of them may be the cause: alone, each caller gets only its own error.
            return [verdict for new in additions for verdict in self._write([new])]
        for new, verdict in zip(reversed(additions), reversed(verdicts), strict=True):
            if verdict is None and new.entries:
                self._last.note(new.key, new.entries[-1].seq)
                break
        return verdicts

    def _keep(self, new: Addition) -> Verdict:
        if not new.entries:
            self._writer.execute(_WRITE_NOTHING)
            return None
        try:
            keep_addition(self._writer, new)
        except LogError as refusal:
            return refusal
        return None


def _make_room(folder: Path) -> None:
    """Reserve space for the next appends: write data of that size, and remove it. Raises ``OSError``."""
    with TemporaryFile(dir=folder, buffering=0) as file:
        written = 0
        while written < _ROOM:  # the next attempt reports a write that did not fit
            written += file.write(bytes(_ROOM - written))


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            check_nothing_is_lost(path)
        path.touch(mode=0o600)
        connection = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise DeclarationError(f"{path} cannot be opened: {error}; is ASSISTANT_DATA_DIR right?") from error
    try:
        migrate(connection, str(path))
    except sqlite3.Error as error:
        connection.close()
        raise DeclarationError(
            f"{path} cannot be used: {error}; is there room on the disk, and can it be written?"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection
