"""Delivery positions in memory, with the rules of the port."""

from collections.abc import Sequence

from assistant.conversation.customer import ConversationKey
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition


class MemoryDeliveries:
    """Deliveries that are gone with the process, unless it is handed on. ``kept`` has all positions."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, ConversationKey], DeliveryPosition] = {}
        self.rested: dict[tuple[str, ConversationKey], int] = {}
        self.tries: list[DeliveryAttempt] = []

    async def begin(self, receivers: Sequence[str], key: ConversationKey, seq: int) -> None:
        for receiver in receivers:
            self.kept.setdefault((receiver, key), DeliveryPosition(seq, seq))
            self.rested.pop((receiver, key), None)

    async def delivered(self, receiver: str, key: ConversationKey) -> DeliveryPosition | None:
        return self.kept.get((receiver, key))

    async def note(self, receiver: str, key: ConversationKey, position: DeliveryPosition) -> None:
        if (receiver, key) in self.kept:
            self.kept[receiver, key] = position

    async def rest(self, receiver: str, key: ConversationKey, now_ms: int) -> None:
        self.rested[receiver, key] = now_ms

    async def forget(self, receiver: str, key: ConversationKey) -> None:
        self.kept.pop((receiver, key), None)

    async def drop_rested(self, before_ms: int) -> None:
        for each in [each for each, at_ms in self.rested.items() if at_ms < before_ms]:
            del self.rested[each], self.kept[each]

    async def erase(self, tenant: str, customer: str) -> int:
        theirs = [each for each in self.kept if (each[1].tenant, each[1].customer) == (tenant, customer)]
        for each in theirs:
            del self.kept[each]
        self.tries = [one for one in self.tries if (one.key.tenant, one.key.customer) != (tenant, customer)]
        return len(theirs)

    async def all(self, receiver: str) -> list[ConversationKey]:
        return [key for name, key in self.kept if name == receiver and (name, key) not in self.rested]

    async def add_attempt(self, attempt: DeliveryAttempt) -> None:
        self.tries.append(attempt)

    async def attempts(self, tenant: str, limit: int) -> list[DeliveryAttempt]:
        return [one for one in reversed(self.tries) if one.key.tenant == tenant][:limit]
