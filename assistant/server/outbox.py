"""Sends one socket what it should hear: entries in order, answers between them, all by one task."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from assistant.conversation.entries import Logged
from assistant.errors import LogError
from assistant.server.audio.sound_queue import SoundQueue
from assistant.server.limits import Limits
from assistant.server.live import Session
from assistant.server.merge import merge
from assistant.server.project import Projector
from assistant.server.wire import Wire, encode

_BATCH = 256
"""Entries made into frames at a time."""


class Outbox:
    """A cursor in the session's entries, and the few answers that wait to be sent.

    Entries are not queued per socket: the cursor reads them where they are, so each is sent exactly once
    and a slow reader costs no memory; what queued meanwhile goes out as fewer, larger deltas.

    Args:
        send: writes one text frame; waits while the client does not read.
        session: whose entries are sent.
        projector: has been fed the first ``position`` entries.
        position: how many entries the client has already.
        limits: how far a reader may fall behind.
        send_sound: writes one binary frame; None where nobody speaks.

    ``position`` grows with what is sent; ``overrun`` is done as soon as the client reads too slowly to be kept.
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
        self._replies: list[tuple[int, Wire]] = []
        self._sound = SoundQueue()
        self._news = asyncio.Event()
        self._sending = False
        self.overrun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def reply(self, frame: Wire) -> None:
        """Send a frame that answers the client, after the entries that exist by now.

        Before them it could carry the client's cursor past what it has not seen.
        """
        self._replies.append((len(self._session.entries), frame))
        self._news.set()
        if len(self._replies) > self._limits.replies:
            self._overrun()

    def sound(self, frame: Wire | bytes, clip: int = 0) -> None:
        """Send sound, or a frame about it, before any entries that wait; ``clip``: it belongs to this one."""
        self._sound.put(frame, clip)
        self._note_sound()

    def sound_now(self, frame: Wire) -> None:
        """Send a frame about sound before all sound that waits."""
        self._sound.put_first(frame)
        self._note_sound()

    def forget_sound(self, clips: Collection[int] | None = None) -> None:
        """Do not send what is left of these clips; None: of any."""
        self._sound.forget(clips)

    def wake(self, _: Sequence[Logged]) -> None:
        """There are new entries, or the session has failed; a listener for the session."""
        self._news.set()
        behind = len(self._session.entries) - self.position
        # Where nothing blocks, sending has simply not had its turn yet, however much has come.
        if self._sending and behind > self._limits.behind:
            self._overrun()

    async def run(self) -> None:
        """Send for as long as the socket lives; ends only by being cancelled or by an exception.

        Raises ``LogError`` when the session has failed: what was durable has been sent by then.
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
            if self._session.failed:
                raise LogError("the conversation's log has failed, or is being erased")
            await self._news.wait()

    async def _send_sound(self) -> None:
        while self._sound:
            frame = self._sound.take()
            if isinstance(frame, dict):
                await self._send(encode(frame))
            elif self._send_bytes is not None:
                await self._send_bytes(frame)

    def _note_sound(self) -> None:
        self._news.set()
        if self._sound.size > self._limits.sound_behind_bytes:
            self._overrun()

    def _next_frames(self) -> list[Wire]:
        """The frames of the next few entries and the answers that are due; empty when all is sent."""
        entries = self._session.entries
        frames: list[Wire] = []
        while not frames and self.position < len(entries):
            batch = entries[self.position : self.position + _BATCH]
            self.position += len(batch)
            projected = (self._projector.project(logged) for logged in batch)
            frames = merge(frame for frame in projected if frame is not None)
        while self._replies and self._replies[0][0] <= self.position:
            frames.append(self._replies.pop(0)[1])
        return frames

    def _note_cut_off(self, frame: Wire) -> None:
        """Of a message that was cut off, tell how much of it has gone out."""
        if frame["type"] == "message.completed" and frame["interrupted"]:
            self._session.tell(str(frame["message_id"]), "sent", len(str(frame["text"])))

    def _overrun(self) -> None:
        if not self.overrun.done():
            self.overrun.set_result(None)
