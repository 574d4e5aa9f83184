"""Carries each conversation's events to the desk in their order, across restarts, from the log."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

import structlog

from assistant.conversation.entries import Handoff
from assistant.conversation.people import ConversationKey
from assistant.handoff.webhook.events import events
from assistant.handoff.webhook.post import Post
from assistant.ports import Log

log = structlog.get_logger(__name__)


class Deliveries(Protocol):
    """How far each conversation's events were delivered; kept across restarts."""

    async def delivered(self, key: ConversationKey) -> int | None:
        """The number of the last entry that needs no delivery; None for a conversation that is not kept."""
        ...

    async def note(self, key: ConversationKey, seq: int) -> None:
        """Keep it, durably."""
        ...

    async def forget(self, key: ConversationKey) -> None:
        """There will be nothing more to deliver."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Forget all conversations of a customer, for good; gives their number."""
        ...

    async def all(self) -> list[ConversationKey]:
        """The conversations that are kept."""
        ...


class Courier:
    """One task for each conversation that has something to deliver."""

    def __init__(self, post: Post, log_: Log, deliveries: Deliveries) -> None:
        self._post, self._log, self._deliveries = post, log_, deliveries
        self._tasks: dict[ConversationKey, asyncio.Task[None]] = {}
        self._again: set[ConversationKey] = set()

    async def begin(self, key: ConversationKey, seq: int) -> None:
        """Keep an eye on this conversation from the entry ``seq`` on; nothing changes when that is done already."""
        if await self._deliveries.delivered(key) is None:
            await self._deliveries.note(key, seq)

    def wake(self, key: ConversationKey) -> None:
        """There may be something to deliver."""
        self._again.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._carry(key))

    async def resume(self) -> None:
        """Go on with what an earlier process left."""
        for key in await self._deliveries.all():
            self.wake(key)

    async def settled(self) -> None:
        """Wait until everything is delivered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks.values()))

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more of a customer, and forget where their deliveries were."""
        await self._stop([key for key in self._tasks if (key.tenant, key.customer) == (tenant, customer)])
        await self._deliveries.erase(tenant, customer)

    async def close(self) -> None:
        """Leave the rest to the next start."""
        await self._stop(list(self._tasks))

    async def _stop(self, keys: Sequence[ConversationKey]) -> None:
        self._again.difference_update(keys)
        tasks = [self._tasks[key] for key in keys]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, key: ConversationKey) -> None:
        try:
            while key in self._again:
                self._again.discard(key)
                await self._deliver(key)
        except Exception:
            # What was not delivered stands in the log: the next word of this conversation tries again.
            log.exception("delivery broke", conversation=key.conversation)
        finally:
            # Nothing runs between the last look and this, so no word of something new is lost.
            self._tasks.pop(key, None)

    async def _deliver(self, key: ConversationKey) -> None:
        after = await self._deliveries.delivered(key)
        if after is None:
            return
        entries = await self._log.read(key)
        for seq, event in events(key, entries, after):
            await self._post.send(event)
            await self._deliveries.note(key, seq)
        handoffs = [logged.entry for logged in entries if isinstance(logged.entry, Handoff)]
        if handoffs and handoffs[-1].state == "ended":
            await self._deliveries.forget(key)
