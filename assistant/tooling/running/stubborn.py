"""Lets a stranger's coroutine overhear one cancelling, but not the second: that one ends the process."""

from asyncio import CancelledError, current_task
from collections.abc import Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any, TypeVar

from assistant.tooling.running.within import is_left_alone

T = TypeVar("T")


@coroutine
def stubborn(work: Coroutine[Any, Any, T]) -> Generator[Any, Any, T]:
    """Await ``work``; when its task is cancelled for the second time, give it up wherever it stands.

    The first time is ours, when its time is up, and what it does about that is its own matter. The second time is
    the event loop's, which at its end waits for every task: one that heeds nothing would keep it for ever.
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
                    if told and _is_told_again():
                        raise
                    told = True
                # A failure of what it waits for is thrown in here, too: the waiting code may know a cure.
                waits = work.throw(thrown)
            else:
                waits = work.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    finally:
        with suppress(RuntimeError):  # it does not heed that either, and is left to the collector
            work.close()


def _is_told_again() -> bool:
    # What a tool that is still heard does with time-outs and tasks of its own is cancelling, too.
    task = current_task()
    return task is not None and is_left_alone(task) and task.cancelling() > 1
