"""Virtual time: an event loop that jumps to the next timer when nothing else is ready.

In a ``conftest.py``, this runs each coroutine test of the folder in virtual time::

    def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
        return {"virtual": VirtualLoop}

Elsewhere, use ``run_virtually(main())`` in place of ``asyncio.run(main())``.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, TypeVar, TypeVarTuple

from assistant.clock import LoopWaits

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MONDAY_MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
"""The default start of a virtual clock."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose ``time()`` begins at 0 and jumps to the next timer when nothing else is ready.

    Sockets and threads work as usual. While a thread of an executor works for this loop, virtual time stops,
    so that no timeout ends before the thread's answer. If the thread takes longer than a quarter of a second,
    it is assumed to hang, and time continues at its real speed. If you run threads in another way, report
    them with ``thread_begins`` and ``thread_ends``, or do not wait for them together with a timer. The same
    applies to other processes.
    """

    def __init__(self) -> None:
        self._virtual_s = 0.0
        self._busy_threads = 0
        self._busy_since = 0.0
        self._threads: ThreadPoolExecutor | None = None
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Returns seconds since the loop was made, in virtual time."""
        return self._virtual_s

    def pass_time(self, seconds: float) -> None:
        """Advance virtual time."""
        self._virtual_s += seconds

    def real_time(self) -> float:
        """Returns seconds from an arbitrary start, in real time."""
        return super().time()

    def thread_begins(self) -> None:
        """Report that a thread works for this loop. Call it in the loop's thread."""
        if not self._busy_threads:
            self._busy_since = self.real_time()
        self._busy_threads += 1

    def thread_ends(self) -> None:
        """Report that a thread has finished. Call it in the loop's thread."""
        self._busy_threads -= 1

    def busy_s(self) -> float | None:
        """Returns for how many seconds, in real time, any thread has been working for this loop, or None if
        no thread is.
        """
        return self.real_time() - self._busy_since if self._busy_threads else None

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run ``func`` in a thread, and stop virtual time meanwhile."""
        working = (executor or self._own_threads()).submit(func, *args)
        self.thread_begins()
        result = asyncio.wrap_future(working, loop=self)
        # The order matters: the result must reach the loop before time may jump again.
        working.add_done_callback(self._thread_returned)
        return result

    def _own_threads(self) -> Executor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(thread_name_prefix="virtual")
            self.set_default_executor(self._threads)
        return self._threads

    def _thread_returned(self, _: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop was closed without waiting for the thread
            self.call_soon_threadsafe(self.thread_ends)

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait for the threads in real time, without a limit."""
        self.thread_begins()
        try:
            await super().shutdown_default_executor()
        finally:
            self.thread_ends()


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for sockets only while something can happen; otherwise it lets the loop's time jump."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Returns the sockets that are ready within ``timeout`` seconds of virtual time. If ``timeout`` is
        None, there is no timer.
        """
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if (busy_s := self._loop.busy_s()) is not None:
            return self._wait_for_threads(busy_s, timeout)
        only_our_own = len(self.get_map()) == 1  # the socket with which threads wake the loop
        ready = super().select(0 if only_our_own else _PATIENCE_S)
        if not ready:
            self._loop.pass_time(timeout)
        return ready

    def _wait_for_threads(self, busy_s: float, timeout: float) -> list[tuple[selectors.SelectorKey, int]]:
        if busy_s < _HANGS_AFTER_S:
            return super().select(_HANGS_AFTER_S - busy_s)
        began = self._loop.real_time()
        ready = super().select(timeout)
        self._loop.pass_time(min(self._loop.real_time() - began, timeout))
        return ready


_HANGS_AFTER_S = 0.25
"""How long a thread may take in real time while virtual time stops."""

_PATIENCE_S = 0.001
"""How long, in real time, a jump of time waits for bytes that may be arriving at a socket."""


class VirtualClock(LoopWaits):
    """The Clock port with the running loop's time. Outside of a loop its time is the start.

    Args:
        start: the time when the loop's time is 0.
        zone: the company's time zone; by default that of ``start``.
    """

    def __init__(self, start: datetime = MONDAY_MORNING, zone: tzinfo | None = None) -> None:
        self._start = start.astimezone(zone or start.tzinfo)

    def now(self) -> datetime:
        """Returns the current time, with the company's time zone."""
        later = self._start.astimezone(UTC) + timedelta(seconds=self.monotonic())
        return later.astimezone(self._start.tzinfo)

    def now_ms(self) -> int:
        """Returns the current time in Unix milliseconds."""
        return round((self._start.timestamp() + self.monotonic()) * 1000)

    def monotonic(self) -> float:
        """Returns the loop's time in seconds."""
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return 0.0


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end on a new virtual loop."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
