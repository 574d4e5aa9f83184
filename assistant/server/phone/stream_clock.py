"""How much of what was sent on a stream has been played: by the marks that came back, and by time between them."""

from collections import deque

LATE_S = 0.15
"""So long after it was sent the first sound is heard, at least."""

_LOST_S = 2.0
"""A mark that is so late will not come back."""


class StreamClock:
    """Counts samples from the beginning of the stream, or from the last time that it was cleared.

    Between two marks sound is taken to be played at its rate, but never past a mark that has not come back: so what
    it says has been heard indeed.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self.sent = 0
        self._known, self._known_s, self._most = 0, 0.0, 0
        self._marks: deque[int] = deque()

    def send(self, samples: int, now_s: float) -> None:
        """More was sent."""
        if self.played(now_s) >= self.sent:
            self._known, self._known_s = self.sent, now_s + LATE_S
        self.sent += samples

    def mark(self) -> int:
        """A mark follows what was sent; gives its name."""
        self._marks.append(self.sent)
        return self.sent

    def marked(self, name: int, now_s: float) -> None:
        """This mark has come back."""
        while self._marks and self._marks[0] <= name:
            self._known, self._known_s = self._marks.popleft(), now_s

    def played(self, now_s: float) -> int:
        """So many samples have been played; never fewer than before."""
        gone = self._known + int((now_s - self._known_s) * self._rate + 0.001)
        while self._marks and gone - self._marks[0] > _LOST_S * self._rate:
            self._marks.popleft()
        self._most = max(self._most, min(gone, self._marks[0] if self._marks else self.sent))
        return self._most

    def clear(self) -> None:
        """Nothing was sent."""
        self.sent = self._known = self._most = 0
        self._marks.clear()
