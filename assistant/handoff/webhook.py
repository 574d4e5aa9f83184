"""The handoff backend for ``ASSISTANT_HANDOFF_WEBHOOK_URL``: signed requests to another program.

Events are computed from the log, and sent in order by jobs, again and again until they are accepted.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol

import orjson
import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, ForwardedToAgent, Handoff, Logged
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import TranscriptLine, transcript
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import with_files
from assistant.errors import AssistantError
from assistant.jobs import Job, JobKind, Jobs
from assistant.ports import Clock, HandoffAnswer, HandoffRequest, Log, NoAgentAvailable, Queued
from assistant.resilience import Jitter

if TYPE_CHECKING:
    import aiohttp


SIGNATURE = "X-Meanwhile-Signature"
TIMESTAMP = "X-Meanwhile-Timestamp"

WINDOW_S = 300
"""Seconds that a request's timestamp may differ from our time."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The signature header: HMAC-SHA256 over the timestamp, a full stop and the body.

    >>> signature("s", "1700000000", b"{}")[:15]
    'sha256=e9232c99'
    """
    return f"sha256={hmac.new(secret.encode(), timestamp.encode() + b'.' + body, sha256).hexdigest()}"


def signature_problem(
    secret: str, headers: tuple[str | None, str | None], body: bytes, now_s: float
) -> str | None:
    """The fault of a signed request, in words for its sender; None if it is valid.

    ``headers`` are its timestamp, in Unix seconds, and its signature; ``now_s`` is the current time in the
    same unit.
    """
    timestamp, given = headers
    if timestamp is None or given is None:
        return f"{TIMESTAMP} and {SIGNATURE} must be there"
    if not hmac.compare_digest(signature(secret, timestamp, body).encode(), given.encode()):
        return f"{SIGNATURE} is not that of this timestamp and body"
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now_s - int(timestamp)) > WINDOW_S:
        return f"{TIMESTAMP} {timestamp!r} is more than {WINDOW_S} s from the time it is here"
    return None


Event = dict[str, Json]


def events(key: ConversationKey, entries: Sequence[Logged], after: int) -> Iterator[tuple[int, Event]]:
    """The events of the entries with a number above ``after``, each with that number.

    The first request is not among them. It needs an answer, and :func:`request_event` makes it.
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
                lines = transcript(ConversationState(entries[:place]))
                told: Event = {"why": why, "ticket": ticket, "transcript": _told(lines)}
                yield logged.seq, _event("handoff.ticket", key, logged, handoff_id, **told)
            case Handoff(state="accepted" | "ended" as state, handoff_id=handoff_id, name=name):
                yield logged.seq, _event(f"handoff.{state}", key, logged, handoff_id, name=name)
            case _:
                pass


def request_event(key: ConversationKey, entries: Sequence[Logged], handoff_id: str, customer: Event) -> Event:
    """The event of the handoff request in these entries."""
    for place, logged in enumerate(entries):
        entry = logged.entry
        if isinstance(entry, Handoff) and (entry.handoff_id, entry.state) == (handoff_id, "requested"):
            lines = transcript(ConversationState(entries[:place]))
            told: Event = {"why": entry.why, "customer": customer, "transcript": _told(lines)}
            return _event("handoff.requested", key, logged, handoff_id, **told)
    raise KeyError(handoff_id)


def _event(kind: str, key: ConversationKey, logged: Logged, handoff_id: str, **told: Json) -> Event:
    place: Event = {"conversation_id": key.conversation, "handoff_id": handoff_id, "at": logged.at_ms}
    # With the time: after an erasure or a restore, another entry may have the same number.
    return {"event": kind, "event_id": f"{key.conversation}/{logged.seq}/{logged.at_ms}", **place, **told}


def _told(lines: Sequence[TranscriptLine]) -> list[Json]:
    return [{"from": line.speaker, "name": line.name or None, "text": line.text} for line in lines]


log = structlog.get_logger(__name__)

_ANSWER_S = 10.0
_FIRST_S, _LONGEST_S = 1.0, 60.0
_UNFIT = frozenset({400, 413, 422})
"""Answers to an event that will be no better the next time."""
_LONGEST_ANSWER = 64 * 1024


class HelpdeskAway(AssistantError):
    """The other program did not take an event; it may the next time."""


