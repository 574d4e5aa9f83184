"""A desk that answers as a test says, and remembers what it was told."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.conversation.customer import ConversationKey
from assistant.ports import AskedForPerson, Clock, DeskAnswer, Queued


@dataclass(slots=True, kw_only=True)
class FakeDesk:
    """``answer`` is what a request comes to, after ``after_s``; an exception is raised.

    ``told`` has everything in order: "request h1", "pass_on h1", "ticket h1 T-ID1", "close h1".
    """

    clock: Clock
    answer: DeskAnswer | Exception = field(default_factory=Queued)
    after_s: float = 0.0
    asked: list[AskedForPerson] = field(default_factory=list[AskedForPerson])
    told: list[str] = field(default_factory=list[str])
    on_ticket: Callable[[], None] | None = None

    async def request(self, asked: AskedForPerson) -> DeskAnswer:
        """Note it, wait, and answer."""
        self.told.append(f"request {asked.handoff_id}")
        self.asked.append(asked)
        await self.clock.sleep(self.after_s)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Note it."""
        self.told.append(f"pass_on {handoff_id}")

    async def ticket(self, asked: AskedForPerson, number: str) -> None:
        """Note it."""
        self.told.append(f"ticket {asked.handoff_id} {number}")

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Note it."""
        self.told.append(f"close {handoff_id}")

    async def erase(self, tenant: str, customer: str) -> None:
        """Note it."""
        self.told.append(f"erase {tenant} {customer}")

    async def stop(self) -> None:
        """Nothing to let go of."""
