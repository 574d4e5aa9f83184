"""Notes in the conversation how far each message was heard, in the order in which that was found out."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from assistant.errors import LogError
from assistant.voice.playback import Saying


class HeardNotes:
    """Takes notes at any moment, and writes them as soon as the loop comes to it.

    Args:
        heard: writes one; it has its place in the log when this has begun.
    """

    def __init__(self, heard: Callable[[str, int], Awaitable[None]]) -> None:
        self._heard = heard
        self._waiting: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._writing: asyncio.Task[None] | None = None

    def note(self, saying: Saying, up_to: int) -> None:
        """So many characters of it were heard; 0: it is being spoken. Less than before is no news."""
        if saying.message_id is None or not saying.noted or up_to <= self._known.get(saying.message_id, -1):
            return
        self._known[saying.message_id] = self._waiting[saying.message_id] = up_to
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def settled(self) -> None:
        """Wait until everything noted has its place in the log."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        try:
            with suppress(LogError):  # the conversation is over; whoever carries the sound is told
                while self._waiting:
                    message_id = next(iter(self._waiting))
                    await self._heard(message_id, self._waiting.pop(message_id))
        finally:
            self._writing = None
