"""How people of the company work, in one small SQLite file."""

from pathlib import Path

from assistant.staff.profiles import WorkProfile
from assistant.store.sqlite.file import SqliteKeyValue

PROFILES_FILE = "profiles.db"
"""The file's name in a data folder. It is made when the first person opens the console."""

PROFILES_TABLE = """
CREATE TABLE IF NOT EXISTS work_profiles (
    tenant   TEXT    NOT NULL,
    account  TEXT    NOT NULL,
    teams    TEXT    NOT NULL,  -- with commas between
    skills   TEXT    NOT NULL,  -- so, too
    capacity INTEGER NOT NULL,
    away     INTEGER NOT NULL,
    here_ms  INTEGER NOT NULL,
    PRIMARY KEY (tenant, account)
) WITHOUT ROWID;
"""

PROFILE_COLUMNS = "tenant, account, teams, skills, capacity, away, here_ms"
ProfileRow = tuple[str, str, str, str, int, int, int]

_CONFLICT = "ON CONFLICT (tenant, account) DO UPDATE SET"
_SAVE = f"""
INSERT INTO work_profiles ({PROFILE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
{_CONFLICT} teams = excluded.teams, skills = excluded.skills, capacity = excluded.capacity, away = excluded.away
"""  # noqa: S608 - constants, as everywhere here
_NOTE = f"""
INSERT INTO work_profiles ({PROFILE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
{_CONFLICT} here_ms = max(work_profiles.here_ms, excluded.here_ms)
"""  # noqa: S608
_LIST = f"SELECT {PROFILE_COLUMNS} FROM work_profiles WHERE tenant = ? ORDER BY account"  # noqa: S608


def profile_values(profile: WorkProfile) -> ProfileRow:
    """A profile as a row."""
    return (
        profile.tenant,
        profile.account,
        ",".join(profile.teams),
        ",".join(profile.skills),
        profile.capacity,
        int(profile.away),
        profile.here_ms,
    )


def profile_from(row: ProfileRow) -> WorkProfile:
    """The inverse of :func:`profile_values`."""
    tenant, account, teams, skills, capacity, away, here_ms = row
    return WorkProfile(
        tenant=tenant,
        account=account,
        teams=tuple(filter(None, teams.split(","))),
        skills=tuple(filter(None, skills.split(","))),
        capacity=capacity,
        away=bool(away),
        here_ms=here_ms,
    )


class SqliteProfiles:
    """The profiles of a data folder. See the port :class:`assistant.staff.store.ProfileStore`.

    Args:
        path: the file. Its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, PROFILES_TABLE, "how people work")

    async def save_profile(self, profile: WorkProfile) -> None:
        """Store all but ``here_ms``, which only :meth:`note_presence` changes."""
        row = profile_values(profile)
        await self._file.ask(lambda file: file.execute(_SAVE, row))

    async def note_presence(self, tenant: str, account: str, at_ms: int) -> None:
        """Note that a page of this person is open."""
        row = profile_values(WorkProfile(tenant=tenant, account=account, here_ms=at_ms))
        await self._file.ask(lambda file: file.execute(_NOTE, row))

    async def list_profiles(self, tenant: str) -> list[WorkProfile]:
        """The tenant's profiles, by account."""
        if not self._file.exists:
            return []
        rows = await self._file.ask(lambda file: file.execute(_LIST, (tenant,)).fetchall())
        return [profile_from(row) for row in rows]

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()
