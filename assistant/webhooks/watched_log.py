"""A log that lets events be delivered when entries of interest are appended. The other log does everything
else.
"""

import asyncio
from collections.abc import Collection, Sequence

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.snapshots import Aging
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.storage_ports import Log, Numbering
from assistant.webhooks.delivery import WebhookDelivery
from assistant.webhooks.events import is_of_interest

log = structlog.get_logger(__name__)


class WatchedLog:
    """A log whose new entries become events.

    The delivery's position is stored before the first entry of interest, so a crash after the append loses no
    event: the next process finds the position, and delivers the missing events. After the append, the
    delivery is queued in the background. If positions or jobs cannot be stored, the turn continues.

    Args:
        entries: where the entries are stored; closed by its owner.
        delivery: delivers the events.
        clock: measures how long a stored position certainly exists.
        idle_s: a conversation has ended when there was no activity for this time. Its position is not deleted
            before that.
    """

    def __init__(self, entries: Log, delivery: WebhookDelivery, clock: Clock, idle_s: float) -> None:
        self._entries, self._delivery, self._clock, self._idle_s = entries, delivery, clock, idle_s
        self._begun: dict[ConversationKey, float] = {}
        self._queueing: set[asyncio.Task[None]] = set()

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store all of these entries or none, and let their events be delivered."""
        if not any(map(is_of_interest, entries)):
            await self._entries.append(key, entries)
            return
        await self._begin(key, entries[0].seq - 1)
        await self._entries.append(key, entries)
        task = asyncio.create_task(self._queue(key))
        self._queueing.add(task)
        task.add_done_callback(self._queueing.discard)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """Returns the entries with a number above ``after``, in order."""
        return await self._entries.read(key, after)

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """Returns the ids of a customer's conversations, oldest first."""
        return await self._entries.conversations(tenant, customer)

    async def unfinished(self) -> list[ConversationKey]:
        """Returns the conversations that wait for the assistant, or for a person."""
        return await self._entries.unfinished()

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """Returns the visitors who were identified as this customer, in any order."""
        return await self._entries.visitors(tenant, customer)

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Returns the numbering of this conversation's entries. It differs from the numbering of other
        entries that had the same numbers.
        """
        return await self._entries.numbering(key)

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer."""
        return await self._entries.erase(tenant, customer)

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase old conversations."""
        return await self._entries.forget(before_ms, keep, tenant)

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from old entries."""
        return await self._entries.thin_out(what, before_ms, tenant)

    async def check_writable(self) -> None:
        """Raises ``LogError`` if the other log cannot store entries now."""
        await self._entries.check_writable()

    async def close(self) -> None:
        """Wait until the deliveries of all appended entries are queued. The other log stays open."""
        await asyncio.gather(*self._queueing)

    async def _begin(self, key: ConversationKey, seq: int) -> None:
        now_s = self._clock.monotonic()
        if now_s - self._begun.get(key, -self._idle_s) < self._idle_s / 2:
            return
        try:
            await self._delivery.begin(key, seq)
        except LogError as error:
            log.warning("webhook events may be lost", conversation=key.conversation, why=str(error))
            return
        self._begun = {each: at for each, at in self._begun.items() if now_s - at < self._idle_s}
        self._begun[key] = now_s

    async def _queue(self, key: ConversationKey) -> None:
        try:
            await self._delivery.queue(key)
        except LogError as error:
            # An hourly job looks for what was not queued.
            log.warning("webhook delivery not queued", conversation=key.conversation, why=str(error))
