"""So many a minute, with a little patience for bursts."""

from collections.abc import Hashable

from assistant.ports import Clock


class Bucket:
    """Lets ``per_minute`` things pass in a minute: all at once if need be, then as time refills it."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._full = float(per_minute)
        self._left = self._full
        self._clock = clock
        self._at = clock.monotonic()

    @property
    def full(self) -> bool:
        """Whether it is as good as new."""
        self._refill()
        return self._left >= self._full

    def take(self) -> bool:
        """Whether one more may pass; if so, it has."""
        self._refill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._left = min(self._full, self._left + (now - self._at) * self._full / 60)
        self._at = now


class Buckets:
    """A bucket for everybody, made when they first take something, forgotten when it is full again."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._buckets: dict[Hashable, Bucket] = {}
        self._tidied_at = clock.monotonic()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, whose: Hashable) -> bool:
        """Whether one more of theirs may pass; if so, it has."""
        self._tidy()
        bucket = self._buckets.get(whose)
        if bucket is None:
            bucket = self._buckets[whose] = Bucket(self._per_minute, self._clock)
        return bucket.take()

    def _tidy(self) -> None:
        if self._clock.monotonic() - self._tidied_at < 60:
            return
        self._tidied_at = self._clock.monotonic()
        self._buckets = {whose: bucket for whose, bucket in self._buckets.items() if not bucket.full}
