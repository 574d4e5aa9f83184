"""The handoff backend for ``ASSISTANT_HANDOFF_WEBHOOK_URL``: signed requests to another program.

Events are computed from the log, sent in order, and sent again until they are accepted, also across restarts.
"""

import asyncio
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
    return {"event": kind, "event_id": f"{key.conversation}/{logged.seq}", **place, **told}


def _told(lines: Sequence[TranscriptLine]) -> list[Json]:
    return [{"from": line.speaker, "name": line.name or None, "text": line.text} for line in lines]


log = structlog.get_logger(__name__)

_ANSWER_S = 10.0
_FIRST_S, _LONGEST_S = 1.0, 60.0
_UNFIT = frozenset({400, 413, 422})
"""Answers to an event that will be no better the next time."""
_LONGEST_ANSWER = 64 * 1024


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
        while (answer := await self._once(event)) is None:
            failures += 1
            pause_s = min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 8))
            await self._clock.sleep(pause_s * (1 - self._jitter() / 2))
        return answer

    async def close(self) -> None:
        """Close the connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _once(self, event: Event) -> JsonObject | None:
        """The answer; None when it was not taken."""
        import aiohttp

        body = orjson.dumps(event)
        timestamp = str(self._clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            TIMESTAMP: timestamp,
            SIGNATURE: signature(self._secret, timestamp, body),
        }
        facts = {"event_id": event["event_id"], "kind": event["event"]}
        try:
            async with self._clock.timeout(_ANSWER_S):
                # A redirect could lead what customers say anywhere.
                asking = self._open().post(self._url, data=body, headers=headers, allow_redirects=False)
                async with asking as answer:
                    if answer.status < 300:
                        return _object(await answer.content.read(_LONGEST_ANSWER))
                    if answer.status in _UNFIT:
                        log.error("desk refuses an event", status=answer.status, **facts)
                        return {}
                    log.warning("desk did not take an event", status=answer.status, **facts)
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            log.warning("desk cannot be reached", error=repr(error), **facts)
        return None

    def _open(self) -> "aiohttp.ClientSession":
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._session


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
    """Delivers events, with one task for each conversation that has any."""

    def __init__(self, client: WebhookClient, log_: Log, deliveries: DeliveryPositions) -> None:
        self._client, self._log, self._deliveries = client, log_, deliveries
        self._tasks: dict[ConversationKey, asyncio.Task[None]] = {}
        self._again: set[ConversationKey] = set()

    async def begin(self, key: ConversationKey, seq: int) -> None:
        """Deliver this conversation's events after the entry ``seq``; no effect if that has begun."""
        if await self._deliveries.delivered(key) is None:
            await self._deliveries.note(key, seq)

    def wake(self, key: ConversationKey) -> None:
        """Check whether there is something to deliver."""
        self._again.add(key)
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(self._carry(key))

    async def resume(self) -> None:
        """Continue what an earlier process left."""
        for key in await self._deliveries.all():
            self.wake(key)

    async def settled(self) -> None:
        """Wait until everything is delivered."""
        while self._tasks:
            await asyncio.wait(set(self._tasks.values()))

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more about a customer, and delete the positions."""
        await self._stop([key for key in self._tasks if (key.tenant, key.customer) == (tenant, customer)])
        await self._deliveries.erase(tenant, customer)

    async def close(self) -> None:
        """Leave the rest to the next start."""
        await self._stop(list(self._tasks))

    async def _stop(self, keys: Sequence[ConversationKey]) -> None:
        self._again.difference_update(keys)
        tasks = [self._tasks[key] for key in keys]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, key: ConversationKey) -> None:
        try:
            while key in self._again:
                self._again.discard(key)
                await self._deliver(key)
        except Exception:
            # What was not delivered stands in the log: the next word of this conversation tries again.
            log.exception("delivery broke", conversation=key.conversation)
        finally:
            # Nothing runs between the last look and this, so no word of something new is lost.
            self._tasks.pop(key, None)

    async def _deliver(self, key: ConversationKey) -> None:
        after = await self._deliveries.delivered(key)
        if after is None:
            return
        entries = await self._log.read(key)
        for seq, event in events(key, entries, after):
            await self._client.send(event)
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
        self._delivery.wake(key)

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Deliver the ticket, also if no one was asked because it was outside opening hours."""
        del number
        await self._delivery.begin(asked.key, 0)
        self._delivery.wake(asked.key)

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Deliver the end of the handoff."""
        del handoff_id
        self._delivery.wake(key)

    async def erase(self, tenant: str, customer: str) -> None:
        """Deliver nothing more about this customer. The other program keeps what it has received."""
        await self._delivery.erase(tenant, customer)

    async def stop(self) -> None:
        """Leave undelivered events to the next start."""
        await self._delivery.close()
        await self._client.close()
