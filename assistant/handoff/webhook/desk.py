"""The desk behind ``ASSISTANT_HANDOFF_URL``."""

from assistant.conversation.people import ConversationKey
from assistant.conversation.values import Json
from assistant.handoff.webhook.courier import Courier
from assistant.handoff.webhook.events import requested
from assistant.handoff.webhook.post import Post
from assistant.ports import AskedForPerson, DeskAnswer, Log, NobodyThere, Queued


class WebhookDesk:
    """Asks by a request of its own, whose answer counts; all else is carried behind it."""

    def __init__(self, post: Post, courier: Courier, log: Log) -> None:
        self._post, self._courier, self._log = post, courier, log

    async def request(self, asked: AskedForPerson) -> DeskAnswer:
        """Ask until it is taken; ``{"state": "unavailable", "why": "..."}`` says that nobody can come."""
        entries = await self._log.read(asked.key)
        customer: dict[str, Json] = {"name": asked.customer_name, "locale": asked.locale}
        event = requested(asked.key, entries, asked.handoff_id, customer)
        await self._courier.begin(asked.key, len(entries))
        answer = await self._post.send(event)
        if answer.get("state") == "unavailable":
            return NobodyThere(why=str(answer.get("why") or "the desk says so"))
        return Queued()

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Have it carried; of a conversation that was taken over unasked, by others, this desk hears nothing."""
        del handoff_id
        self._courier.wake(key)

    async def ticket(self, asked: AskedForPerson, number: str) -> None:
        """Have it carried, also where nobody was asked before because it was too late in the day."""
        del number
        await self._courier.begin(asked.key, 0)
        self._courier.wake(asked.key)

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Have it carried."""
        del handoff_id
        self._courier.wake(key)

    async def erase(self, tenant: str, customer: str) -> None:
        """Carry nothing more of them; what was carried already is where it was carried to."""
        await self._courier.erase(tenant, customer)

    async def stop(self) -> None:
        """Leave what is not delivered to the next start."""
        await self._courier.close()
        await self._post.close()
