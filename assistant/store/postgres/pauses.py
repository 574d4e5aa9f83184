"""What staff have paused, in a PostgreSQL database."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from assistant.staff.pauses import Pause, StoredKind
from assistant.store.postgres.database import ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Connection
from assistant.store.sqlite.pauses import PAUSE_COLUMNS, PauseRow, pause_from, pause_values

_ADD = f"""
INSERT INTO pauses ({PAUSE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING true
"""  # noqa: S608 - constants, as everywhere here
_END = "DELETE FROM pauses WHERE tenant = $1 AND kind = $2 AND name = $3 RETURNING true"
_LIST = f"""
SELECT {PAUSE_COLUMNS} FROM pauses WHERE tenant = $1 ORDER BY since_ms, kind COLLATE "C", name COLLATE "C"
"""  # noqa: S608


class PostgresPauses:
    """The pauses of a database. See the port :class:`assistant.staff.store.PauseStore`."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "what is paused cannot be kept")

    async def add_pause(self, pause: Pause) -> bool:
        """Store a pause; returns False if there is one already."""
        row = (storable(value) if isinstance(value, str) else value for value in pause_values(pause))
        async with self._seeing(pause.tenant) as connection:
            return await connection.fetchval(_ADD, *row) is True

    async def end_pause(self, tenant: str, kind: StoredKind, name: str) -> bool:
        """Delete a pause; returns whether there was one."""
        async with self._seeing(tenant) as connection:
            return await connection.fetchval(_END, tenant, kind, storable(name)) is True

    async def list_pauses(self, tenant: str) -> list[Pause]:
        """The tenant's pauses, oldest first."""
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_LIST, tenant)
        return [pause_from(cast("PauseRow", tuple(row.values()))) for row in rows]
