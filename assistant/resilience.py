"""Handles services that fail: when to retry, and when to stop asking for a while."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias
from zlib import crc32

from assistant.ports import Clock, Ids

_FAILURES = 5
"""After this many failures in a row the service is left alone."""

_REST_S = 15.0
_LONGEST_REST_S = 60.0
_PROBE_S = 1.0  # until another caller may try, if the one that tries has no answer


def retry_after_s(headers: Mapping[str, str], now: datetime | None) -> float | None:
    """Returns the seconds to wait that the headers ask for, in any of their forms, or None if they contain no
    readable value.

    A date is compared with ``now``; without ``now`` a date is ignored.

    >>> retry_after_s({"retry-after": "2.5"}, None)
    2.5
    """
    try:
        if ms := headers.get("retry-after-ms"):
            return max(0.0, float(ms) / 1000)
        asked = headers.get("retry-after", "")
        if asked.strip()[:1].isdigit():
            return float(asked)
        return None if now is None else max(0.0, (parsedate_to_datetime(asked) - now).total_seconds())
    except (TypeError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class CircuitOpen:
    """Why no caller may ask now, and in how many seconds one may try again."""

    why: str
    retry_after_s: float

    def __str__(self) -> str:
        return self.why


class CircuitBreaker:
    """The circuit breaker of one service, shared by all its callers.

    Closed: each caller may ask. After five failures in a row it opens for a while and no caller may ask. Then
    one caller may ask: an answer closes it, another failure opens it for twice as long, up to a minute.

    Args:
        name: the service, in words for our logs.
        clock: measures the pauses.
    """

    __slots__ = ("_clock", "_failures", "_open_until", "_probing", "_rest_s", "name")

    def __init__(self, name: str, clock: Clock) -> None:
        self.name = name
        self._clock = clock
        self._failures = 0
        self._rest_s = _REST_S
        self._open_until = clock.monotonic()
        self._probing = False

    def open(self) -> CircuitOpen | None:
        """Why no caller may ask at present, and for how long; None if one may."""
        left_s = self._open_until - self._clock.monotonic()
        if self._failures < _FAILURES:
            return None
        if left_s > 0:
            told = f"{self.name} is left alone for {left_s:.0f} s after {self._failures} failures in a row"
            return CircuitOpen(told, retry_after_s=left_s)
        if self._probing:
            told = f"{self.name} has failed {self._failures} times in a row and is being tried"
            return CircuitOpen(told, retry_after_s=_PROBE_S)
        return None

    def enter(self) -> None:
        """Record that a caller is about to use the service. Call it only if ``open`` returns None.

        The caller must report the outcome afterwards, with ``answered``, ``failed`` or ``left``.
        """
        self._probing = self._failures >= _FAILURES

    def answered(self) -> None:
        """Record that the service answered."""
        self._failures = 0
        self._rest_s = _REST_S
        self._probing = False

    def failed(self) -> None:
        """Record that the service failed."""
        self._failures += 1
        if self._failures > _FAILURES and self._probing:
            self._rest_s = min(2 * self._rest_s, _LONGEST_REST_S)
        self._probing = False
        if self._failures >= _FAILURES:
            self._open_until = self._clock.monotonic() + self._rest_s

    def left(self) -> None:
        """Record that the caller left before an answer, so the outcome is unknown."""
        self._probing = False


Jitter: TypeAlias = Callable[[], float]
"""Gives a number from 0 up to, but not including, 1."""


def jitter_from(ids: Ids) -> Jitter:
    """Random numbers made from new ids, so tests can repeat them.

    >>> from assistant.testing.counted_ids import CountedIds
    >>> 0 <= jitter_from(CountedIds())() < 1
    True
    """
    return lambda: crc32(ids.new().encode()) / 2**32
