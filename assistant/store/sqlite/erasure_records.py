"""Stores the records for erasure in the log's file: paths of recordings, commitments of receipts."""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from assistant.conversation.customer import ConversationKey
from assistant.store.sqlite.file import ask_file
from assistant.store.storage import Recording

T = TypeVar("T")

_NOTE = (
    "INSERT OR IGNORE INTO recordings (tenant, customer, conversation, path, place) VALUES (?, ?, ?, ?, '')"
)
_ORPHANED = (
    "SELECT path, place FROM recordings WHERE (?1 IS NULL OR tenant = ?1)"
    " AND NOT EXISTS (SELECT 1 FROM conversations WHERE"
    " conversations.tenant = recordings.tenant AND conversations.customer = recordings.customer"
    " AND conversations.conversation = recordings.conversation) ORDER BY path, place"
)
_DELETE = "DELETE FROM recordings WHERE path = ?1 AND place = ?3 AND (?2 IS NULL OR tenant = ?2)"
_OF = "SELECT path, place FROM recordings WHERE tenant = ? AND customer = ? ORDER BY path, place"
_KEEP = "INSERT OR IGNORE INTO commitments VALUES (?, ?)"


class SqliteErasureRecords:
    """The records, in the log's file. New recordings are on this machine.

    They are used rarely, so each method opens the file, in a thread.

    Args:
        path: the log's file, which a :class:`SqliteLog` has opened before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def note_recording(self, key: ConversationKey, recording: Recording) -> None:
        """Record that this file contains a recording of the conversation; it replaces the earlier record of the
        file.
        """
        row = (key.tenant, key.customer, key.conversation, str(recording.path.resolve()))

        def note(connection: sqlite3.Connection) -> None:
            connection.execute(_DELETE, (row[-1], None, ""))
            connection.execute(_NOTE, row)

        await self._ask(note)

    async def recordings(self, tenant: str, customer: str) -> list[Recording]:
        """The files with recordings of this customer's conversations, sorted."""
        rows = await self._ask(lambda connection: connection.execute(_OF, (tenant, customer)).fetchall())
        return [Recording(Path(path), place) for path, place in rows]

    async def orphaned_recordings(self, tenant: str | None = None) -> list[Recording]:
        """Recordings of deleted conversations, sorted: of this tenant, or of all if None."""
        rows = await self._ask(lambda connection: connection.execute(_ORPHANED, (tenant,)).fetchall())
        return [Recording(Path(path), place) for path, place in rows]

    async def forget_recording(self, recording: Recording, tenant: str | None = None) -> None:
        """Remove the record of a recording: of this tenant, or of any if None."""
        values = (str(recording.path), tenant, recording.place)
        await self._ask(lambda connection: connection.execute(_DELETE, values))

    async def keep_commitments(self, commitments: Sequence[bytes], erased_ms: int) -> None:
        """Store commitments durably; one that is already stored stays unchanged."""
        if commitments:
            rows = [(each, erased_ms) for each in commitments]
            await self._ask(lambda connection: connection.executemany(_KEEP, rows))

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        return await ask_file(self._path, "the records for erasure", question)
