"""How people of the company work, in a PostgreSQL database."""

from contextlib import AbstractAsyncContextManager
from typing import cast

from assistant.staff.profiles import WorkProfile
from assistant.store.postgres.database import ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Connection
from assistant.store.sqlite.profiles import PROFILE_COLUMNS, ProfileRow, profile_from, profile_values

_INSERT = f"""
INSERT INTO work_profiles ({PROFILE_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant, account) DO UPDATE SET
"""  # noqa: S608 - constants, as everywhere here
_SAVE = (
    f"{_INSERT} teams = excluded.teams, skills = excluded.skills, capacity = excluded.capacity,"
    " away = excluded.away"
)
_NOTE = f"{_INSERT} here_ms = greatest(work_profiles.here_ms, excluded.here_ms)"
_LIST = f'SELECT {PROFILE_COLUMNS} FROM work_profiles WHERE tenant = $1 ORDER BY account COLLATE "C"'  # noqa: S608


class PostgresProfiles:
    """The profiles of a database. See the port :class:`assistant.staff.store.ProfileStore`."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "how people work cannot be kept")

    async def save_profile(self, profile: WorkProfile) -> None:
        """Store all but ``here_ms``, which only :meth:`note_presence` changes."""
        await self._write(_SAVE, profile)

    async def note_presence(self, tenant: str, account: str, at_ms: int) -> None:
        """Note that a page of this person is open."""
        await self._write(_NOTE, WorkProfile(tenant=tenant, account=account, here_ms=at_ms))

    async def list_profiles(self, tenant: str) -> list[WorkProfile]:
        """The tenant's profiles, by account."""
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_LIST, tenant)
        return [profile_from(cast("ProfileRow", tuple(row.values()))) for row in rows]

    async def _write(self, statement: str, profile: WorkProfile) -> None:
        row = (storable(value) if isinstance(value, str) else value for value in profile_values(profile))
        async with self._seeing(profile.tenant) as connection:
            await connection.execute(statement, *row)
