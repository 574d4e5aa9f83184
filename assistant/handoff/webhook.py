"""The handoff backend for ``ASSISTANT_HANDOFF_WEBHOOK_URL``: signed requests to another program.

Events are computed from the log, and delivered in order like all webhooks: :mod:`assistant.webhooks.delivery`.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import CustomerMessage, ForwardedToAgent, Handoff, Logged
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import TranscriptLine, transcript
from assistant.conversation.values import Json
from assistant.conversation.views import with_files
from assistant.jobs import Jobs
from assistant.ports import Clock, HandoffAnswer, HandoffRequest, NoAgentAvailable, Queued
from assistant.storage_ports import DeliveryPosition, DeliveryStore, Log
from assistant.webhooks.client import Event, WebhookClient
from assistant.webhooks.delivery import DeliveryPlan, Due, Receiver, WebhookDelivery

RECEIVER: Final = "handoff"
"""The name of the helpdesk among the receivers of events."""

_PLAN = DeliveryPlan(kind="delivery", sweep="undelivered", tries=2 * 24 * 60, longest_pause_s=60.0)
"""Retries for two days, every minute: a customer may be waiting."""


class HandoffEvents:
    """Computes the helpdesk's events: from a request until the end of the handoff."""

    def due(
        self, key: ConversationKey, entries: Sequence[Logged], after: DeliveryPosition, now_ms: int
    ) -> Due:
        """The events of the entries after the position, and whether the handoff has ended."""
        del now_ms
        handoffs = [logged.entry for logged in entries if isinstance(logged.entry, Handoff)]
        return Due(
            events=[(DeliveryPosition(seq), event) for seq, event in _events(key, entries, after.seq)],
            then="forget" if handoffs and handoffs[-1].state == "ended" else "go_on",
        )


def helpdesk_delivery(
    client: WebhookClient, log: Log, positions: DeliveryStore, jobs: Jobs, clock: Clock
) -> WebhookDelivery:
    """The delivery of events to the helpdesk."""
    receivers = {RECEIVER: Receiver(client=client, source=HandoffEvents())}
    return WebhookDelivery(
        receivers=receivers, log=log, positions=positions, jobs=jobs, clock=clock, plan=_PLAN
    )


def _events(key: ConversationKey, entries: Sequence[Logged], after: int) -> Iterator[tuple[int, Event]]:
    """The events of the entries with a number above ``after``, each with its entry's number.

    The first request is not included. It needs an answer, and :func:`request_event` makes it.
    """
    said: dict[str, CustomerMessage] = {}
    for place, logged in enumerate(entries):
        entry = logged.entry
        if isinstance(entry, CustomerMessage):
            said[entry.message_id] = entry
        if logged.seq <= after:
            continue
        match entry:
            case ForwardedToAgent(message_id=message_id, handoff_id=handoff_id):
                message: Event = {
                    "id": message_id,
                    "text": with_files(said[message_id].text, said[message_id].attachments),
                }
                yield logged.seq, _event("message.created", key, logged, handoff_id, message=message)
            case Handoff(state="ticket", handoff_id=handoff_id, why=why, ticket=ticket):
                state = ConversationState(entries[:place])
                told: Event = {"why": why, "ticket": ticket, "customer": _customer(key, state)}
                told |= _routed(state)
                told |= {"transcript": _told(transcript(state))}
                yield logged.seq, _event("handoff.ticket", key, logged, handoff_id, **told)
            case Handoff(state="accepted" | "ended" as state, handoff_id=handoff_id, name=name):
                yield logged.seq, _event(f"handoff.{state}", key, logged, handoff_id, name=name)
            case _:
                pass


def request_event(key: ConversationKey, entries: Sequence[Logged], handoff_id: str) -> Event:
    """The event of the handoff request in these entries."""
    for place, logged in enumerate(entries):
        entry = logged.entry
        if isinstance(entry, Handoff) and (entry.handoff_id, entry.state) == (handoff_id, "requested"):
            state = ConversationState(entries[:place])
            told: Event = {"why": entry.why, "customer": _customer(key, state), **_routed(state)}
            told |= {"transcript": _told(transcript(state))}
            return _event("handoff.requested", key, logged, handoff_id, **told)
    raise KeyError(handoff_id)


def _event(kind: str, key: ConversationKey, logged: Logged, handoff_id: str, **told: Json) -> Event:
    place: Event = {"conversation_id": key.conversation, "handoff_id": handoff_id, "at": logged.at_ms}
    # Includes the time: after an erasure or a restore, another entry may have the same number.
    return {"event": kind, "event_id": f"{key.conversation}/{logged.seq}/{logged.at_ms}", **place, **told}


def _customer(key: ConversationKey, state: ConversationState) -> Event:
    """Who the customer is: from the log, so that it is known after a restart, too."""
    customer = state.customer(Customer(tenant=key.tenant, id=key.customer, level=state.level))
    locale = next(reversed(state.said.values())).locale if state.said else "en"
    return {"id": customer.id, "name": customer.name, "level": customer.level, "locale": locale}


def _routed(state: ConversationState) -> Event:
    """Why the conversation was handed over, and which agents it is for. A missing part is null."""
    routed = state.routed
    if routed is None:
        return {"rule": None, "team": None, "skill": None, "priority": "normal"}
    rule: Json = {"name": routed.rule, "why": routed.why} if routed.rule else None
    return {
        "rule": rule,
        "team": routed.team or None,
        "skill": routed.skill or None,
        "priority": routed.priority,
    }


def _told(lines: Sequence[TranscriptLine]) -> list[Json]:
    return [{"from": line.speaker, "name": line.name or None, "text": line.text} for line in lines]


class WebhookBackend:
    """Sends the handoff request and waits for the answer; all other events are delivered in the background."""

    def __init__(self, client: WebhookClient, delivery: WebhookDelivery, log: Log) -> None:
        self._client, self._delivery, self._log = client, delivery, log

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Send the request until it is accepted.

        The answer ``{"state": "unavailable", "why": "..."}`` means that no one is available.
        """
        entries = await self._log.read(asked.key)
        event = request_event(asked.key, entries, asked.handoff_id)
        await self._delivery.begin(asked.key, len(entries))
        answer = await self._client.send(event)
        if answer.get("state") == "unavailable":
            return NoAgentAvailable(why=str(answer.get("why") or "the desk says so"))
        return Queued()

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Deliver the new message. A conversation that other agents took over without a request is not
        reported here.
        """
        del handoff_id
        await self._delivery.queue(key)

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Deliver the ticket, also if no one was asked because it was outside opening hours."""
        del number
        await self._delivery.begin(asked.key, 0)
        await self._delivery.queue(asked.key)

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Deliver the end of the handoff."""
        del handoff_id
        await self._delivery.queue(key)

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more about this customer. The other program keeps the data that it has received."""
        await self._delivery.erase(tenant, customer)

    async def stop(self) -> None:
        """Close the connection. Undelivered events stay queued."""
        await self._client.close()
