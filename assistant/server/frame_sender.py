"""Sends frames to one websocket: entries in order, replies between them, and audio, all in one task."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from assistant.conversation.entries import Logged
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.limits import Limits
from assistant.server.projector import Projector
from assistant.sessions.session import Session


def merge_deltas(frames: Iterable[JsonFrame]) -> list[JsonFrame]:
    """Join neighbouring deltas of one message under the last delta's number. Of several heard positions keep
    the last.

    >>> first = {"type": "message.delta", "seq": 4, "message_id": "m", "text": "Good "}
    >>> merge_deltas([first, {"type": "message.delta", "seq": 5, "message_id": "m", "text": "day"}])
    [{'type': 'message.delta', 'seq': 5, 'message_id': 'm', 'text': 'Good day'}]
    """
    merged: list[JsonFrame] = []
    for frame in frames:
        last = merged[-1] if merged else None
        if last is not None and _are_both("message.delta", last, frame):
            merged[-1] = {**frame, "text": f"{last['text']}{frame['text']}"}
        elif last is not None and _are_both("message.heard", last, frame):
            merged[-1] = frame
        else:
            merged.append(frame)
    return merged


def _are_both(type_: str, last: JsonFrame, frame: JsonFrame) -> bool:
    return last["type"] == frame["type"] == type_ and last["message_id"] == frame["message_id"]


_FRAME_BYTES = 200
"""The counted size of a frame without audio."""


class AudioQueue:
    """Frames about audio, and the audio itself, in sending order.

    They are not entries of the conversation, and a reconnecting client does not need them. ``size`` is the
    number of waiting bytes.
    """

    __slots__ = ("_waiting", "size")

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, JsonFrame | bytes]] = deque()
        self.size = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, frame: JsonFrame | bytes, clip: int = 0) -> None:
        """Add at the end; ``clip`` is the clip that it belongs to."""
        self._waiting.append((clip, frame))
        self.size += _size(frame)

    def put_first(self, frame: JsonFrame) -> None:
        """Add at the front."""
        self._waiting.appendleft((0, frame))
        self.size += _size(frame)

    def forget(self, clips: Collection[int] | None = None) -> None:
        """Drop the remaining frames of these clips; None: of all clips."""
        left = list(self._waiting)
        kept = [
            (clip, frame) for clip, frame in left if not clip or (clips is not None and clip not in clips)
        ]
        self._waiting = deque(kept)
        self.size = sum(_size(frame) for _, frame in kept)

    def pop(self) -> JsonFrame | bytes:
        """Remove and return the next item. Raises ``IndexError`` if there is none."""
        _, frame = self._waiting.popleft()
        self.size -= _size(frame)
        return frame


def _size(frame: JsonFrame | bytes) -> int:
    return len(frame) if isinstance(frame, bytes) else _FRAME_BYTES


_BATCH = 256
"""The number of entries that are made into frames at a time."""


class FrameSender:
    """A cursor in the session's entries, and the few replies that wait to be sent.

    Entries are not queued for each websocket. The cursor reads them in place, so each is sent exactly once and
    a slow client needs no memory. Text that has accumulated is sent as fewer, larger deltas.

    Args:
        send: writes one text frame; waits while the client does not read.
        session: the session whose entries are sent.
        projector: has processed the first ``position`` entries.
        position: the number of entries that the client already has.
        limits: how far a client may fall behind.
        send_sound: writes one binary frame; None without audio.

    ``position`` grows with the sent entries; ``overrun`` is done when the client reads too slowly.
    """

    def __init__(
        self,
        send: Callable[[str], Awaitable[None]],
        session: Session,
        projector: Projector,
        position: int,
        limits: Limits,
        send_sound: Callable[[bytes], Awaitable[None]] | None = None,
    ) -> None:
        self._send, self._send_bytes = send, send_sound
        self._session = session
        self._projector = projector
        self.position = position
        self._limits = limits
        self._replies: list[tuple[int, JsonFrame]] = []
        self._sound = AudioQueue()
        self._news = asyncio.Event()
        self._sending = False
        self.overrun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def reply(self, frame: JsonFrame) -> None:
        """Send a reply after the entries that exist now.

        If it were sent earlier, it could move the client's cursor past entries that the client has not seen.
        """
        self._replies.append((len(self._session.entries), frame))
        self._news.set()
        if len(self._replies) > self._limits.replies:
            self._overrun()

    def sound(self, frame: JsonFrame | bytes, clip: int = 0) -> None:
        """Send audio, or a frame about it, before waiting entries; ``clip`` is its clip."""
        self._sound.put(frame, clip)
        self._note_sound()

    def sound_now(self, frame: JsonFrame) -> None:
        """Send a frame about audio before all waiting audio."""
        self._sound.put_first(frame)
        self._note_sound()

    def forget_sound(self, clips: Collection[int] | None = None) -> None:
        """Drop the remaining frames of these clips; None: of all clips."""
        self._sound.forget(clips)

    def wake(self, _: Sequence[Logged]) -> None:
        """Session listener: there are new entries, or the session has failed."""
        self._news.set()
        behind = len(self._session.entries) - self.position
        # If the client does not block, the sender has only not run yet, for any number of entries.
        if self._sending and behind > self._limits.behind:
            self._overrun()

    async def run(self) -> None:
        """Send while the websocket is open. Ends only when it is cancelled or raises an error.

        Raises the session's ``LogError`` when the session has failed; before that, all durable entries are
        sent.
        """
        while True:
            self._news.clear()
            await self._send_sound()
            while frames := self._next_frames():
                for frame in frames:
                    self._sending = True
                    await self._send(encode(frame))
                    self._sending = False
                    self._note_cut_off(frame)
                    await self._send_sound()
            if (failure := self._session.failure) is not None:
                raise failure
            await self._news.wait()

    async def _send_sound(self) -> None:
        while self._sound:
            frame = self._sound.pop()
            if isinstance(frame, dict):
                await self._send(encode(frame))
            elif self._send_bytes is not None:
                await self._send_bytes(frame)

    def _note_sound(self) -> None:
        self._news.set()
        if self._sound.size > self._limits.sound_behind_bytes:
            self._overrun()

    def _next_frames(self) -> list[JsonFrame]:
        """The frames of the next entries and the due replies; empty when all is sent."""
        entries = self._session.entries
        frames: list[JsonFrame] = []
        while not frames and self.position < len(entries):
            batch = entries[self.position : self.position + _BATCH]
            self.position += len(batch)
            projected = (self._projector.project(logged) for logged in batch)
            frames = merge_deltas(frame for frame in projected if frame is not None)
        while self._replies and self._replies[0][0] <= self.position:
            frames.append(self._replies.pop(0)[1])
        return frames

    def _note_cut_off(self, frame: JsonFrame) -> None:
        """Report how much of a message that was cut off has been sent."""
        if frame["type"] == "message.completed" and frame["interrupted"]:
            self._session.report_delivery(str(frame["message_id"]), "sent", len(str(frame["text"])))

    def _overrun(self) -> None:
        if not self.overrun.done():
            self.overrun.set_result(None)
