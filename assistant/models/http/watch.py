"""One eye on all streams: whoever waits too long for a token is woken with ``TimeoutError``."""

import asyncio
from typing import TYPE_CHECKING

from assistant.models.http.patience import Patience
from assistant.ports import Clock

if TYPE_CHECKING:
    import aiohttp

_LOOK_S = 1.0  # at least so often: a stream that came meanwhile may have less patience than those before


class Watch:
    """Watches streams while there are any. A timer for every token would cost more than the token itself."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watched: dict[aiohttp.StreamReader, Patience] = {}
        self._looking: asyncio.Task[None] | None = None

    def add(self, stream: "aiohttp.StreamReader", patience: Patience) -> None:
        """Watch a stream until it is removed."""
        self._watched[stream] = patience
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def remove(self, stream: "aiohttp.StreamReader") -> None:
        """Watch it no more."""
        del self._watched[stream]

    def close(self) -> None:
        """Look no more."""
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()

    async def _look(self) -> None:
        while self._watched:
            pause_s = _LOOK_S
            for stream, patience in self._watched.items():
                if not patience.waiting:
                    continue
                left_s = patience.left_s()
                if left_s > 0:
                    pause_s = min(pause_s, left_s)
                else:
                    stream.set_exception(TimeoutError())
            await self._clock.sleep(pause_s)
