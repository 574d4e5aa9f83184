"""How much sound a client may send: about as much as there is time."""

from assistant.ports import HEARD_RATE, Clock
from assistant.server.limits import Limits

_LEAST_S = 0.005
"""What the smallest frame costs: a flood of empty ones is a flood, too."""


class SoundAllowance:
    """Lets sound pass somewhat faster than it is made, for what was held up comes all at once."""

    __slots__ = ("_at", "_clock", "_left_s", "_limits")

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits, self._clock = limits, clock
        self._left_s, self._at = limits.sound_burst_s, clock.monotonic()

    def take(self, size: int) -> bool:
        """Whether so many bytes may pass; if so, they have."""
        now = self._clock.monotonic()
        refilled = self._left_s + (now - self._at) * self._limits.sound_speed
        self._left_s, self._at = min(self._limits.sound_burst_s, refilled), now
        self._left_s -= max(_LEAST_S, size / (2 * HEARD_RATE))
        return self._left_s >= 0
