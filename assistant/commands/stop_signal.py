"""Waits until the process is told to stop, by Ctrl-C or by a supervisor's signal."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_requested() -> Generator[asyncio.Event]:
    """An event that the first SIGINT or SIGTERM sets. A second one ends the process immediately.

    Use it in the main thread, within the running loop. If no signal comes, the earlier handlers are restored
    afterwards.
    """
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def stop(*_: object) -> None:
        for each in _SIGNALS:
            # A second signal means: do not wait. The log loses no entry because of that.
            signal.signal(each, _end_now if os.getpid() == 1 else signal.SIG_DFL)
        loop.call_soon_threadsafe(told.set)

    before = {each: signal.signal(each, stop) for each in _SIGNALS}
    try:
        yield told
    finally:
        for each, handler in before.items():
            if signal.getsignal(each) is stop:
                signal.signal(each, handler)


def _end_now(number: int, _: object) -> None:
    """Ends the first process of a container, which the system does not end by a signal's default."""
    os._exit(128 + number)


async def run_until(told: asyncio.Event, wanted: Awaitable[T]) -> T | None:
    """The result of ``wanted``; None if the event is set first: then ``wanted`` is cancelled."""
    waiting, telling = asyncio.ensure_future(wanted), asyncio.ensure_future(told.wait())
    try:
        await asyncio.wait({waiting, telling}, return_when=asyncio.FIRST_COMPLETED)
        return waiting.result() if waiting.done() else None
    finally:
        waiting.cancel()
        telling.cancel()
        await asyncio.gather(waiting, telling, return_exceptions=True)
