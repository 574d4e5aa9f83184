"""Limits of one client: sizes, rates for visitors and addresses, and the token buckets that count them."""

import hashlib
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog
from starlette.requests import HTTPConnection

from assistant.errors import LogError
from assistant.ports import Clock
from assistant.server.auth import Visit
from assistant.server.proxies import client_address

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The server's limits. Times are in seconds.

    ``..._per_minute`` is for a visitor, over all their websockets. An address may have ``visitors_per_address``
    times as much, because the visitors of an office share one. The others are for each websocket.

    ``behind``: how many entries a slow client may be behind before it must reconnect. ``replies``: direct
    answers (errors, rejections, pongs) that may wait for it. ``replay``: the longest gap, in entries, that is
    replayed; a longer one is answered with a snapshot. ``sound_speed``: how much faster than real time audio
    may come, ``sound_burst_s``: how much of it may come in one burst. ``sound_behind_bytes`` of audio may wait
    for a slow client. A request's headers must be complete after ``headers_s``, its body after ``body_s`` plus
    one second for each ``body_bytes_per_s`` received.
    """

    frame_bytes: int = 64 * 1024
    text_chars: int = 4_000
    messages_per_minute: int = 30
    frames_per_minute: int = 600
    uploads_per_minute: int = 10
    visitors_per_address: int = 10
    behind: int = 2_000
    replies: int = 200
    replay: int = 2_000
    sound_speed: float = 1.5
    sound_burst_s: float = 6.0
    sound_behind_bytes: int = 4 * 1024 * 1024
    hello_s: float = 10.0
    close_s: float = 5.0
    headers_s: float = 10.0
    body_s: float = 20.0
    body_bytes_per_s: int = 1_000


class TokenBucket:
    """Allows ``per_minute`` requests in a minute: all at the same time if necessary, then as many as time
    refills.
    """

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._full = float(per_minute)
        self._left = self._full
        self._clock = clock
        self._at = clock.monotonic()

    @property
    def full(self) -> bool:
        """Whether it is full again."""
        self._refill()
        return self._left >= self._full

    def allow(self) -> bool:
        """Whether one more request is allowed; if so, it is counted."""
        self._refill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._left = min(self._full, self._left + (now - self._at) * self._full / 60)
        self._at = now


class TokenBuckets:
    """One bucket for each client: created at its first request, dropped when it is full again."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._buckets: dict[Hashable, TokenBucket] = {}
        self._tidied_at = clock.monotonic()

    def __len__(self) -> int:
        return len(self._buckets)

    def allow(self, whose: Hashable) -> bool:
        """Whether one more request of this client is allowed; if so, it is counted."""
        self._tidy()
        bucket = self._buckets.get(whose)
        if bucket is None:
            bucket = self._buckets[whose] = TokenBucket(self._per_minute, self._clock)
        return bucket.allow()

    def _tidy(self) -> None:
        if self._clock.monotonic() - self._tidied_at < 60:
            return
        self._tidied_at = self._clock.monotonic()
        self._buckets = {whose: bucket for whose, bucket in self._buckets.items() if not bucket.full}


WRONG_TOKENS_PER_MINUTE = 10
WRONG_TOKENS_RETRY_S = 60


class WrongTokens:
    """Counts wrong tokens and signatures by address. A right one is never refused because of earlier wrong ones."""

    def __init__(self, clock: Clock) -> None:
        self._tries = TokenBuckets(WRONG_TOKENS_PER_MINUTE, clock)

    def allow(self, connection: HTTPConnection) -> bool:
        """Count a wrong token or signature. Returns True if it gets the usual answer; False if the client
        must be told to wait.
        """
        return self._tries.allow(client_address(connection) or "here")


class SharedRates(Protocol):
    """Counts clients' requests to several servers together."""

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        """Count one more request under each name, if each is below its limit. Raises ``LogError``."""
        ...


class ClientRates:
    """The remaining requests of each visitor and each address: to this server, and to all servers together.

    Args:
        what: the counted thing, such as "messages".
        per_minute: the limit of one visitor.
        per_address: the limit of one address, as a multiple of a visitor's.
        shared: the counts of all servers; None: there is only this server.
    """

    def __init__(
        self, what: str, per_minute: int, per_address: int, clock: Clock, shared: SharedRates | None = None
    ) -> None:
        self._what, self._shared = what, shared
        self._visitor_rate, self._address_rate = per_minute, per_minute * per_address
        self._visitors = TokenBuckets(self._visitor_rate, clock)
        self._addresses = TokenBuckets(self._address_rate, clock)

    def allow_here(self, visitor: str, address: str | None) -> bool:
        """Whether one more request to this server is allowed; if so, it is counted."""
        return self._visitors.allow(visitor) and (address is None or self._addresses.allow(address))

    async def allow(self, tenant: str, visitor: str, address: str | None) -> bool:
        """Whether one more request is allowed on all servers together; if so, it is counted.

        When the servers' counts are not available, this server's own counts decide.
        """
        if not self.allow_here(visitor, address):
            return False
        if self._shared is None:
            return True
        asked = {self._named("visitor", visitor): self._visitor_rate}
        if address is not None:
            asked[self._named("address", address)] = self._address_rate
        try:
            return await self._shared.allow(tenant, asked)
        except LogError as error:
            log.warning("requests are counted for this server alone", why=str(error))
            return True

    def _named(self, kind: str, whose: str) -> str:
        """A name that reveals nothing about the client."""
        return f"{self._what} {kind} {hashlib.sha256(whose.encode()).hexdigest()[:32]}"


class RateLimits:
    """The remaining allowance of each visitor and address. Two websockets of one visitor share it.

    Messages are counted on all servers together, because each has a cost for the company. Frames are limited
    only to protect one server.
    """

    def __init__(self, limits: Limits, clock: Clock, shared: SharedRates | None = None) -> None:
        per_address = limits.visitors_per_address
        self.messages = ClientRates("messages", limits.messages_per_minute, per_address, clock, shared)
        self.frames = ClientRates("frames", limits.frames_per_minute, per_address, clock)

    def allowance(self, visit: Visit, connection: HTTPConnection) -> "Allowance":
        """The allowance of this visitor at this address."""
        tenant, address = visit.customer.tenant, client_address(connection)
        return Allowance(rates=self, tenant=tenant, visitor=visitor_key(visit), address=address)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One websocket's view of its visitor's and its address's allowance."""

    rates: RateLimits
    tenant: str
    visitor: str
    address: str | None

    async def message(self) -> bool:
        """Whether one more message is allowed; if so, it is counted."""
        return await self.rates.messages.allow(self.tenant, self.visitor, self.address)

    def frame(self) -> bool:
        """Whether one more frame is allowed; if so, it is counted."""
        return self.rates.frames.allow_here(self.visitor, self.address)


def visitor_key(visit: Visit) -> str:
    """The key of an allowance: a signed-in customer has one for all conversations.

    Other visitors are distinguished by their conversation, because all visitors of a demo are one customer.
    """
    who = visit.customer
    place = "" if who.level == "signed_in" else visit.conversation
    return "\0".join((who.tenant, who.id, place))
