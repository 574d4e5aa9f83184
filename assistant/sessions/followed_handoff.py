"""The handoff of a conversation that another server writes: agents' actions here are passed to that server."""

import asyncio
from collections.abc import Callable, Sequence

from assistant.conversation.codec import entry_to_json, kind_of
from assistant.conversation.entries import AcceptedVia, AgentMessage, CustomerMessage, Handoff, Logged
from assistant.conversation.staff_entries import StaffEntry
from assistant.conversation.values import Json
from assistant.errors import LogError
from assistant.ports import HandoffBackend, Ids
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.session import Session

ANSWER_WITHIN_S = 5.0
"""If the other server has not performed an action within this time, the action counts as failed for the agent."""


class FollowedHandoff(SessionHandoff):
    """Reads like any handoff. Each action becomes a command, and returns when its entry is in the log.

    Actions raise ``LogError`` when no server performs them in time: the agent tries again, which is safe.

    Args:
        session: the session whose handoff this is. backend, ids, wait_s: of a :class:`SessionHandoff`; the
            other server asks the backend.
        hears: receives every batch of entries from the request to the end of the handoff.
    """

    def __init__(
        self,
        session: FollowedSession,
        backend: HandoffBackend,
        ids: Ids,
        wait_s: float,
        hears: Callable[[Session, Sequence[Logged]], None],
    ) -> None:
        super().__init__(session, backend, ids, wait_s, hears)
        self._followed = session
        self._news = asyncio.Event()
        session.watch(self._see)

    async def ask(self, call: str, why: str) -> Handoff:
        """Always raises ``LogError``: only the server that writes the conversation takes turns."""
        del call, why
        raise LogError("only the server that writes the conversation asks for an agent")

    async def after_turn(self) -> None:
        """Do nothing: only the server that writes the conversation takes turns."""

    async def take_over(self, said: CustomerMessage) -> bool:
        """Always False: the other server answers the customer."""
        del said
        return False

    async def accept(self, name: str, via: AcceptedVia = "", account: str = "") -> Handoff:
        """Give this agent the conversation; the returned handoff may be another agent's: see ``has_it``."""
        # Only if it is needed: an older release does not know this option.
        options = {"account": account} if account else {}
        while not self.has_person or self.current is None:
            await self._pass_on("accept", lambda: self.has_person, name=name, via=via, **options)
        return self.current

    async def annotate(self, entry: StaffEntry) -> None:
        """Record what staff say about the conversation; it is in the log when this returns."""
        known = len(self.session.entries)

        def recorded() -> bool:
            return any(one.entry == entry for one in self.session.entries[known:])

        await self._pass_on("annotate", recorded, kind=kind_of(entry), entry=entry_to_json(entry))

    async def close_conversation(self, account: str, name: str) -> None:
        """End the handoff, if there is one, without a message to the customer: the matter is settled."""
        state = self.session.state
        await self._pass_on("close", lambda: state.closed is not None, account=account, name=name)

    async def say(self, message_id: str, name: str, text: str) -> bool:
        """Record the agent's message once. False if no agent has the conversation."""
        current = self.current
        if current is None or current.state != "accepted":
            return False
        if message_id not in self._said:
            said = {"message_id": message_id, "name": name, "text": text, "handoff_id": current.handoff_id}
            await self._pass_on("say", lambda: message_id in self._said or self.current != current, **said)
        return message_id in self._said

    async def end_handoff(self) -> bool:
        """Let the assistant speak again. False if there is nothing to end."""
        return await self._leave("end")

    async def give_back(self) -> None:
        """Return the conversation to the assistant, because the customer wants that. Does nothing without an
        agent.
        """
        if self.has_person:
            await self._leave("give_back")

    async def decline(self, why: str) -> bool:
        """Report that no agent is available. False if no agent was asked."""
        if self.current is None or self.current.state not in ("requested", "queued"):
            return False
        return await self._leave("decline", why=why)

    def resume(self) -> None:
        """Notify agents here of the current handoff, which began before this server knew of the conversation.

        The other server continues it.
        """
        found = [one for one in self.session.entries if isinstance(one.entry, Handoff)]
        if self.current is not None:
            self._hears(self.session, found[-1:])

    async def _leave(self, action: str, **options: str) -> bool:
        """Pass on the action that ends the current state."""
        before = self.current
        if before is None:
            return False
        await self._pass_on(action, lambda: self.current != before, handoff_id=before.handoff_id, **options)
        return True

    async def _pass_on(self, action: str, done: Callable[[], bool], **options: Json) -> None:
        await self._followed.pass_on_handoff(action, options)
        try:
            async with self._clock.timeout(ANSWER_WITHIN_S):
                while not done():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError as error:
            raise LogError(
                f"the server that writes conversation {self.session.key.conversation} did not answer within "
                f"{ANSWER_WITHIN_S:g} s; try again"
            ) from error

    def _see(self, batch: Sequence[Logged]) -> None:
        self._said.update(one.entry.message_id for one in batch if isinstance(one.entry, AgentMessage))
        self._news.set()
        if self.current is not None or any(isinstance(one.entry, Handoff) for one in batch):
            self._hears(self.session, batch)
