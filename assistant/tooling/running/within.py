"""Waits for a stranger's code no longer than it may take, even if it cannot be stopped."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from assistant.ports import Clock

T = TypeVar("T")

_LEFT_ALONE: set[asyncio.Task[Any]] = set()
"""Work that nobody waits for any more; a loop itself keeps no hold of its tasks."""


def is_left_alone(task: asyncio.Task[Any]) -> bool:
    """Whether somebody has stopped waiting for what this task does."""
    return task in _LEFT_ALONE


async def within(
    seconds: float | None,
    work: Coroutine[Any, Any, T],
    clock: Clock,
    *,
    ended: Callable[[], None] | None = None,
    too_late: Callable[[asyncio.Task[T]], None],
) -> T:
    """Await ``work`` in a task of its own, and stop waiting when its time is up, or when this is cancelled.

    Then the work is cancelled, too. Code that does not heed that runs on, unheard.

    Args:
        seconds: how long it may take; None for as long as it likes.
        work: what is done.
        clock: measures.
        ended: called once, when the work has really come to its end, heard or not.
        too_late: called with the task when it ended unheard, and not by being cancelled.

    Raises:
        TimeoutError: its time was up. Beside that, whatever the work raises.
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
            _leave_alone(task, too_late)
            raise
        # It came in the very moment in which its time was up.
    except asyncio.CancelledError:
        _leave_alone(task, too_late)
        raise
    return task.result()


def _leave_alone(task: asyncio.Task[T], too_late: Callable[[asyncio.Task[T]], None]) -> None:
    def end(task: asyncio.Task[T]) -> None:
        _LEFT_ALONE.discard(task)
        if not task.cancelled():
            too_late(task)

    if task.done():
        return
    _LEFT_ALONE.add(task)
    task.add_done_callback(end)
    task.cancel()
