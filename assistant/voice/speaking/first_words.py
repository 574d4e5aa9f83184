"""Sees to it that nobody waits longer than two seconds for the first words."""

import asyncio
from collections.abc import Callable

from assistant.ports import Clock
from assistant.voice.speaking.acknowledging import FIRST_WORDS_S, ON_ITS_WAY_S


class FirstWords:
    """Waits with the customer.

    Args:
        late: called when the first words must be said now, whatever they are.
    """

    def __init__(self, clock: Clock, late: Callable[[], None]) -> None:
        self._clock, self._late = clock, late
        self._since = clock.monotonic()
        self._waiting: asyncio.Task[None] | None = None

    @property
    def silent_s(self) -> float:
        """So long ago the customer's last word was."""
        return self._clock.monotonic() - self._since

    @property
    def since(self) -> float:
        """When the customer's last word was."""
        return self._since

    def expect(self, since: float) -> None:
        """The customer has finished; their last word was at this moment of the clock's ``monotonic()``."""
        self.forget()
        self._since = since
        self._waiting = asyncio.create_task(self._wait())

    def forget(self) -> None:
        """Nobody waits any more."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self) -> None:
        await self._clock.sleep(max(0.0, FIRST_WORDS_S - ON_ITS_WAY_S - self.silent_s))
        self._late()
