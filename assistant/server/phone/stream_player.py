"""Plays audio to a caller over a stream: Twilio is sent a second ahead, and its marks tell what was played."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from assistant.audio import Resampler, encode_mulaw
from assistant.ports import Clock, Pcm
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.phone_context import Timer
from assistant.server.phone.twilio_frames import clear_frame, mark_frame, media_frame
from assistant.voice.ports import Activity, Clip

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


RATE = 8_000
"""Samples a second."""

_AHEAD = RATE
_CHUNK = RATE // 10
_MARKED = RATE // 4
_EVERY_S = 0.1
_PER_MS = RATE // 1_000
_SAMPLE = 2  # bytes


@dataclass(slots=True)
class _Track:
    """One clip's sound; so many samples of it were sent, and so many played."""

    number: int
    resampler: Resampler
    sound: bytearray = field(default_factory=bytearray)
    complete: bool = False
    sent: int = 0
    played: int = 0
    told: bool = False

    @property
    def samples(self) -> int:
        return len(self.sound) // _SAMPLE

    @property
    def over(self) -> bool:
        return self.complete and self.played >= self.samples

    def fade_out(self, samples: int) -> None:
        """End so soon after what was played, and softly."""
        left = np.frombuffer(bytes(self.sound), "<i2")[self.played : self.played + samples]
        soft = (left * np.linspace(1.0, 0.0, left.size)).astype("<i2")
        self.sound = self.sound[: _SAMPLE * self.played] + soft.tobytes()
        self.complete = True


class StreamPlayer:
    """Plays clips one after the other.

    Only a second is ever under way: what is cleared is what was not heard, but for the way to the ear.

    Args:
        send: takes a frame for Twilio.
        stream_sid: Twilio's id of the stream.

    Attributes:
        played: is told of every clip how many milliseconds of it were played, and whether it goes on.
    """

    def __init__(self, send: Callable[[JsonFrame], None], stream_sid: str, clock: Clock) -> None:
        self.played: Callable[[int, int, bool], None] = lambda _number, _ms, _playing: None
        self._send, self._stream, self._clock = send, stream_sid, clock
        self._tracks: dict[int, _Track] = {}
        self._on_its_way: list[tuple[_Track, int]] = []
        self._counted = 0
        self._reel, self._reels = StreamClock(RATE), 0
        self._since_mark = 0
        self._paused = False
        self._alarm = Timer(clock, self._tick)

    @property
    def rate(self) -> int | None:
        """Whatever the voice makes: it is made the telephone's here."""
        return None

    async def close(self) -> None:
        """Send nothing more."""
        self._count()
        await self._alarm.close()

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """A clip follows."""
        self._tracks[clip.number] = _Track(clip.number, Resampler(rate, RATE))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """More of its sound."""
        track = self._tracks.get(number)
        if track is not None and not track.complete:
            track.sound += track.resampler.push(pcm)
            self._go_on()

    def end_clip(self, number: int, ms: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """It is complete."""
        track = self._tracks.get(number)
        if track is not None and not track.complete:
            track.sound += track.resampler.close()
            track.complete = True
            self._go_on()

    def pause(self) -> None:
        """Fall silent at once; what was not played is sent again by ``resume``."""
        if not self._paused:
            self._paused = True
            self._take_back()
            self._alarm.at(None)

    def resume(self) -> None:
        """Go on where it was paused."""
        self._paused = False
        self._go_on()

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these any more; the one that is playing falls silent within ``fade_ms``."""
        self._count()
        gone = [track for number in numbers if (track := self._tracks.get(number)) is not None]
        if any(track.sent for track in gone):
            self._take_back()
        for track in gone:
            if track.played and not self._paused:
                track.fade_out(fade_ms * _PER_MS)
            else:
                self._forget(track)
        self._go_on()

    def clear(self) -> None:
        """Fall silent at once and forget all clips."""
        self._take_back()
        for track in list(self._tracks.values()):
            self._forget(track)
        self._alarm.at(None)

    def show_caption(self, text: str, *, final: bool) -> None:
        """There is nothing to see on a phone."""

    def show_filler(self, text: str) -> None:
        """It is heard."""

    def show_activity(self, activity: Activity) -> None:
        """There is nothing to see on a phone."""

    def marked(self, name: str) -> None:
        """A mark has come back; those of what was cleared say nothing."""
        reel, _, place = name.partition(".")
        if reel == str(self._reels) and place.isdecimal():
            self._reel.marked(int(place), self._clock.monotonic())
            self._count()

    async def _tick(self) -> None:
        self._count()
        self._go_on()

    def _go_on(self) -> None:
        """Send what may be sent by now, and look again in a moment, as long as there is anything to play."""
        if self._paused:
            return
        now_s = self._clock.monotonic()
        for track in self._tracks.values():
            while track.sent < track.samples and self._reel.sent - self._reel.played(now_s) < _AHEAD:
                self._send_some(track, now_s)
            if track.sent < track.samples or not track.complete:
                break
        if self._tracks:
            self._alarm.at(now_s + _EVERY_S)

    def _send_some(self, track: _Track, now_s: float) -> None:
        samples = min(_CHUNK, track.samples - track.sent)
        at = _SAMPLE * track.sent
        self._send(media_frame(self._stream, encode_mulaw(bytes(track.sound[at : at + _SAMPLE * samples]))))
        self._reel.send(samples, now_s)
        track.sent += samples
        self._on_its_way.append((track, samples))
        self._since_mark += samples
        if self._since_mark >= _MARKED or track.sent >= track.samples:
            self._since_mark = 0
            self._send(mark_frame(self._stream, f"{self._reels}.{self._reel.mark()}"))

    def _count(self) -> None:
        """Find out what was played since the last time, and tell."""
        new = self._reel.played(self._clock.monotonic()) - self._counted
        self._counted += new
        while new > 0 and self._on_its_way:
            track, samples = self._on_its_way.pop(0)
            some = min(new, samples)
            track.played += some
            new -= some
            if samples > some:
                self._on_its_way.insert(0, (track, samples - some))
        for track in list(self._tracks.values()):
            if track.played or track.over:
                self._tell(track, playing=not track.over)

    def _tell(self, track: _Track, *, playing: bool) -> None:
        if track.over:
            del self._tracks[track.number]
        self.played(track.number, track.played // _PER_MS, playing)

    def _take_back(self) -> None:
        """Let Twilio forget what it has not played."""
        self._count()
        if self._on_its_way:
            self._send(clear_frame(self._stream))
        for track, samples in self._on_its_way:
            track.sent -= samples
        for track in list(self._tracks.values()):
            if track.played:
                self._tell(track, playing=False)
        self._on_its_way, self._counted, self._since_mark = [], 0, 0
        self._reel.clear()
        self._reels += 1

    def _forget(self, track: _Track) -> None:
        self._tracks.pop(track.number, None)
