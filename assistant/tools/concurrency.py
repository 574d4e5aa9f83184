"""Runs third-party code so that it can neither block other code nor keep the process alive.

It has timeouts that detach work which does not stop, a shield for code that ignores a cancellation, for each
tenant a bounded thread pool for blocking functions, and for each tool a circuit breaker with a limit of
concurrent calls.
"""

import asyncio
from asyncio import CancelledError, current_task, get_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache, partial
from inspect import isawaitable, iscoroutinefunction
from threading import Condition, Lock, Thread
from types import coroutine
from typing import Any, ParamSpec, TypeVar

from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.resilience import CircuitBreaker, Jitter

T = TypeVar("T")

_DETACHED: set[asyncio.Task[Any]] = set()
"""Work that is no longer awaited. The event loop itself keeps no reference to its tasks."""


def is_detached(task: asyncio.Task[Any]) -> bool:
    """Whether the task continues although no caller waits for it."""
    return task in _DETACHED


async def run_with_timeout(
    seconds: float | None,
    work: Coroutine[Any, Any, T],
    clock: Clock,
    *,
    ended: Callable[[], None] | None = None,
    too_late: Callable[[asyncio.Task[T]], None],
) -> T:
    """Await ``work`` in its own task, until the timeout or until this call is cancelled.

    At both, the work is cancelled, too. Code that ignores the cancellation continues, and its result is
    dropped.

    Args:
        seconds: the time limit; None for no limit.
        work: the work.
        clock: measures the time.
        ended: called once, when the work has really ended, even if its result is dropped.
        too_late: called with the task if it ended after the timeout, other than by being cancelled.

    Raises:
        TimeoutError: the time limit was reached. It also raises what the work raises.
    """
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end(_: asyncio.Task[T]) -> None:
        if ended is not None:
            ended()
        if not done.done():
            done.set_result(None)

    task = asyncio.create_task(work)
    task.add_done_callback(end)
    try:
        async with clock.timeout(seconds):
            await done
    except TimeoutError:
        if not task.done():
            _detach(task, too_late)
            raise
        # The result arrived at the same moment as the timeout.
    except asyncio.CancelledError:
        _detach(task, too_late)
        raise
    return task.result()


def _detach(task: asyncio.Task[T], too_late: Callable[[asyncio.Task[T]], None]) -> None:
    def end(task: asyncio.Task[T]) -> None:
        _DETACHED.discard(task)
        if not task.cancelled():
            too_late(task)

    if task.done():
        return
    _DETACHED.add(task)
    task.add_done_callback(end)
    task.cancel()


