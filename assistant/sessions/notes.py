"""Records what nobody waits for: how far a message got, who came and who went."""

import asyncio
from contextlib import suppress
from typing import Literal

from assistant.conversation.entries import Entry, Told
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.sessions.recorder import Recorder


class Notes:
    """Entries of a conversation that are lost when its log fails, as no words are."""

    def __init__(self, recorder: Recorder, state: ConversationState) -> None:
        self._recorder, self._state = recorder, state
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, entry: Entry) -> None:
        """Record it in a moment."""
        task = asyncio.create_task(self._record(entry))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def tell(self, message_id: str, how: Literal["sent", "seen"], up_to: int) -> None:
        """Record in a moment how far a message got, if it is farther than before."""
        message = self._state.message(message_id)
        known = {"sent": message.sent, "seen": message.seen}[how] if message is not None else 0
        if up_to > known:
            self.take(Told(message_id=message_id, how=how, up_to=up_to))

    async def heard(self, message_id: str, up_to: int) -> None:
        """Record at once how much of a message was heard, if it is more than before: what follows builds on it."""
        message = self._state.message(message_id)
        if message is not None and (message.heard is None or up_to > message.heard):
            await self._record(Told(message_id=message_id, how="heard", up_to=up_to))

    async def taken(self) -> None:
        """Wait until all have their place."""
        await asyncio.gather(*self._tasks)

    async def _record(self, entry: Entry) -> None:
        with suppress(LogError):
            await self._recorder.record("", entry)
