"""Which sign-in tokens have been used, in one small SQLite file."""

import sqlite3
from pathlib import Path

from assistant.store.small_file import SmallFile

_TABLE = """
CREATE TABLE IF NOT EXISTS used (id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS used_until ON used (until_ms);
"""


class UsedTokens:
    """Remembers used tokens until they would be refused for their age. It survives a crash.

    Args:
        path: the file; made when it does not exist, readable by its owner alone. Its folder must be there.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SmallFile(path, _TABLE, "used tokens")

    async def use(self, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Note that a token is used, until ``until_ms``; whether it is the first time.

        Durable when it returns. Raises ``LogError`` when it cannot be kept: then believe nobody.
        """

        def note(file: sqlite3.Connection) -> bool:
            file.execute("DELETE FROM used WHERE until_ms <= ?", (now_ms,))
            noted = file.execute("INSERT OR IGNORE INTO used VALUES (?, ?)", (token_id, until_ms))
            return noted.rowcount == 1

        return await self._file.ask(note)

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        await self._file.close()
