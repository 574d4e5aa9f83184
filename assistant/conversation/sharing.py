"""What servers that share a log tell each other."""

from dataclasses import dataclass

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
    """Something is new: entries of these ``conversations``, commands for these ``servers``, ``free`` leases."""

    conversations: frozenset[str] = frozenset()
    servers: frozenset[str] = frozenset()
    free: bool = False

    def __or__(self, other: "Hint") -> "Hint":
        return Hint(
            conversations=self.conversations | other.conversations,
            servers=self.servers | other.servers,
            free=self.free or other.free,
        )

    def __bool__(self) -> bool:
        return bool(self.conversations or self.servers or self.free)
