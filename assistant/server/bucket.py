"""So many a minute, with a little patience for bursts."""

from assistant.ports import Clock


class Bucket:
    """Lets ``per_minute`` things pass in a minute: all at once if need be, then as time refills it."""

    def __init__(self, per_minute: int, clock: Clock) -> None:
        self._full = float(per_minute)
        self._left = self._full
        self._clock = clock
        self._at = clock.monotonic()

    def take(self) -> bool:
        """Whether one more may pass; if so, it has."""
        now = self._clock.monotonic()
        self._left = min(self._full, self._left + (now - self._at) * self._full / 60)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
