"""The log in one SQLite file: durable, without a server."""

import asyncio
import sqlite3
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from assistant.conversation.entries import Logged
from assistant.conversation.people import ConversationKey
from assistant.conversation.thinned import Aging
from assistant.errors import DeclarationError, LogError
from assistant.store import sqlite_erasure, sqlite_rows
from assistant.store.connection import connect
from assistant.store.group_commit import GroupCommit, Verdict
from assistant.store.schema import bring_up_to_date
from assistant.store.sqlite_rows import Addition

T = TypeVar("T")


class SqliteLog:
    """Every conversation in one file, written by one thread and read by another.

    What was appended survives a crash of the process and of the machine: each commit is on the disk before
    its callers are told. Opening takes a moment; do it at start-up.

    Args:
        path: the file; it and its folder are made when they do not exist, readable by their owner alone.

    Raises:
        DeclarationError: this is no log, or a newer release's, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer = _open(path)
        self._reader = connect(path)
        self._closed = False
        self._commits = GroupCommit(self._write)
        # One is enough: reading is mostly decoding, and two threads cannot decode at the same time.
        self._reading = ThreadPoolExecutor(max_workers=1, thread_name_prefix="log-reader")

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Keep these entries, all or none; durable when it returns. Raises as the port says."""
        if entries:
            await self._commits.add(sqlite_rows.addition(key, entries))

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order. Unknown conversations are empty."""
        return await self._ask(lambda reader: sqlite_rows.read(reader, key, after))

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        return await self._ask(lambda reader: sqlite_rows.conversations(reader, tenant, customer))

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for a person.

        The last turn has no end, the last customer message neither turn nor person, or a handoff has not ended.
        """
        return await self._ask(sqlite_rows.unfinished)

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors in whose conversations it turned out that they are this customer, in no order."""
        return await self._ask(lambda reader: sqlite_rows.visitors(reader, tenant, customer))

    async def erasures(self) -> int:
        """How often something was erased here or forgotten."""
        return await self._ask(sqlite_rows.erasures)

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer for good; see the port. Appends wait a moment for it."""
        return await asyncio.to_thread(sqlite_erasure.erase_customer, self._path, tenant, customer)

    async def forget(self, before_ms: int, keep: Collection[ConversationKey] = ()) -> int:
        """Erase the conversations that are over and in which nothing has happened since; see the port."""
        return await asyncio.to_thread(sqlite_erasure.forget_conversations, self._path, before_ms, keep)

    async def thin_out(self, what: Aging, before_ms: int) -> int:
        """Take out of entries from before that time what is no longer to be kept; see the port."""
        return await asyncio.to_thread(sqlite_erasure.thin_out, self._path, what, before_ms)

    async def close(self) -> None:
        """Finish what is under way, fold the journal into the file and let go of it."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._reading, self._reader.close)
        self._reading.shutdown()
        await self._commits.close()
        await asyncio.to_thread(self._writer.close)

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._reading, question, self._reader)
        except (sqlite3.Error, RuntimeError) as error:  # the latter: the thread is gone, the log is closed
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
            # One of them may be to blame: alone, each pays for itself only.
            return [verdict for new in additions for verdict in self._write([new])]
        return verdicts

    def _keep(self, new: Addition) -> Verdict:
        try:
            sqlite_rows.keep(self._writer, new)
        except LogError as refusal:
            return refusal
        return None


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        connection = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise DeclarationError(f"{path} cannot be opened: {error}; is ASSISTANT_DATA_DIR right?") from error
    try:
        bring_up_to_date(connection, str(path))
    except BaseException:
        connection.close()
        raise
    return connection
