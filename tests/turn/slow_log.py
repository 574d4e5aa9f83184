"""A log whose appends take time, like a busy disk's."""

from collections.abc import Sequence

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.ports import Clock
from assistant.store.memory_log import MemoryLog


class SlowLog(MemoryLog):
    """Every append takes ``append_s`` seconds."""

    def __init__(self, clock: Clock, append_s: float) -> None:
        super().__init__()
        self._clock = clock
        self.append_s = append_s

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        await self._clock.sleep(self.append_s)
        await super().append(key, entries)
