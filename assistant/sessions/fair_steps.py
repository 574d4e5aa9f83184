"""Shares the event loop among tenants: while turns of several tenants run, each runs one step in a cycle of the
loop.

A step is the code that a coroutine runs between two waits. Without this, forty conversations of one tenant take
forty steps before another tenant's next step. After a long step, the tenant's next step waits as long as that
step took, so a tenant has at most half of the loop. While only one tenant has work, nothing waits.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from time import thread_time
from types import coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class _Steps:
    """The steps of one tenant on one loop. ``running``: the number of its coroutines that have begun and not
    ended.
    """

    __slots__ = ("_loop", "_taken", "_waiting", "running")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.running = 0

    def claim(self) -> asyncio.Future[None] | None:
        """Claim the next step. None: run it now. Otherwise run it when the future is done. Then release it."""
        if not self._taken:
            self._taken = True
            return None
        turn: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(turn)
        return turn

    def release(self, took_s: float) -> None:
        """Allow the next step in the next cycle; after a long step, when the others had as much time."""
        if took_s < _LONG_S:
            self._loop.call_soon(self._next)
        else:
            self._loop.call_later(took_s, self._next)

    def _next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False


_LONG_S = 0.002
"""A step that takes longer is followed by a wait."""

_by_loop: "WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Steps]]" = WeakKeyDictionary()


async def run_fairly(tenant: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Await the work of a tenant in this task, step by step. Results and errors are those of the work.

    If it is cancelled while it waits for its step, the work is cancelled at its current wait.
    """
    loop = asyncio.get_running_loop()
    tenants = _by_loop.setdefault(loop, {})
    steps = tenants.get(tenant) or tenants.setdefault(tenant, _Steps(loop))
    steps.running += 1
    try:
        return await _stepwise(tenants, steps, work())
    finally:
        steps.running -= 1
        if not steps.running:
            del tenants[tenant]


def no_work() -> bool:
    """Whether no tenant has work on the running loop."""
    return not _by_loop.get(asyncio.get_running_loop())


@coroutine
def _stepwise(
    tenants: dict[str, _Steps], steps: _Steps, work: Coroutine[Any, Any, T]
) -> Generator[Any, Any, T]:
    go_on = partial(work.send, None)
    try:
        while True:
            shared = len(tenants) > 1
            if shared and (turn := steps.claim()) is not None:
                try:
                    yield from turn
                except asyncio.CancelledError as error:
                    shared = turn.done() and not turn.cancelled()  # it may have come at the same moment
                    turn.cancel()
                    go_on = partial(work.throw, error)
            began = thread_time() if shared else 0.0  # uvloop reads its clock once in a cycle
            try:
                awaited = go_on()
            except StopIteration as end:
                return end.value
            finally:
                if shared:
                    steps.release(thread_time() - began)
            try:
                go_on = partial(work.send, (yield awaited))
            except GeneratorExit:
                raise
            except BaseException as error:
                go_on = partial(work.throw, error)
    finally:
        work.close()
