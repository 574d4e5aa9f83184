"""Runs third-party code in a thread, and abandons it when it takes too long."""

import asyncio
import ctypes
import sys
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from types import FrameType
from typing import Generic, ParamSpec, TypeVar

from assistant.ports import Clock

P = ParamSpec("P")
T = TypeVar("T")


class TookTooLong(SystemExit):
    """Raised inside code that takes too long; a tool's own ``except Exception`` does not catch it."""

    def __str__(self) -> str:
        return "it takes too long"


async def in_time(work: Callable[[], T], longest_s: float, clock: Clock, *, interrupts: bool = True) -> T:
    """Run ``work`` with a time limit and return its result. A cancellation also ends it.

    The thread is a daemon, so the process can end even if the thread hangs in the operating system.

    Args:
        work: runs in a thread.
        longest_s: after this many seconds ``TookTooLong`` is raised in the thread; after twice as many, the
            thread is abandoned.
        clock: measures the time.
        interrupts: False if only the operating system can delay the work: then it is only abandoned.

    Raises:
        TimeoutError: the work was stopped, or it could not be stopped and still runs.
    """
    thread = _Thread(work, interrupts=interrupts)
    done = asyncio.get_running_loop().run_in_executor(_DaemonThreads(), thread.run)
    done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # mark the exception as read
    try:
        for _ in range(2):
            try:
                async with clock.timeout(longest_s):
                    return await asyncio.shield(done)
            except TimeoutError:
                if done.done():
                    raise
                thread.interrupt()
        raise TimeoutError("waits for something while it is read; nothing may wait at import")
    finally:
        thread.interrupt()


class _DaemonThreads(Executor):
    """Starts a daemon thread for each call; the process does not wait for these threads when it ends."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Start the call immediately."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="in-time", daemon=True).start()
        return future


class _Thread(Generic[T]):
    """A call, and the thread that runs it."""

    def __init__(self, work: Callable[[], T], *, interrupts: bool) -> None:
        self._work, self._interrupts = work, interrupts
        self._at_it: int | None = None
        self._lock = threading.Lock()

    def run(self) -> T:
        """Run the call. Raises ``TimeoutError`` if it was interrupted."""
        try:
            with self._lock:
                self._at_it = threading.get_ident()
            try:
                return self._work()
            finally:
                self._finish()
        except TookTooLong as error:
            raise TimeoutError(str(error)) from error

    def _finish(self) -> None:
        """Refuse further interrupts. A late interrupt is raised here, and not in the code that ends the thread.

        `PyThreadState_SetAsyncExc` cannot cancel an interrupt: Python 3.11 would then check for signals at each
        step permanently, and hang while a debugger or a coverage tool traces the thread.
        """
        while True:
            try:
                with self._lock:
                    self._at_it = None
                for _ in range(2):  # Python raises the exception at a jump
                    pass
            except TookTooLong:
                continue
            return

    def interrupt(self) -> None:
        """Raise ``TookTooLong`` in the thread at its next Python step; does nothing if it has ended or allows
        no interrupts.
        """
        with self._lock:
            if self._at_it is not None and self._interrupts:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(self._at_it), ctypes.py_object(TookTooLong)
                )


@contextmanager
def named_when_slow(folder: str, every_s: float, tell: Callable[[str], None]) -> Generator[None]:
    """While the block runs, call ``tell`` every ``every_s`` seconds with the line that this thread is
    executing, as file and number. Only files in the folder are named.
    """
    thread, over = threading.get_ident(), threading.Event()

    def look() -> None:
        while not over.wait(every_s):
            frame = sys._current_frames().get(thread)
            if (line := _line_in(folder, frame)) is not None:
                tell(line)

    threading.Thread(target=look, name="named-when-slow", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _line_in(folder: str, frame: FrameType | None) -> str | None:
    while frame is not None and not frame.f_code.co_filename.startswith(folder):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else None
