"""What staff have paused, in one small SQLite file."""

import sqlite3
from pathlib import Path

from assistant.staff.pauses import Pause, StoredKind
from assistant.store.sqlite.file import SqliteKeyValue

PAUSES_FILE = "pauses.db"
"""The file's name in a data folder. It is made with the first pause."""

PAUSES_TABLE = """
CREATE TABLE IF NOT EXISTS pauses (
    tenant   TEXT    NOT NULL,
    kind     TEXT    NOT NULL,  -- assistant, channel, tool, version
    name     TEXT    NOT NULL,  -- '' for the whole assistant
    account  TEXT    NOT NULL,
    person   TEXT    NOT NULL,
    since_ms INTEGER NOT NULL,
    why      TEXT    NOT NULL,
    PRIMARY KEY (tenant, kind, name)
) WITHOUT ROWID;
"""

PAUSE_COLUMNS = "tenant, kind, name, account, person, since_ms, why"
PauseRow = tuple[str, StoredKind, str, str, str, int, str]

_ADD = "INSERT OR IGNORE INTO pauses VALUES (?, ?, ?, ?, ?, ?, ?)"
_END = "DELETE FROM pauses WHERE tenant = ? AND kind = ? AND name = ?"
_LIST = f"SELECT {PAUSE_COLUMNS} FROM pauses WHERE tenant = ? ORDER BY since_ms, kind, name"  # noqa: S608 - constants


def pause_values(pause: Pause) -> PauseRow:
    """A pause as a row."""
    return pause.tenant, pause.kind, pause.name, pause.account, pause.by, pause.since_ms, pause.why


def pause_from(row: PauseRow) -> Pause:
    """The inverse of :func:`pause_values`."""
    tenant, kind, name, account, by, since_ms, why = row
    return Pause(tenant=tenant, kind=kind, name=name, account=account, by=by, since_ms=since_ms, why=why)


class SqlitePauses:
    """The pauses of a data folder. See the port :class:`assistant.staff.store.PauseStore`.

    Args:
        path: the file. Its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, PAUSES_TABLE, "what is paused")

    async def add_pause(self, pause: Pause) -> bool:
        """Store a pause; returns False if there is one already."""
        row = pause_values(pause)
        return await self._file.ask(lambda file: file.execute(_ADD, row).rowcount == 1)

    async def end_pause(self, tenant: str, kind: StoredKind, name: str) -> bool:
        """Delete a pause; returns whether there was one."""
        if not self._file.exists:
            return False
        return await self._file.ask(lambda file: file.execute(_END, (tenant, kind, name)).rowcount == 1)

    async def list_pauses(self, tenant: str) -> list[Pause]:
        """The tenant's pauses, oldest first."""
        if not self._file.exists:
            return []

        def read(file: sqlite3.Connection) -> list[PauseRow]:
            return file.execute(_LIST, (tenant,)).fetchall()

        return [pause_from(row) for row in await self._file.ask(read)]

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()
