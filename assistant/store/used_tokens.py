"""Which sign-in tokens have been used, in one small SQLite file."""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.errors import DeclarationError, LogError

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
        # One thread: whoever asks first is first.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="used-tokens")
        try:
            path.touch(mode=0o600)
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.executescript(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise DeclarationError(f"{path} cannot be used: {error}; is ASSISTANT_DATA_DIR right?") from error

    async def use(self, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Note that a token is used, until ``until_ms``; whether it is the first time.

        Durable when it returns. Raises ``LogError`` when it cannot be kept: then believe nobody.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, self._note, token_id, until_ms, now_ms
            )
        except (sqlite3.Error, RuntimeError) as error:  # the latter: it is closed
            raise LogError(f"used tokens cannot be kept: {error}") from error

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()

    def _note(self, token_id: str, until_ms: int, now_ms: int) -> bool:
        self._file.execute("DELETE FROM used WHERE until_ms <= ?", (now_ms,))
        noted = self._file.execute("INSERT OR IGNORE INTO used VALUES (?, ?)", (token_id, until_ms))
        return noted.rowcount == 1
