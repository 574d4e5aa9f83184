"""The desk that comes with the product: people watch the operators' door, which reads everything off the log."""

from assistant.conversation.people import ConversationKey
from assistant.ports import AskedForPerson, DeskAnswer, Queued


class OwnDesk:
    """Queues everything: whether somebody looks, only time tells."""

    async def request(self, asked: AskedForPerson) -> DeskAnswer:  # noqa: ARG002 - as the port has it
        """It stands in the operators' list already."""
        return Queued()

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """They see it as it becomes durable."""

    async def ticket(self, asked: AskedForPerson, number: str) -> None:
        """It stays in their list until somebody ends it."""

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """They see that, too."""

    async def erase(self, tenant: str, customer: str) -> None:
        """Their list reads what is open, which is erased with the rest."""

    async def stop(self) -> None:
        """There is nothing to let go of."""
