"""What one socket should still hear of sound, in order: little, for more is made only as it is played."""

from collections import deque
from collections.abc import Collection

from assistant.server.wire import Wire

_FRAME_BYTES = 200
"""What a frame without sound counts."""


class SoundQueue:
    """Frames about sound, and sound itself, in the order in which they are to be sent.

    They have no place among the entries of the conversation, and nobody who comes back misses them. ``size`` is
    how many bytes wait.
    """

    __slots__ = ("_waiting", "size")

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Wire | bytes]] = deque()
        self.size = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, frame: Wire | bytes, clip: int = 0) -> None:
        """Send this after everything else; ``clip``: it belongs to this one."""
        self._waiting.append((clip, frame))
        self.size += _size(frame)

    def put_first(self, frame: Wire) -> None:
        """Send this before everything else."""
        self._waiting.appendleft((0, frame))
        self.size += _size(frame)

    def forget(self, clips: Collection[int] | None = None) -> None:
        """Do not send what is left of these clips; None: of any."""
        left = list(self._waiting)
        kept = [
            (clip, frame) for clip, frame in left if not clip or (clips is not None and clip not in clips)
        ]
        self._waiting = deque(kept)
        self.size = sum(_size(frame) for _, frame in kept)

    def take(self) -> Wire | bytes:
        """The next one. Raises ``IndexError`` when there is none."""
        _, frame = self._waiting.popleft()
        self.size -= _size(frame)
        return frame


def _size(frame: Wire | bytes) -> int:
    return len(frame) if isinstance(frame, bytes) else _FRAME_BYTES
