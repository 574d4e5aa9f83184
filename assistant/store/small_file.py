"""One small SQLite file that survives a crash."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from assistant.errors import DeclarationError, LogError

T = TypeVar("T")


class SmallFile:
    """Asked by a thread of its own, in the order in which questions come. What is written is durable at once.

    Args:
        path: the file; made when it does not exist, readable by its owner alone. Its folder must be there.
        tables: the SQL that makes what it has not yet got.
        kept: what it keeps, as errors call it ("used tokens").

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path, tables: str, kept: str) -> None:
        self._kept = kept
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=kept)
        try:
            path.touch(mode=0o600)
            self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
            self._file.executescript(tables)
        except (OSError, sqlite3.Error) as error:
            raise DeclarationError(f"{path} cannot be used: {error}; is ASSISTANT_DATA_DIR right?") from error

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """What the question finds, or does. Raises ``LogError`` when the file fails, or is closed."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._file)
        except (sqlite3.Error, RuntimeError) as error:  # the latter: it is closed
            raise LogError(f"{self._kept} cannot be kept: {error}") from error

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()
