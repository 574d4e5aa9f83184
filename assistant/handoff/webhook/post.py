"""Sends one event to the desk, and tries again until it is taken."""

from typing import TYPE_CHECKING

import orjson
import structlog

from assistant.conversation.values import JsonObject
from assistant.handoff.webhook.events import Event
from assistant.handoff.webhook.signature import SIGNATURE, TIMESTAMP, signature
from assistant.ports import Clock
from assistant.resilience import Jitter

if TYPE_CHECKING:
    import aiohttp

log = structlog.get_logger(__name__)

_ANSWER_S = 10.0
_FIRST_S, _LONGEST_S = 1.0, 60.0
_UNFIT = frozenset({400, 413, 422})
"""Answers to an event that will be no better the next time."""
_LONGEST_ANSWER = 64 * 1024


class Post:
    """Requests to one address, signed with one secret; made one after the other by whoever calls."""

    def __init__(self, url: str, secret: str, clock: Clock, jitter: Jitter) -> None:
        self._url, self._secret, self._clock, self._jitter = url, secret, clock, jitter
        self._session: aiohttp.ClientSession | None = None

    async def send(self, event: Event) -> JsonObject:
        """Send it until it is taken; gives the answer, if that is a JSON object, else an empty one.

        An event that the desk finds unfit is not sent again: it would keep back all that follow.
        """
        failures = 0
        while (answer := await self._once(event)) is None:
            failures += 1
            pause_s = min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 8))
            await self._clock.sleep(pause_s * (1 - self._jitter() / 2))
        return answer

    async def close(self) -> None:
        """Give the connection back."""
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
