"""Time that does not have to be waited for: an event loop that jumps to whatever comes next.

In a ``conftest.py`` this runs every coroutine test beneath it in virtual time::

    def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
        return {"virtual": VirtualLoop}

Elsewhere ``run_virtually(main())`` does what ``asyncio.run(main())`` does.
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
"""When it is, on a virtual clock that was told nothing else."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose ``time()`` begins at 0 and jumps to the next timer when nothing else is ready.

    Real sockets and threads work as usual. While an executor's thread works for this loop, time stops, so
    that no timeout fires before the answer. If the thread takes longer than a quarter of a second, it is
    assumed to hang, and time continues at its real speed. If you run threads in another way, report them with
    ``thread_begins`` and ``thread_ends``, or do not wait for them together with a timer; the same applies to
    other processes.
    """

    def __init__(self) -> None:
        self._virtual_s = 0.0
        self._busy_threads = 0
        self._busy_since = 0.0
        self._threads: ThreadPoolExecutor | None = None
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Seconds since the loop was made, in its own time."""
        return self._virtual_s

    def pass_time(self, seconds: float) -> None:
        """Let the loop's own time pass."""
        self._virtual_s += seconds

    def real_time(self) -> float:
        """Seconds from an arbitrary start, in real time."""
        return super().time()

    def thread_begins(self) -> None:
        """A thread is at work for this loop; to be called in the loop's own."""
        if not self._busy_threads:
            self._busy_since = self.real_time()
        self._busy_threads += 1

    def thread_ends(self) -> None:
        """A thread's answer has come; to be called in the loop's own."""
        self._busy_threads -= 1

    def busy_s(self) -> float | None:
        """For how long, in real time, some thread has been at work for this loop; None: there is none."""
        return self.real_time() - self._busy_since if self._busy_threads else None

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        """Run ``func`` in a thread, as ever; the loop remembers that it does."""
        working = (executor or self._own_threads()).submit(func, *args)
        self.thread_begins()
        result = asyncio.wrap_future(working, loop=self)
        # In this order: the result reaches the loop first, and only then may time jump again.
        working.add_done_callback(self._thread_returned)
        return result

    def _own_threads(self) -> Executor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(thread_name_prefix="virtual")
            self.set_default_executor(self._threads)
        return self._threads

    def _thread_returned(self, _: Future[Any]) -> None:
        with suppress(RuntimeError):  # the loop was closed and did not wait for the thread
            self.call_soon_threadsafe(self.thread_ends)

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:
        """Wait for the threads in real time, however long they take."""
        self.thread_begins()
        try:
            await super().shutdown_default_executor()
        finally:
            self.thread_ends()


class _JumpingSelector(selectors.DefaultSelector):
    """Waits for sockets only as long as waiting can bring something; then lets the loop's time jump."""

    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready within ``timeout`` seconds of the loop's own time; None: there is no timer."""
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        if (busy_s := self._loop.busy_s()) is not None:
            return self._wait_for_threads(busy_s, timeout)
        only_our_own = len(self.get_map()) == 1  # the socket by which threads wake the loop
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
"""How long a thread may take in real time while virtual time stands still."""

_PATIENCE_S = 0.001
"""How long, in real time, a jump waits for bytes that may be on their way to a socket."""


class VirtualClock(LoopWaits):
    """The Clock port on the running loop's time. Outside a loop it stands at its start.

    Args:
        start: what time it is when the loop's time is 0.
        zone: the company's time zone; ``start``'s own when left out.
    """

    def __init__(self, start: datetime = MONDAY_MORNING, zone: tzinfo | None = None) -> None:
        self._start = start.astimezone(zone or start.tzinfo)

    def now(self) -> datetime:
        """The present, aware, in the company's time zone."""
        later = self._start.astimezone(UTC) + timedelta(seconds=self.monotonic())
        return later.astimezone(self._start.tzinfo)

    def now_ms(self) -> int:
        """The present in Unix milliseconds."""
        return round((self._start.timestamp() + self.monotonic()) * 1000)

    def monotonic(self) -> float:
        """Seconds of the loop's time."""
        try:
            return asyncio.get_running_loop().time()
        except RuntimeError:
            return 0.0


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run ``main`` to its end on a virtual loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
