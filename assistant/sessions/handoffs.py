"""All conversations of this process, as people see them: who wants a person, and who has one."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias
from weakref import WeakValueDictionary

from assistant.conversation.entries import Logged
from assistant.ports import Desk, Ids
from assistant.sessions.handed import Handed
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.listeners import Listeners

Heard: TypeAlias = tuple[Handed, Sequence[Logged]]


class Handoffs:
    """Finds a conversation's handoff, and tells of all that are under way.

    Args:
        desk: where people are asked.
        wait_s: how long one may take to accept.
    """

    def __init__(self, desk: Desk, ids: Ids, wait_s: float) -> None:
        self._desk, self._ids, self._wait_s = desk, ids, wait_s
        self._known: WeakValueDictionary[tuple[str, str], SessionHandoff] = WeakValueDictionary()
        self._listeners = Listeners[Heard]()

    def attach(self, session: Handed) -> SessionHandoff:
        """The handoff of a conversation that has just been opened; known for as long as somebody keeps it.

        It goes on with what the log says was under way, as soon as the caller has finished.
        """
        handoff = SessionHandoff(session, self._desk, self._ids, self._wait_s, self._hear)
        self._known[session.key.tenant, session.key.conversation] = handoff
        if handoff.current is not None:
            asyncio.get_running_loop().call_soon(handoff.resume)
        return handoff

    def of(self, tenant: str, conversation: str) -> SessionHandoff | None:
        """The handoff of an open conversation; None when there is none of this id and tenant."""
        known = self._known.get((tenant, conversation))
        return known if known is not None and not known.session.failed else None

    def all_of(self, tenant: str) -> list[SessionHandoff]:
        """Every open conversation of a tenant in which something was said, the oldest first."""
        ours = [each for (whose, _), each in self._known.items() if whose == tenant]
        # What was said a moment ago may not be durable yet, and then has no time.
        sessions = [each for each in ours if each.session.entries and not each.session.failed]
        begun = [each for each in sessions if each.session.state.said]
        return sorted(begun, key=lambda each: each.session.entries[0].at_ms)

    def listen(self, listener: Callable[[Heard], None]) -> Callable[[], None]:
        """Hand ``listener`` what becomes durable in conversations that are, or may be, with a person."""
        return self._listeners.add(listener)

    async def erase(self, tenant: str, customer: str) -> None:
        """Leave a customer's conversations alone, and let the desk forget what it was not told yet."""
        for handoff in list(self._known.values()):
            if (handoff.session.key.tenant, handoff.session.key.customer) == (tenant, customer):
                await handoff.close()
        await self._desk.erase(tenant, customer)

    def _hear(self, of: Handed, batch: Sequence[Logged]) -> None:
        self._listeners.tell((of, batch))

    async def close(self) -> None:
        """Leave what is under way to the next start."""
        for handoff in list(self._known.values()):
            await handoff.close()
        await self._desk.stop()
