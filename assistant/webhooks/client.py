"""Sends signed events to one address, and checks the signature of what comes back from there."""

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson
import structlog

from assistant.conversation.values import Json, JsonObject
from assistant.errors import AssistantError, DeclarationError
from assistant.ports import Clock
from assistant.resilience import Jitter

if TYPE_CHECKING:
    import aiohttp

log = structlog.get_logger(__name__)

SIGNATURE = "X-Meanwhile-Signature"
TIMESTAMP = "X-Meanwhile-Timestamp"

WINDOW_S = 300
"""Seconds that a request's timestamp may differ from our time."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Returns the signature header: HMAC-SHA256 over the timestamp, a full stop and the body.

    >>> signature("s", "1700000000", b"{}")[:15]
    'sha256=e9232c99'
    """
    return f"sha256={hmac.new(secret.encode(), timestamp.encode() + b'.' + body, sha256).hexdigest()}"


def signature_problem(
    secret: str, headers: tuple[str | None, str | None], body: bytes, now_s: float
) -> str | None:
    """Returns the fault of a signed request, in words for its sender, or None if it is valid.

    ``headers`` are its timestamp, in Unix seconds, and its signature; ``now_s`` is the current time in the
    same unit.
    """
    timestamp, given = headers
    if timestamp is None or given is None:
        return f"{TIMESTAMP} and {SIGNATURE} must be there"
    valid = (signature(value, timestamp, body).encode() for value in _values(secret))
    if not any(hmac.compare_digest(one, given.encode()) for one in valid):
        return f"{SIGNATURE} is not that of this timestamp and body"
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now_s - int(timestamp)) > WINDOW_S:
        return f"{TIMESTAMP} {timestamp!r} is more than {WINDOW_S} s from the time it is here"
    return None


Event = dict[str, Json]
"""An event as JSON. ``event`` is its type, ``event_id`` is the same each time that it is sent."""

_ANSWER_S = 10.0
_FIRST_S, _LONGEST_S = 1.0, 60.0
_REFUSALS = frozenset({400, 413, 422})
"""Answers to an event that will be no better the next time."""
_LONGEST_ANSWER = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a receiver answered, and after how many ms. A receiver that refuses an event does not get it again."""

    status: int
    body: bytes
    took_ms: int

    @property
    def refused(self) -> bool:
        """Whether the receiver says that the event is invalid."""
        return self.status in _REFUSALS

    @property
    def json(self) -> JsonObject:
        """The body if it is a JSON object, and an empty object otherwise."""
        try:
            answer: object = orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return {}
        return answer if isinstance(answer, dict) else {}  # pyright: ignore[reportUnknownVariableType]


class NotDelivered(AssistantError):
    """A receiver did not accept an event. It may accept the event the next time. ``status`` is the status of
    its answer, or 0 if there was no answer.
    """

    def __init__(self, problem: str, status: int = 0, took_ms: int = 0) -> None:
        self.status, self.took_ms = status, took_ms
        super().__init__(problem)


class WebhookClient:
    """Sends signed requests to one address.

    Args:
        url: an address that :func:`checked_url` accepts.
        secret: signs the requests.
        clock: the time in signatures, time limits and pauses.
        jitter: makes pauses of several senders differ.
        name: what is at the address, for messages.
    """

    def __init__(
        self, url: str, secret: str, clock: Clock, jitter: Jitter, name: str = "the helpdesk"
    ) -> None:
        self.url, self.name = url, name
        self._secret, self._clock, self._jitter = secret, clock, jitter
        self._session: aiohttp.ClientSession | None = None

    async def send(self, event: Event) -> JsonObject:
        """Send the event until the receiver accepts it. Returns the answer if it is a JSON object, and an
        empty object otherwise.

        An event that the receiver refuses is not sent again, because it would block all later ones.
        """
        failures = 0
        while True:
            try:
                answer = await self.send_once(event)
                return {} if answer.refused else answer.json
            except NotDelivered as error:
                log.warning("webhook event not accepted", why=str(error), **_facts(event))
            failures += 1
            pause_s = min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 8))
            await self._clock.sleep(pause_s * (1 - self._jitter() / 2))

    async def send_once(self, event: Event) -> Answer:
        """Send the event once. Raises ``NotDelivered`` if the receiver neither accepts nor refuses it."""
        import aiohttp

        body = orjson.dumps(event)
        timestamp = str(self._clock.now_ms() // 1000)
        headers = {
            "Content-Type": "application/json",
            TIMESTAMP: timestamp,
            SIGNATURE: signature(_values(self._secret)[0], timestamp, body),
        }
        began = self._clock.monotonic()
        try:
            async with self._clock.timeout(_ANSWER_S):
                # A redirect could lead what customers say anywhere.
                asking = self._open().post(self.url, data=body, headers=headers, allow_redirects=False)
                async with asking as response:
                    answer = Answer(
                        status=response.status,
                        body=await response.content.read(_LONGEST_ANSWER),
                        took_ms=self._ms_since(began),
                    )
        except TimeoutError as error:
            problem = f"{self.name} did not answer within {_ANSWER_S:.0f} s"
            raise NotDelivered(problem, took_ms=self._ms_since(began)) from error
        except (aiohttp.ClientError, OSError) as error:
            problem = f"{self.name} cannot be reached: {str(error) or type(error).__name__}"
            raise NotDelivered(problem, took_ms=self._ms_since(began)) from error
        if answer.refused:
            log.error("webhook event refused", status=answer.status, **_facts(event))
        elif answer.status >= 300:
            raise NotDelivered(
                f"{self.name} answered with status {answer.status}", answer.status, answer.took_ms
            )
        return answer

    async def close(self) -> None:
        """Close the connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _ms_since(self, began: float) -> int:
        return round(1000 * (self._clock.monotonic() - began))

    def _open(self) -> "aiohttp.ClientSession":
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=None), cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._session


def _facts(event: Event) -> dict[str, Json]:
    return {"event_id": event["event_id"], "kind": event["event"]}


SHORTEST_SECRET = 32


def checked_url(setting: str, url: str) -> str:
    """Returns the address of a receiver.

    Raises ``DeclarationError`` unless it is an http or https address without a user name.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise DeclarationError(
            f"{setting}={url!r} is not an address to send to; write it as"
            " 'https://desk.example.com/events', without a user or password"
        )
    return url


def _values(secret: str) -> list[str]:
    """The values of a secret: while it is replaced there are two, the new one first, with a space between."""
    values = secret.split()
    return values if len(values) == 2 and min(map(len, values)) >= SHORTEST_SECRET else [secret]


def checked_secret(setting: str, secret: str, urls: str) -> str:
    """Returns the secret, which signs the requests to the addresses of the setting ``urls``.

    Raises ``DeclarationError`` if the secret is too short.
    """
    if len(secret) < SHORTEST_SECRET:
        raise DeclarationError(
            f"{setting} has {len(secret)} characters; requests to {urls} are signed with it, so it needs"
            f" {SHORTEST_SECRET} or more, such as `openssl rand -base64 32` prints"
        )
    return secret
