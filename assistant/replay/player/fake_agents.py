"""The company's people in a replayed conversation: a desk that answers as the cassette says, and who sits at it."""

from dataclasses import dataclass
from typing import assert_never

from assistant.conversation.customer import ConversationKey
from assistant.ports import HandoffAnswer, HandoffRequest, NoAgentAvailable, Queued
from assistant.replay.cassette import ByAPerson, People
from assistant.sessions.handoff import HandoffRegistry, SessionHandoff
from assistant.testing.counted_ids import CountedIds


@dataclass(frozen=True, slots=True)
class FakeHandoffBackend:
    """Answers at once: an agent will look, or no agent is there."""

    there: bool

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:  # noqa: ARG002 - as the port has it
        """As the cassette says."""
        return Queued() if self.there else NoAgentAvailable(why="nobody is there")

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """The cassette knows what the person answers."""

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Does nothing: no agent reads it."""

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Does nothing: the agent is gone."""

    async def erase(self, tenant: str, customer: str) -> None:
        """Does nothing: a replay erases no customer."""

    async def stop(self) -> None:
        """Does nothing: it holds no resource."""


def handoffs_for(people: People) -> HandoffRegistry:
    """The way to these people."""
    return HandoffRegistry(FakeHandoffBackend(people.there), CountedIds("h"), people.wait_s)


async def act(handoff: SessionHandoff, what: ByAPerson, words: str, message_id: str) -> str | None:
    """Let a person do something; gives why it came to nothing, where it did."""
    match what:
        case "accepts":
            has_it = (await handoff.accept(words)).name
            return None if has_it == words else f"{has_it} had the conversation when {words} accepted"
        case "person_says":
            name = handoff.current.name if handoff.current is not None else ""
            said = await handoff.say(message_id, name, words)
            return None if said else f"no person had the conversation to say {words!r}"
        case "person_ends":
            return None if await handoff.end() else "there was nothing that a person could end"
        case "declines":
            return None if await handoff.decline(words) else "nobody was asked, so nobody could decline"
        case _:
            assert_never(what)
