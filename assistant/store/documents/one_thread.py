"""One connection and the one thread that asks it, so that no question holds up the event loop."""

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from assistant.errors import StoreError

T = TypeVar("T")


class OneThread:
    """Asks in the order in which questions come.

    Args:
        file: nobody else may use this connection.
        name: the thread's.
    """

    def __init__(self, file: sqlite3.Connection, name: str) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._closed = False

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """What the question finds, or does. Cancelled, it may be done all the same.

        Raises:
            StoreError: the file fails, or is closed.
        """
        if self._closed:
            raise StoreError("the store of documents is closed")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._file)
        except sqlite3.Error as error:
            raise StoreError(f"the store of documents did not answer: {error}") from error

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()
