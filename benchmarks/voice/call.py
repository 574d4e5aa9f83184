"""One customer at a microphone and a loudspeaker, in real time, on a line of their own."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from assistant.conversation.entries import Logged, MessageClosed, MessageText, TurnEnded
from assistant.sessions.session import Session
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm
from assistant.voice.ports import Activity, VoiceServices
from assistant.voice.session import VoiceSession
from benchmarks.voice.speakers import quiet
from tests.support.spoken_chat import FakeLoudspeaker

_FRAME_BYTES = 2 * FRAME_SAMPLES
_FRAME_S = FRAME_SAMPLES / HEARD_RATE
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """When things came, in ms after the last sound of what the customer said; nan: never.

    ``fact_ms``: the first sound of the answer itself, which may not be the first sound.
    """

    transcript_ms: float
    text_ms: float
    audio_ms: float
    fact_ms: float


@dataclass(slots=True)
class _Marks:
    """The first time of each, on the performance counter."""

    transcript: float = float("nan")
    text: float = float("nan")
    kinds: dict[str, str] = field(default_factory=dict[str, str])
    over: bool = False


class _Ears(FakeLoudspeaker):
    """A loudspeaker whose owner notes when they see their own words."""

    marks: _Marks
    news: asyncio.Event

    def show_caption(self, text: str, *, final: bool) -> None:
        """What was understood."""
        if final:
            self.marks.transcript = time.perf_counter()

    def show_activity(self, activity: Activity) -> None:
        """What goes on."""
        self.shown.append(activity)
        self.news.set()


class Call:
    """From ``with`` to the end of the block."""

    def __init__(self, session: Session, voice: VoiceServices) -> None:
        self._session = session
        self._room = quiet(60.0)
        self._speaks: Pcm = b""
        self._began_at = 0.0
        self._loudspeaker = _Ears(way_s=0.0)
        self._loudspeaker.marks, self._loudspeaker.news = _Marks(), asyncio.Event()
        self._line = VoiceSession(session, voice, self._loudspeaker, locale="en")
        self._loudspeaker.reports = self._reported
        self._microphone: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Call":
        """Pick up."""
        self._session.listen(self._published)
        self._line.start()
        self._microphone = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Hang up."""
        if self._microphone is not None:
            self._microphone.cancel()
            await asyncio.wait({self._microphone})
        await self._line.close()

    async def says(self, sound: Pcm, *, hears_out: bool = False) -> Answered:
        """Say this; wait for the first sound of the answer, or for its last."""
        self._loudspeaker.marks = marks = _Marks()
        before = len(self._loudspeaker.sounds)
        self._speaks = sound
        async with asyncio.timeout(_PATIENCE_S):
            while not self._answered_all(marks, before, hears_out=hears_out):
                self._loudspeaker.news.clear()
                await self._loudspeaker.news.wait()
        return self._answered(marks, before, self._began_at + len(sound) / 2 / HEARD_RATE)

    async def _listen(self) -> None:
        """The microphone: a frame is heard when it is over, however late the machine is."""
        began, number, left = time.perf_counter(), 0, b""
        while True:
            await asyncio.sleep(max(0.0, began + (number + 1) * _FRAME_S - time.perf_counter()))
            if self._speaks:
                left, self._speaks = self._speaks, b""
                self._began_at = began + number * _FRAME_S
            frame, left = left[:_FRAME_BYTES], left[_FRAME_BYTES:]
            at = number * _FRAME_BYTES % (len(self._room) - _FRAME_BYTES)
            self._line.receive_audio(frame + self._room[at : at + _FRAME_BYTES - len(frame)])
            number += 1

    def _published(self, batch: Sequence[Logged]) -> None:
        marks = self._loudspeaker.marks
        for logged in batch:
            match logged.entry:
                case MessageText() if marks.text != marks.text:  # nan: it is the first
                    marks.text = time.perf_counter()
                case MessageClosed(message_id=message_id, kind=kind):
                    marks.kinds[message_id] = kind
                case TurnEnded():
                    marks.over = True
                case _:
                    pass
        self._loudspeaker.news.set()

    def _reported(self, clip: int, ms: int, playing: bool) -> None:
        self._line.report_playback(clip, ms, playing)
        self._loudspeaker.news.set()

    def _answered_all(self, marks: _Marks, before: int, *, hears_out: bool) -> bool:
        began = any(
            sound.began_at is not None and marks.kinds.get(sound.clip.message_id or "") == "response"
            for sound in self._loudspeaker.sounds[before:]
        )
        return began and marks.over and (not hears_out or self._loudspeaker.shown[-1] == "listening")

    def _answered(self, marks: _Marks, before: int, spoken_until: float) -> Answered:
        ahead = time.perf_counter() - asyncio.get_running_loop().time()
        begun = [
            (sound.began_at + ahead, marks.kinds.get(sound.clip.message_id or ""))
            for sound in self._loudspeaker.sounds[before:]
            if sound.began_at is not None and sound.clip.text
        ]
        fact = next(at for at, kind in begun if kind == "response")

        def after(at: float) -> float:
            return (at - spoken_until) * 1_000

        return Answered(
            transcript_ms=after(marks.transcript),
            text_ms=after(marks.text),
            audio_ms=after(begun[0][0]),
            fact_ms=after(fact),
        )