class WebhookClient:
    """Sends signed requests to one address. Callers send one after the other."""

    def __init__(self, url: str, secret: str, clock: Clock, jitter: Jitter) -> None:
        self._url, self._secret, self._clock, self._jitter = url, secret, clock, jitter
        self._session: aiohttp.ClientSession | None = None

    async def send(self, event: Event) -> JsonObject:
        """Send it until it is accepted; returns the answer if it is a JSON object, otherwise an empty one.

        An event that the other program refuses is not sent again, because it would block all later ones.
        """
        failures = 0
        while True:
            try:
                return await self.send_once(event)
            except HelpdeskAway as error:
                log.warning("desk did not take an event", why=str(error), **_facts(event))
            failures += 1
            pause_s = min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 8))
            await self._clock.sleep(pause_s * (1 - self._jitter() / 2))

    async def close(self) -> None:
        """Close the connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def send_once(self, event: Event) -> JsonObject:
        """As ``send``, but raises ``HelpdeskAway`` if it is not accepted."""
        import aiohttp

        body = orjson.dumps(event)
        timestamp = str(self._clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            TIMESTAMP: timestamp,
            SIGNATURE: signature(self._secret, timestamp, body),
        }
        try:
            async with self._clock.timeout(_ANSWER_S):
                # A redirect could lead what customers say anywhere.
                asking = self._open().post(self._url, data=body, headers=headers, allow_redirects=False)
                async with asking as answer:
                    if answer.status < 300:
                        return _object(await answer.content.read(_LONGEST_ANSWER))
                    if answer.status in _UNFIT:
                        log.error("desk refuses an event", status=answer.status, **_facts(event))
                        return {}
                    raise HelpdeskAway(f"the helpdesk answered with status {answer.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise HelpdeskAway(f"the helpdesk cannot be reached: {error!r}") from error

    def _open(self) -> "aiohttp.ClientSession":
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._session


def _facts(event: Event) -> dict[str, Json]:
    return {"event_id": event["event_id"], "kind": event["event"]}


def _object(body: bytes) -> JsonObject:
    try:
        answer: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {}
    return answer if isinstance(answer, dict) else {}  # pyright: ignore[reportUnknownVariableType]


class DeliveryPositions(Protocol):
    """How far each conversation's events were delivered; kept across restarts."""

    async def delivered(self, key: ConversationKey) -> int | None:
        """The number of the last entry that needs no delivery; None for an unknown conversation."""
        ...

    async def note(self, key: ConversationKey, seq: int) -> None:
        """Store the position; it is on disk when it returns."""
        ...

    async def forget(self, key: ConversationKey) -> None:
        """Delete the position: nothing more will be delivered."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete the positions of all conversations of a customer permanently; returns their number."""
        ...

    async def all(self) -> list[ConversationKey]:
        """The conversations that have a position."""
        ...


class WebhookDelivery:
    """Delivers events, with one job for each conversation that has any.

    Attributes:
        kinds: its kinds of jobs: the deliveries, and a look for what was recorded and not queued.
    """

    def __init__(self, client: WebhookClient, log_: Log, deliveries: DeliveryPositions, jobs: Jobs) -> None:
        self._client, self._log, self._deliveries, self._jobs = client, log_, deliveries, jobs
        self.kinds = (
            JobKind(
                name="delivery",
                run=self._deliver,
                lane="quick",
                tries=2 * 24 * 60,  # for two days, each minute
                first_pause_s=_FIRST_S,
                longest_pause_s=_LONGEST_S,
            ),
            JobKind(name="undelivered", run=self._queue_all, every_h=1),
        )

    async def begin(self, key: ConversationKey, seq: int) -> None:
        """Deliver this conversation's events after the entry ``seq``; no effect if that has begun."""
        if await self._deliveries.delivered(key) is None:
            await self._deliveries.note(key, seq)

    async def queue(self, key: ConversationKey) -> None:
        """Let a job check whether there is something to deliver."""
        who, id_ = (key.tenant, key.customer), key.conversation
        await self._jobs.later(Job(kind="delivery", tenant=who[0], customer=who[1], lock=id_))

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more about a customer, and delete the positions."""
        await self._jobs.erase(tenant, customer, "delivery")
        await self._deliveries.erase(tenant, customer)

    async def close(self) -> None:
        """Close the connection."""
        await self._client.close()

    async def _queue_all(self, job: Job) -> None:
        """An earlier process may have died between recording an event and queueing its delivery."""
        del job
        for key in await self._deliveries.all():
            await self.queue(key)

    async def _deliver(self, job: Job) -> None:
        key = ConversationKey(tenant=job.tenant, customer=job.customer, conversation=job.lock)
        after = await self._deliveries.delivered(key)
        if after is None:
            return
        entries = await self._log.read(key)
        for seq, event in events(key, entries, after):
            await self._client.send_once(event)
            await self._deliveries.note(key, seq)
        handoffs = [logged.entry for logged in entries if isinstance(logged.entry, Handoff)]
        if handoffs and handoffs[-1].state == "ended":
            await self._deliveries.forget(key)


class WebhookBackend:
    """Sends the handoff request and waits for the answer; all other events are delivered in the background."""

    def __init__(self, client: WebhookClient, delivery: WebhookDelivery, log: Log) -> None:
        self._client, self._delivery, self._log = client, delivery, log

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Send the request until it is accepted.

        The answer ``{"state": "unavailable", "why": "..."}`` says that no one is available.
        """
        entries = await self._log.read(asked.key)
        customer: dict[str, Json] = {"name": asked.customer_name, "locale": asked.locale}
        event = request_event(asked.key, entries, asked.handoff_id, customer)
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
        """Deliver nothing more about this customer. The other program keeps what it has received."""
        await self._delivery.erase(tenant, customer)

    async def stop(self) -> None:
        """Close the connection. Undelivered events stay queued."""
        await self._client.close()
