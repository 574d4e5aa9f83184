"""Records what nobody waits for: how far a message got, who came and who went."""

import asyncio
from contextlib import suppress

from assistant.conversation.entries import Entry
from assistant.errors import LogError
from assistant.sessions.recorder import Recorder


class Notes:
    """Entries of a conversation that are lost when its log fails, as no words are."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, entry: Entry) -> None:
        """Record it in a moment."""
        task = asyncio.create_task(self._record(entry))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def taken(self) -> None:
        """Wait until all have their place."""
        await asyncio.gather(*self._tasks)

    async def _record(self, entry: Entry) -> None:
        with suppress(LogError):
            await self._recorder.record("", entry)
