"""Runs in a thread what may never end, because others wrote it; and ends it when it takes too long."""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from assistant.ports import Clock

T = TypeVar("T")


class TookTooLong(SystemExit):
    """Raised in the middle of what takes too long; a tool's own ``except Exception`` does not stop it."""

    def __str__(self) -> str:
        return "it takes too long"


async def in_time(
    work: Callable[[], T], longest_s: float, clock: Clock, late: Callable[[], None] = lambda: None
) -> T:
    """What ``work`` gives. Cancelling ends it, too.

    Args:
        work: done in a thread.
        longest_s: after so many seconds, and again and again, ``TookTooLong`` is raised in it.
        clock: measures them.
        late: called when that did not help, as where it waits for something outside of Python.

    Raises:
        TimeoutError: it was ended.
    """
    thread, times = _Thread(work), 0
    done = asyncio.get_running_loop().run_in_executor(None, thread.run)
    done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody may ask any more
    try:
        while True:
            try:
                async with clock.timeout(longest_s):
                    return await asyncio.shield(done)
            except TimeoutError:
                if done.done():
                    raise
                times += 1
                thread.interrupt()
            if times == 2:
                late()
    finally:
        thread.interrupt()


class _Thread(Generic[T]):
    """Some work, and the thread that is at it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._at_it: int | None = None
        self._lock = threading.Lock()

    def run(self) -> T:
        """Do it. Raises ``TimeoutError`` when it was interrupted."""
        try:
            with self._lock:
                self._at_it = threading.get_ident()
            try:
                return self._work()
            finally:
                # The thread has other work to do after this.
                with self._lock:
                    self._at_it = None
        except TookTooLong as error:
            raise TimeoutError(str(error)) from error

    def interrupt(self) -> None:
        """Raise ``TookTooLong`` in it, as soon as it runs Python; nothing when it has ended."""
        with self._lock:
            if self._at_it is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._at_it), ctypes.py_object(TookTooLong)
                )
