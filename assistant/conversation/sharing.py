"""What servers that share a log tell each other, and the port of their leases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.conversation.customer import ConversationKey
from assistant.conversation.values import JsonObject


@dataclass(frozen=True, slots=True)
class Command:
    """What a client on another server wants of a conversation that is held here."""

    number: int
    key: ConversationKey
    body: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Something is new: entries of these ``conversations``, commands for these ``servers``, ``free`` leases,
    ``handoffs`` that have changed, or customers ``typing`` in conversations.
    """

    conversations: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    free: bool = False
    handoffs: bool = False
    typing: frozenset[str] = frozenset()

    def __or__(self, other: "Hint") -> "Hint":
        return Hint(
            conversations=self.conversations | other.conversations,
            servers=self.servers | other.servers,
            free=self.free or other.free,
            handoffs=self.handoffs or other.handoffs,
            typing=self.typing | other.typing,
        )

    def __bool__(self) -> bool:
        return bool(self.conversations or self.servers or self.free or self.handoffs or self.typing)


class Leases(Protocol):
    """Who writes which conversation. Only the clock of the place that stores leases counts.

    ``server`` is this server's own id. Methods raise ``LogError`` when that place does not answer.
    """

    server: str

    async def take(self, key: ConversationKey) -> int | None:
        """Take the conversation, unless another live server holds it (None); gives the new fence number."""
        ...

    async def release(self, fences: Mapping[ConversationKey, int]) -> None:
        """Let go of these conversations, where they are still held with this fence number."""
        ...

    async def beat(self) -> int:
        """Say that this server is alive; gives the number of live servers, this one included."""
        ...

    async def leave(self) -> None:
        """Let go of everything: this server ends."""
        ...

    async def free(self, among: Collection[ConversationKey], limit: int) -> list[ConversationKey]:
        """Conversations that no live server holds: unfinished ones, and those ``among`` the given."""
        ...

    async def send(self, key: ConversationKey, command: JsonObject) -> str | None:
        """Store a command for the server that holds the conversation; gives its id, None if none does."""
        ...

    async def commands(self) -> list[Command]:
        """The commands for conversations that are held here, in order."""
        ...

    async def done(self, numbers: Sequence[int]) -> None:
        """Remove these commands."""
        ...

    async def positions(self, keys: Collection[ConversationKey]) -> Mapping[ConversationKey, int]:
        """The number of the last entry of each of these conversations that exists."""
        ...

    async def for_agents(
        self, tenant: str, conversation: str | None, limit: int, *, held: bool = True
    ) -> list[ConversationKey]:
        """What agents may want to see: conversations that have a handoff, then, with ``held``, those that a live
        server holds, newest first; or of all of these the one with this id.
        """
        ...

    async def hint(self, hint: Hint) -> None:
        """Tell the other servers. It may be lost."""
        ...

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        """Call ``heard`` with each hint of other servers, until cancelled. Raises when the connection is lost."""
        ...
