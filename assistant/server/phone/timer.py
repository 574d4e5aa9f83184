"""A timer whose time keeps changing."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from assistant.errors import LogError
from assistant.ports import Clock


class Timer:
    """Calls ``ring`` at the time it was last set to."""

    def __init__(self, clock: Clock, ring: Callable[[], Awaitable[None]]) -> None:
        self._clock, self._ring = clock, ring
        self._task: asyncio.Task[None] | None = None

    def at(self, when_s: float | None) -> None:
        """Ring at this moment of the clock's ``monotonic()``, and not before; None: not at all."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None if when_s is None else asyncio.create_task(self._wait(when_s))

    async def close(self) -> None:
        """Never ring again."""
        task = self._task
        self.at(None)
        if task is not None:
            await asyncio.wait({task})

    async def _wait(self, when_s: float) -> None:
        await self._clock.sleep(max(0.0, when_s - self._clock.monotonic()))
        with suppress(LogError):  # the conversation is over, as whoever carries it is told
            await self._ring()
