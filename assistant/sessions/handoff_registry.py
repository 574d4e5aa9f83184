"""Finds the handoffs of conversations, on this server and on others."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias
from weakref import WeakValueDictionary

from assistant.conversation.entries import Logged
from assistant.ports import HandoffBackend, Ids
from assistant.sessions.followed_handoff import FollowedHandoff
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.listeners import Listeners
from assistant.sessions.session import Session

HandoffUpdate: TypeAlias = tuple[Session, Sequence[Logged]]


class HandoffRegistry:
    """Finds the handoffs of conversations, and reports on all current ones.

    Args:
        backend: asks people.
        wait_s: how long an agent may take to accept.

    Attributes:
        open_elsewhere: opens conversations of other servers that agents may want, so that they are found here:
            all conversations of a tenant, or the one with this id. None: there are no other servers.
    """

    def __init__(self, backend: HandoffBackend, ids: Ids, wait_s: float) -> None:
        self._backend, self._ids, self._wait_s = backend, ids, wait_s
        self._known: WeakValueDictionary[tuple[str, str], SessionHandoff] = WeakValueDictionary()
        self._listeners: defaultdict[str, Listeners[HandoffUpdate]] = defaultdict(Listeners)
        self.open_elsewhere: Callable[[str, str | None], Awaitable[None]] | None = None

    def attach(self, session: Session) -> SessionHandoff:
        """Returns the handoff of a conversation that has just been opened. The registry forgets it when no
        caller holds it any more.

        An unfinished handoff continues right after this call.
        """
        options = (self._backend, self._ids, self._wait_s, self._hear)
        if isinstance(session, FollowedSession):
            handoff = FollowedHandoff(session, *options)
        else:
            handoff = SessionHandoff(session, *options)
        self._known[session.key.tenant, session.key.conversation] = handoff
        if handoff.current is not None:
            asyncio.get_running_loop().call_soon(handoff.resume)
        return handoff

    def find_handoff(self, tenant: str, conversation: str) -> SessionHandoff | None:
        """The handoff of a conversation that is open here; None if this tenant has no such conversation."""
        known = self._known.get((tenant, conversation))
        return known if known is not None and not known.session.failed else None

    async def open_handoff(self, tenant: str, conversation: str) -> SessionHandoff | None:
        """The handoff of a conversation on any server, as the log has it now; None if this tenant has no open
        conversation with this id, and none with a request for an agent. Raises ``LogError``.
        """
        known = self.find_handoff(tenant, conversation)
        if self.open_elsewhere is not None and (known is None or isinstance(known, FollowedHandoff)):
            await self.open_elsewhere(tenant, conversation)
        return self.find_handoff(tenant, conversation)

    async def all_of(self, tenant: str) -> list[SessionHandoff]:
        """All open conversations of a tenant with a message, oldest first. Raises ``LogError``.

        With other servers: the conversations that are open here, and the newest of the other servers.
        """
        if self.open_elsewhere is not None:
            await self.open_elsewhere(tenant, None)
        ours = [each for (whose, _), each in self._known.items() if whose == tenant]
        # A very recent message may not be durable yet, and then has no time.
        sessions = [each for each in ours if each.session.entries and not each.session.failed]
        begun = [each for each in sessions if each.session.state.said]
        return sorted(begun, key=lambda each: each.session.entries[0].at_ms)

    def listen(self, tenant: str, listener: Callable[[HandoffUpdate], None]) -> Callable[[], None]:
        """Call ``listener`` with new durable entries of a tenant's conversations that have, or may get, an
        agent.
        """
        return self._listeners[tenant].add(listener)

    def tenants_heard(self) -> list[str]:
        """The tenants whose agents listen here."""
        return [tenant for tenant, listeners in self._listeners.items() if listeners]

    async def erase(self, tenant: str, customer: str) -> None:
        """End work on a customer's conversations, and let the backend drop undelivered events."""
        for handoff in list(self._known.values()):
            if (handoff.session.key.tenant, handoff.session.key.customer) == (tenant, customer):
                await handoff.close()
        await self._backend.erase(tenant, customer)

    def _hear(self, of: Session, batch: Sequence[Logged]) -> None:
        self._listeners[of.key.tenant].notify((of, batch))

    async def close(self) -> None:
        """Stop; the next start continues unfinished handoffs."""
        for handoff in list(self._known.values()):
            await handoff.close()
        await self._backend.stop()
