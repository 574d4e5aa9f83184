"""The messages between servers that share a log, and the port for their leases."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey
from assistant.conversation.values import JsonObject

Typist: TypeAlias = Literal["customer", "agent"]
"""Who types."""


@dataclass(frozen=True, slots=True)
class Command:
    """A request of a client on another server for a conversation that this server holds."""

    number: int
    key: ConversationKey
    body: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A notification about changes: new entries of ``conversations``, new commands for ``servers``, ``free``
    leases, changed ``handoffs``, or customers ``typing`` in conversations. ``typists``: who types in which
    conversation, for the page of the other one.
    """

    conversations: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    free: bool = False
    handoffs: bool = False
    typing: frozenset[str] = frozenset()
    typists: frozenset[tuple[str, Typist]] = frozenset()

    def __or__(self, other: "Hint") -> "Hint":
        return Hint(
            conversations=self.conversations | other.conversations,
            servers=self.servers | other.servers,
            free=self.free or other.free,
            handoffs=self.handoffs or other.handoffs,
            typing=self.typing | other.typing,
            typists=self.typists | other.typists,
        )

    def __bool__(self) -> bool:
        named = self.conversations or self.servers or self.typing or self.typists
        return bool(named or self.free or self.handoffs)


class Leases(Protocol):
    """Which server writes which conversation. Only the clock of the place that stores the leases counts.

    ``server`` is this server's id. Methods raise ``LogError`` if that place does not answer.
    """

    server: str

    async def take(self, key: ConversationKey) -> int | None:
        """Take the conversation, and return the new fence number. Returns None if another live server holds
        the conversation.
        """
        ...

    async def release(self, fences: Mapping[ConversationKey, int]) -> None:
        """Release these conversations, if this server still holds them with this fence number."""
        ...

    async def beat(self) -> int:
        """Report that this server is alive. Returns the number of live servers, including this one."""
        ...

    async def leave(self) -> None:
        """Release all conversations, because this server shuts down."""
        ...

    async def free(self, among: Collection[ConversationKey], limit: int) -> list[ConversationKey]:
        """Returns the conversations that no live server holds: all unfinished conversations, and the given
        ones.
        """
        ...

    async def send(self, key: ConversationKey, command: JsonObject) -> str | None:
        """Store a command for the server that holds the conversation.

        Returns the id of the command, or None if no server holds the conversation.
        """
        ...

    async def commands(self) -> list[Command]:
        """Returns the commands for conversations that this server holds, in order."""
        ...

    async def done(self, numbers: Sequence[int]) -> None:
        """Remove these commands."""
        ...

    async def positions(self, keys: Collection[ConversationKey]) -> Mapping[ConversationKey, int]:
        """Returns the number of the last entry of each of these conversations; those without entries are left
        out.
        """
        ...

    async def for_agents(
        self, tenant: str, conversation: str | None, limit: int, *, held: bool = True
    ) -> list[ConversationKey]:
        """Returns the conversations that agents may want to see: those with a handoff and, with ``held``,
        those that a live server holds, newest first; with an id, only that conversation.
        """
        ...

    async def hint(self, hint: Hint) -> None:
        """Send the hint to the other servers. It may be lost."""
        ...

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        """Call ``heard`` with each hint of other servers, until cancelled.

        Raises if the connection is lost.
        """
        ...
