"""The canned replies of agents, in a PostgreSQL database."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from assistant.staff.canned_replies import MOST_REPLIES, CannedReply
from assistant.store.postgres.database import ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Connection
from assistant.store.sqlite.canned_replies import REPLY_COLUMNS, ReplyRow, reply_from, reply_values

_PUT = f"""
INSERT INTO canned_replies ({REPLY_COLUMNS})
SELECT $1, $2, $3, $4, $5, $6, $7
WHERE (SELECT count(*) FROM canned_replies WHERE tenant = $1 AND id <> $2) < {MOST_REPLIES}
ON CONFLICT (tenant, id) DO UPDATE SET title = excluded.title, text = excluded.text,
    locale = excluded.locale, person = excluded.person, changed_ms = excluded.changed_ms
RETURNING true
"""  # noqa: S608 - constants, as everywhere here
_DELETE = "DELETE FROM canned_replies WHERE tenant = $1 AND id = $2 RETURNING true"
_LIST = f"""
SELECT {REPLY_COLUMNS} FROM canned_replies WHERE tenant = $1 ORDER BY title COLLATE "C", id COLLATE "C"
"""  # noqa: S608


class PostgresCannedReplies:
    """The replies of a database. See the port :class:`assistant.staff.store.CannedReplyStore`."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "canned replies cannot be kept")

    async def put_reply(self, reply: CannedReply) -> bool:
        """Store a reply; returns False if there are too many."""
        row = (storable(value) if isinstance(value, str) else value for value in reply_values(reply))
        async with self._seeing(reply.tenant) as connection:
            return await connection.fetchval(_PUT, *row) is True

    async def delete_reply(self, tenant: str, reply_id: str) -> bool:
        """Delete a reply; returns whether there was one."""
        async with self._seeing(tenant) as connection:
            return await connection.fetchval(_DELETE, tenant, storable(reply_id)) is True

    async def list_replies(self, tenant: str) -> list[CannedReply]:
        """The tenant's replies, by title."""
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_LIST, tenant)
        return [reply_from(cast("ReplyRow", tuple(row.values()))) for row in rows]
