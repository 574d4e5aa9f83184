"""The canned replies of agents, in one small SQLite file."""

import sqlite3
from pathlib import Path

from assistant.staff.canned_replies import MOST_REPLIES, CannedReply
from assistant.store.sqlite.file import SqliteKeyValue

REPLIES_FILE = "replies.db"
"""The file's name in a data folder. It is made with the first reply."""

REPLIES_TABLE = """
CREATE TABLE IF NOT EXISTS canned_replies (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    locale     TEXT    NOT NULL,  -- '' for any language
    person     TEXT    NOT NULL,
    changed_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
"""

REPLY_COLUMNS = "tenant, id, title, text, locale, person, changed_ms"
ReplyRow = tuple[str, str, str, str, str, str, int]

_COUNT = "SELECT count(*) FROM canned_replies WHERE tenant = ? AND id <> ?"
_PUT = "INSERT OR REPLACE INTO canned_replies VALUES (?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM canned_replies WHERE tenant = ? AND id = ?"
_LIST = f"SELECT {REPLY_COLUMNS} FROM canned_replies WHERE tenant = ? ORDER BY title, id"  # noqa: S608 - constants


def reply_values(reply: CannedReply) -> ReplyRow:
    """A reply as a row."""
    return reply.tenant, reply.id, reply.title, reply.text, reply.locale, reply.by, reply.changed_ms


def reply_from(row: ReplyRow) -> CannedReply:
    """The inverse of :func:`reply_values`."""
    tenant, id_, title, text, locale, by, changed_ms = row
    return CannedReply(
        tenant=tenant, id=id_, title=title, text=text, locale=locale, by=by, changed_ms=changed_ms
    )


class SqliteCannedReplies:
    """The replies of a data folder. See the port :class:`assistant.staff.store.CannedReplyStore`.

    Args:
        path: the file. Its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, REPLIES_TABLE, "canned replies")

    async def put_reply(self, reply: CannedReply) -> bool:
        """Store a reply; returns False if there are too many."""

        def put(file: sqlite3.Connection) -> bool:
            (others,) = file.execute(_COUNT, (reply.tenant, reply.id)).fetchone()
            if others >= MOST_REPLIES:
                return False
            file.execute(_PUT, reply_values(reply))
            return True

        return await self._file.ask(put)

    async def delete_reply(self, tenant: str, reply_id: str) -> bool:
        """Delete a reply; returns whether there was one."""
        if not self._file.exists:
            return False
        return await self._file.ask(lambda file: file.execute(_DELETE, (tenant, reply_id)).rowcount == 1)

    async def list_replies(self, tenant: str) -> list[CannedReply]:
        """The tenant's replies, by title."""
        if not self._file.exists:
            return []

        def read(file: sqlite3.Connection) -> list[ReplyRow]:
            return file.execute(_LIST, (tenant,)).fetchall()

        return [reply_from(row) for row in await self._file.ask(read)]

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()