@coroutine
def cancellation_shield(work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """Await ``work``. A second cancellation of its task abandons it.

    The first cancellation comes from a timeout, and the code may handle it. The second comes from the event
    loop, which waits for all tasks when it closes: code that ignores it would block the shutdown forever.
    """
    told = False
    try:
        waits = work.send(None)
        while True:
            try:
                yield waits
            except GeneratorExit:
                raise
            except BaseException as thrown:
                if isinstance(thrown, CancelledError):
                    if told and _is_cancelled_again():
                        raise
                    told = True
                # Errors of the awaited object are thrown in here, because the waiting code may handle them.
                waits = work.throw(thrown)
            else:
                waits = work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    finally:
        with suppress(RuntimeError):  # it ignores that, too, and is left to the garbage collector
            work.close()


def _is_cancelled_again() -> bool:
    # Cancellations that a tool itself causes, by its own timeouts and tasks, do not count.
    task = current_task()
    return task is not None and is_detached(task) and task.cancelling() > 1


P = ParamSpec("P")

THREADS = 32
"""The most blocking calls of one tenant at the same time. Others wait for a thread; their timeouts
continue."""

_tenant: ContextVar[str] = ContextVar("tenant", default="")


@contextmanager
def running_for(tenant: str) -> Generator[None]:
    """A context manager: plain functions that are called in its block run in threads of this tenant."""
    token = _tenant.set(tenant)
    try:
        yield
    finally:
        _tenant.reset(token)


class NoThreadAvailable(AssistantError):
    """All threads are used by detached work, which may never end."""

    say = "I can't look that up at the moment"

    def __init__(self, threads: int) -> None:
        super().__init__(
            f"All {threads} threads are held by calls that did not end in time; nothing was run."
        )


class ThreadJob:
    """One job for a thread. If the caller leaves, the job is not started, or its result is dropped."""

    __slots__ = ("_begun", "_function", "_lock", "abandoned")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._lock = Lock()
        self._begun = False
        self.abandoned = False

    def abandon(self) -> bool:
        """Stop waiting. Returns whether the job continues, because it had begun."""
        with self._lock:
            self.abandoned = True
            return self._begun

    def __call__(self) -> object:
        """Run the job, unless it was abandoned."""
        with self._lock:
            if self.abandoned:
                return None
            self._begun = True
        return self._function()


class ThreadPool(Executor):
    """An executor of daemon threads, which are created when needed.

    The standard library joins its threads at the end of the process, so a tool that never returns would keep
    the process alive.

    Args:
        most: the most threads.
    """

    def __init__(self, most: int = THREADS) -> None:
        self._most = most
        self._changed = Condition()
        self._waiting: deque[tuple[Future[object], Callable[[], object]]] = deque()
        self._at_work: list[Callable[[], object]] = []
        self._threads = 0
        self._idle = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the function when a thread is free.

        Raises ``NoThreadAvailable`` if all may be blocked forever.
        """
        work = partial(fn, *args, **kwargs) if args or kwargs else fn
        future: Future[T] = Future()
        with self._changed:
            if len(self._at_work) == self._most and all(_is_abandoned(one) for one in self._at_work):
                raise NoThreadAvailable(self._most)
            self._waiting.append((future, work))  # pyright: ignore[reportArgumentType]
            if self._idle < len(self._waiting) and self._threads < self._most:
                self._threads += 1
                Thread(target=self._serve, name=f"tool-{self._threads}", daemon=True).start()
            self._changed.notify()
        return future

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                future, work = self._waiting.popleft()
                self._at_work.append(work)
            _settle(future, work, self._finish)
            # Drop references to the call, because this thread may wait long for the next one.
            del future, work

    def _finish(self, work: Callable[[], object]) -> None:
        with self._changed:
            self._at_work.remove(work)


@cache
def blocking_pool(tenant: str) -> ThreadPool:
    """Returns the thread pool of a tenant. It is created when its first tool blocks.

    Each tenant has its own, so that hanging tools of one tenant take no threads from another.
    """
    del tenant  # the cache key
    return ThreadPool()


def _settle(
    future: "Future[object]", work: Callable[[], object], finish: Callable[[Callable[[], object]], None]
) -> None:
    if not future.set_running_or_notify_cancel():
        finish(work)
        return
    try:
        result = work()
    except BaseException as error:
        finish(work)
        # A future cannot hold one of these two exceptions.
        ends = isinstance(error, StopIteration | GeneratorExit)
        future.set_exception(RuntimeError(type(error).__name__) if ends else error)
        return
    finish(work)
    future.set_result(result)


def _is_abandoned(work: Callable[[], object]) -> bool:
    return isinstance(work, ThreadJob) and work.abandoned


async def call_function(
    function: Callable[..., object],
    values: Mapping[str, object],
    *,
    to_the_end: bool = False,
    pool: ThreadPool | None = None,
) -> object:
    """Call a function with these keyword arguments: on the loop if it is async, otherwise in a thread of the
    tenant (see :func:`running_for`), with the caller's context.

    A thread cannot be stopped. If this call is cancelled, it returns immediately and the thread continues.
    With ``to_the_end`` it waits for the thread, so that the outcome is known; only a second cancellation ends
    the wait.

    Raises what the function raises, and ``NoThreadAvailable``.
    """
    if iscoroutinefunction(function):
        return await function(**values)
    work = ThreadJob(partial(copy_context().run, partial(function, **values)))
    result = await _in_thread(work, pool or blocking_pool(_tenant.get()), to_the_end=to_the_end)
    # A plain wrapper around an async function returns an awaitable.
    return await result if isawaitable(result) else result


async def _in_thread(work: ThreadJob, pool: ThreadPool, *, to_the_end: bool) -> object:
    running = asyncio.get_running_loop().run_in_executor(pool, work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        goes_on = work.abandon()
        if running.done() or not goes_on or not to_the_end:
            running.cancel()
            raise
        await asyncio.wait([running])
        return running.result()


class ConcurrencyLimiter:
    """Limits the concurrent calls of one tool. Waiting calls get free slots in order.

    ``circuit`` blocks the tool if it fails repeatedly.
    """

    __slots__ = ("_inside", "_waiting", "circuit")

    def __init__(self, tool: str, clock: Clock) -> None:
        self.circuit = CircuitBreaker(f"tool {tool!r}", clock)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def try_acquire(self, max_concurrency: int | None) -> bool:
        """Take a slot if fewer than ``max_concurrency`` are in use (None: no limit).

        Returns False if none is free.
        """
        if max_concurrency is not None and self._inside >= max_concurrency:
            return False
        self._inside += 1
        return True

    async def acquire(self) -> None:
        """Wait for a slot and take it."""
        turn: asyncio.Future[None] = get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except CancelledError:
            if turn.cancelled():
                with suppress(ValueError):
                    self._waiting.remove(turn)
            else:
                # The slot was assigned at the moment of the cancellation, so pass it on.
                self.release()
            raise

    def release(self) -> None:
        """Release a slot, and give it to the caller that has waited longest."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._inside -= 1


class ConcurrencyLimiters:
    """The limiters of all tools, by name. All conversations share them, and they stay if a tool's file
    is edited.

    Args:
        clock: measures how long a failing tool is not called.
        jitter: randomises the pauses between attempts; by default they are not random.
    """

    __slots__ = ("_by_tool", "_clock", "jitter")

    def __init__(self, clock: Clock, jitter: Jitter = lambda: 1.0) -> None:
        self._clock = clock
        self._by_tool: dict[str, ConcurrencyLimiter] = {}
        self.jitter = jitter

    def for_tool(self, tool: str) -> ConcurrencyLimiter:
        """Returns the limiter of the tool with this name."""
        limiter = self._by_tool.get(tool)
        if limiter is None:
            limiter = self._by_tool[tool] = ConcurrencyLimiter(tool, self._clock)
        return limiter
