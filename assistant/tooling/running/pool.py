"""Threads for what blocks: a bounded number of them, and none that keeps the process from ending."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import cache, partial
from threading import Condition, Lock, Thread
from typing import ParamSpec, TypeVar

from assistant.errors import AssistantError

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 32
"""So many blocking calls run at a time; more wait for a thread, and their time-outs go on."""


class NoThread(AssistantError):
    """Every thread is held by something that nobody waits for any more, and that may never end."""

    say = "I can't look that up at the moment"

    def __init__(self, threads: int) -> None:
        super().__init__(
            f"All {threads} threads are held by calls that did not end in time; nothing was run."
        )


class Work:
    """One thing to do in a thread. Whoever asked for it may leave: then it is not begun, or not heard."""

    __slots__ = ("_begun", "_function", "_lock", "left")

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._lock = Lock()
        self._begun = False
        self.left = False

    def leave(self) -> bool:
        """Nobody waits for it any longer. Whether it goes on all the same, because it had begun."""
        with self._lock:
            self.left = True
            return self._begun

    def __call__(self) -> object:
        """Do it, unless nobody waits for it."""
        with self._lock:
            if self.left:
                return None
            self._begun = True
        return self._function()


class Pool(Executor):
    """An executor of daemon threads, which are made as they are needed.

    Those of the standard library are joined when the process ends: one tool that never comes back would keep
    it from ending.

    Args:
        most: how many threads there may be.
    """

    def __init__(self, most: int = THREADS) -> None:
        self._most = most
        self._changed = Condition()
        self._waiting: deque[tuple[Future[object], Callable[[], object]]] = deque()
        self._at_work: list[Callable[[], object]] = []
        self._threads = 0
        self._idle = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run it as soon as a thread is free. Raises ``NoThread`` when none may ever be."""
        work = partial(fn, *args, **kwargs) if args or kwargs else fn
        future: Future[T] = Future()
        with self._changed:
            if len(self._at_work) == self._most and all(_is_left(one) for one in self._at_work):
                raise NoThread(self._most)
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
            _settle(future, work, self._let_go)
            # Nothing of the call may stay alive because this thread waits for the next.
            del future, work

    def _let_go(self, work: Callable[[], object]) -> None:
        with self._changed:
            self._at_work.remove(work)


@cache
def blocking_pool() -> Pool:
    """The threads of this process; made when the first tool blocks."""
    return Pool()


def _settle(
    future: "Future[object]", work: Callable[[], object], let_go: Callable[[Callable[[], object]], None]
) -> None:
    if not future.set_running_or_notify_cancel():
        let_go(work)
        return
    try:
        result = work()
    except BaseException as error:
        let_go(work)
        # A future that holds one of these two cannot be awaited like any other.
        ends = isinstance(error, StopIteration | GeneratorExit)
        future.set_exception(RuntimeError(type(error).__name__) if ends else error)
        return
    let_go(work)
    future.set_result(result)


def _is_left(work: Callable[[], object]) -> bool:
    return isinstance(work, Work) and work.left
