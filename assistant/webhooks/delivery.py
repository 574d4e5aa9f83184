"""Delivers events of conversations to receivers: each event at least once, in order, also after a crash.

Which events a receiver has not got yet follows from the log and from its position in it: the number of the
last entry that needs no delivery. The position is stored before the first entry that leads to an event, so no
event is lost. An event's id is made of its conversation and the number of its entry, so an event that is sent
twice has the same id each time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal, Protocol

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.jobs import Job, JobKind, Jobs
from assistant.ports import Clock
from assistant.resilience import CircuitBreaker
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition, DeliveryStore, Log
from assistant.webhooks.client import Answer, Event, NotDelivered, WebhookClient

_FIRST_S = 1.0

_RESTED_MS = 24 * 3600 * 1000
"""How long a position is kept after the last event of its conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What a receiver must get of a conversation now: events, each with the position after it was delivered.

    ``then`` is "rest" if only a new entry can make another event, and "forget" if the position of the
    receiver is not needed any more. ``again_ms`` is the Unix time at which another event may be due without a
    new entry, or None if there is no such time.
    """

    events: Sequence[tuple[DeliveryPosition, Event]]
    then: Literal["go_on", "rest", "forget"] = "go_on"
    again_ms: int | None = None


class EventSource(Protocol):
    """Computes events from the log."""

    def due(
        self, key: ConversationKey, entries: Sequence[Logged], after: DeliveryPosition, now_ms: int
    ) -> Due:
        """Returns the events of a conversation after this position.

        No side effects: the same entries give the same events.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Another program, and the events that it gets. While its ``circuit`` is open, it is not asked."""

    client: WebhookClient
    source: EventSource
    circuit: CircuitBreaker | None = None


def receiver_name(url: str) -> str:
    """Returns a hash of a receiver's URL: the receiver's name where the position of its deliveries is stored.

    The URL is not stored there, because it may contain a secret.

    >>> receiver_name("https://crm.example.com/hook")
    '52073b392da6'
    """
    return sha256(url.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPlan:
    """The names of a delivery's kinds of jobs, and how long it tries.

    Each try is ``longest_pause_s`` after the last one at most.
    """

    kind: str
    sweep: str
    tries: int
    longest_pause_s: float


@dataclass(slots=True, kw_only=True)
class WebhookDelivery:
    """Delivers events, with one job for each conversation and receiver.

    Attributes:
        receivers: by their names in stored positions.
        kinds: the kinds of its jobs: deliveries, later checks, and a check for events that were recorded but
            not queued.
    """

    receivers: Mapping[str, Receiver]
    log: Log
    positions: DeliveryStore
    jobs: Jobs
    clock: Clock
    plan: DeliveryPlan
    kinds: Sequence[JobKind] = field(init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        self.kinds = (
            JobKind(
                name=plan.kind,
                run=self._deliver,
                lane="quick",
                tries=plan.tries,
                first_pause_s=_FIRST_S,
                longest_pause_s=plan.longest_pause_s,
            ),
            JobKind(name=f"{plan.kind} later", run=self._look_again, lane="quick"),
            JobKind(name=plan.sweep, run=self._queue_all, every_h=1),
        )

    async def begin(self, key: ConversationKey, seq: int) -> None:
        """Note that this conversation's events after the entry ``seq`` must be delivered. Does nothing if
        this was noted before, or if it is an example conversation.
        """
        if key.is_sample:
            return
        await self.positions.begin([*self.receivers], key, seq)

    async def queue(self, key: ConversationKey) -> None:
        """Let jobs check whether there is something to deliver. Does nothing for an example conversation."""
        if key.is_sample:
            return
        for name in self.receivers:
            await self.jobs.later(self._job(self.plan.kind, name, key))

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more about a customer, and delete positions and the log of deliveries."""
        for kind in self.kinds:
            await self.jobs.erase(tenant, customer, kind.name)
        await self.positions.erase(tenant, customer)

    async def close(self) -> None:
        """Close the connections."""
        for receiver in self.receivers.values():
            await receiver.client.close()

    def _job(self, kind: str, name: str, key: ConversationKey) -> Job:
        return Job(
            kind=kind,
            tenant=key.tenant,
            customer=key.customer,
            lock=f"{key.conversation} {name}",
            arguments={"conversation": key.conversation, "receiver": name},
        )

    async def _queue_all(self, job: Job) -> None:
        """Queue a delivery for each stored position, because an earlier process may have died between
        recording an event and queueing its delivery.
        """
        del job
        await self.positions.drop_rested(self.clock.now_ms() - _RESTED_MS)
        for name in self.receivers:
            for key in await self.positions.all(name):
                await self.jobs.later(self._job(self.plan.kind, name, key))

    async def _look_again(self, job: Job) -> None:
        await self.jobs.later(self._job(self.plan.kind, *_read(job)))

    async def _deliver(self, job: Job) -> None:
        name, key = _read(job)
        receiver, after = self.receivers.get(name), await self.positions.delivered(name, key)
        if (
            receiver is None or after is None
        ):  # its address was removed from the settings, or all is delivered
            return
        entries = await self.log.read(key)
        due = receiver.source.due(key, entries, after, self.clock.now_ms())
        for position, event in due.events:
            await self._send(name, receiver, key, event)
            await self.positions.note(name, key, position)
        if due.then == "forget":
            await self.positions.forget(name, key)
        elif due.then == "rest" or not entries:
            # Without entries it rests, too: the first one may be on its way to the disk.
            await self.positions.rest(name, key, self.clock.now_ms())
        elif due.again_ms is not None:
            after_s = max(0.0, (due.again_ms - self.clock.now_ms()) / 1000)
            await self.jobs.later(self._job(f"{self.plan.kind} later", name, key), after_s)

    async def _send(self, name: str, receiver: Receiver, key: ConversationKey, event: Event) -> None:
        """Send one event and log the attempt. Raises ``NotDelivered``."""
        circuit = receiver.circuit
        if circuit is not None:
            if (rests := circuit.open()) is not None:
                raise NotDelivered(str(rests))
            circuit.enter()
        try:
            answer = await receiver.client.send_once(event)
        except NotDelivered as error:
            if circuit is not None:
                circuit.failed()
            await self._note_attempt(name, key, event, error)
            raise
        except BaseException:
            if circuit is not None:
                circuit.left()
            raise
        if circuit is not None:
            circuit.answered()
        await self._note_attempt(name, key, event, answer)

    async def _note_attempt(
        self, name: str, key: ConversationKey, event: Event, result: Answer | NotDelivered
    ) -> None:
        problem = "the receiver says that the event is invalid" if isinstance(result, Answer) else str(result)
        accepted = isinstance(result, Answer) and not result.refused
        await self.positions.add_attempt(
            DeliveryAttempt(
                receiver=name,
                key=key,
                event_id=str(event["event_id"]),
                event=str(event["event"]),
                at_ms=self.clock.now_ms(),
                status=result.status,
                took_ms=result.took_ms,
                problem="" if accepted else problem,
            )
        )


def _read(job: Job) -> tuple[str, ConversationKey]:
    conversation = str(job.arguments["conversation"])
    key = ConversationKey(tenant=job.tenant, customer=job.customer, conversation=conversation)
    return str(job.arguments["receiver"]), key
