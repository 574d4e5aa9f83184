"""A call over Twilio's media streams: audio in both directions, and how much of it was played."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, assert_never

import numpy as np
import structlog
from pydantic import ValidationError

from assistant.audio import Resampler, decode_mulaw, encode_mulaw
from assistant.conversation.entries import MessageClosed, MessageText
from assistant.ports import Clock, Ids
from assistant.prompts.utterances import PhoneTold
from assistant.prompts.words import ListeningWords
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.call import Call, PhoneSession, is_unlogged
from assistant.server.phone.phone_context import PhoneContext, Timer
from assistant.server.phone.twilio_frames import (
    MEDIA_FRAMES,
    AnyMediaFrame,
    Connected,
    Mark,
    Media,
    MediaDtmf,
    Start,
    Stop,
    clear_frame,
    mark_frame,
    media_frame,
)
from assistant.speech_ports import HEARD_RATE, Pcm
from assistant.voice.dictation import ExpectedInput, expected_input_after
from assistant.voice.ports import Activity, Clip
from assistant.voice.session import VoiceSession, VoiceSessionFactory

LATE_S = 0.15
"""The minimum time in seconds from sending the first audio until it is heard."""

_LOST_S = 2.0
"""A mark that is this late will not come back."""


class StreamClock:
    """Counts samples from the beginning of the stream, or from the last clear.

    Between two marks it assumes real-time playback, but never past a mark that has not come back. So the
    counted samples were certainly heard.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self.sent = 0
        self._known, self._known_s, self._most = 0, 0.0, 0
        self._marks: deque[int] = deque()

    def send(self, samples: int, now_s: float) -> None:
        """Count samples that were sent."""
        if self.played(now_s) >= self.sent:
            self._known, self._known_s = self.sent, now_s + LATE_S
        self.sent += samples

    def mark(self) -> int:
        """Place a mark after the sent samples; returns its name."""
        self._marks.append(self.sent)
        return self.sent

    def marked(self, name: int, now_s: float) -> None:
        """Handle a mark that has come back."""
        while self._marks and self._marks[0] <= name:
            self._known, self._known_s = self._marks.popleft(), now_s

    def played(self, now_s: float) -> int:
        """The number of samples that were played. It never decreases."""
        gone = self._known + int((now_s - self._known_s) * self._rate + 0.001)
        while self._marks and gone - self._marks[0] > _LOST_S * self._rate:
            self._marks.popleft()
        self._most = max(self._most, min(gone, self._marks[0] if self._marks else self.sent))
        return self._most

    def clear(self) -> None:
        """Reset: nothing was sent."""
        self.sent = self._known = self._most = 0
        self._marks.clear()


RATE = 8_000
"""Samples per second."""

_AHEAD = RATE
_CHUNK = RATE // 10
_MARKED = RATE // 4
_EVERY_S = 0.1
_PER_MS = RATE // 1_000
_SAMPLE = 2  # bytes


@dataclass(slots=True)
class _Track:
    """One clip's audio, with the numbers of its sent and played samples."""

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
        """End this soon after the played samples, with a fade."""
        left = np.frombuffer(bytes(self.sound), "<i2")[self.played : self.played + samples]
        soft = (left * np.linspace(1.0, 0.0, left.size)).astype("<i2")
        self.sound = self.sound[: _SAMPLE * self.played] + soft.tobytes()
        self.complete = True


class StreamPlayer:
    """Plays clips one after the other.

    At most one second is sent ahead, so cleared audio was not heard, apart from the network delay.

    Args:
        send: sends a frame to Twilio.
        stream_sid: Twilio's id of the stream.

    Attributes:
        played: called with each clip, how many milliseconds of it were played, and whether it continues.
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
        """None: any rate is converted to the telephone's."""
        return None

    async def close(self) -> None:
        """Send nothing more."""
        self._count()
        await self._alarm.close()

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """Prepare to play this clip. Its sound, which is added later, has the sample rate ``rate``."""
        self._tracks[clip.number] = _Track(clip.number, Resampler(rate, RATE))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """Add sound to the clip."""
        track = self._tracks.get(number)
        if track is not None and not track.complete:
            track.sound += track.resampler.push(pcm)
            self._go_on()

    def end_clip(self, number: int, ms: int) -> None:  # noqa: ARG002 - the signature of AudioOutput
        """Complete the clip."""
        track = self._tracks.get(number)
        if track is not None and not track.complete:
            track.sound += track.resampler.close()
            track.complete = True
            self._go_on()

    def pause(self) -> None:
        """Stop immediately; ``resume`` sends the unplayed audio again."""
        if not self._paused:
            self._paused = True
            self._take_back()
            self._alarm.at(None)

    def resume(self) -> None:
        """Continue at the paused position."""
        self._paused = False
        self._go_on()

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these clips any more; the current one fades out within ``fade_ms``."""
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
        """Stop immediately and drop all clips."""
        self._take_back()
        for track in list(self._tracks.values()):
            self._forget(track)
        self._alarm.at(None)

    def show_caption(self, text: str, *, final: bool) -> None:
        """Does nothing: a phone has no display."""

    def show_filler(self, text: str) -> None:
        """Does nothing: the caller hears it."""

    def show_activity(self, activity: Activity) -> None:
        """Does nothing: a phone has no display."""

    def marked(self, name: str) -> None:
        """Handle a mark that has come back; marks of cleared audio are ignored."""
        reel, _, place = name.partition(".")
        if reel == str(self._reels) and place.isdecimal():
            self._reel.marked(int(place), self._clock.monotonic())
            self._count()

    async def _tick(self) -> None:
        self._count()
        self._go_on()

    def _go_on(self) -> None:
        """Send the audio that may be sent by now, and repeat after a moment while there is audio to play."""
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
        """Compute how much was played since the last time, and report it."""
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
        """Clear the audio that Twilio has not played."""
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


_KEYS: dict[Literal["yes", "no"], str] = {"yes": "1", "no": "2"}


class MediaVoice:
    """A started :class:`VoiceSession` as a :class:`CallVoice`."""

    def __init__(
        self, conversation: PhoneSession, line: VoiceSession, ids: Ids, words: ListeningWords, *, locale: str
    ) -> None:
        self._conversation, self._line, self._ids = conversation, line, ids
        self._words, self._locale = words, locale

    @property
    def asked(self) -> bool:
        """Whether a yes-or-no question is open."""
        return self._conversation.question is not None

    @property
    def expecting(self) -> ExpectedInput:
        """The kind of input that the assistant has just asked for."""
        return expected_input_after(self._last_answer(), self._words)

    async def said(self, text: str) -> None:
        """Handle the caller's entered text. Raises ``LogError``."""
        await self._line.stop_speaking()
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """Handle a key that answers the open question."""
        await self._line.press_key(_KEYS[answer])

    def _last_answer(self) -> str:
        closed: str | None = None
        said: list[str] = []
        for logged in reversed(self._conversation.entries):
            match logged.entry:
                case MessageClosed(message_id=id_, kind="response") if closed is None and not is_unlogged(
                    id_
                ):
                    closed = id_
                case MessageText(message_id=id_, text=text) if id_ == closed:
                    said.append(text)
                case MessageText() if said:
                    break
                case _:
                    pass
        return "".join(reversed(said))


log = structlog.get_logger(__name__)


def read_start(raw: str) -> Start | None:
    """The message that begins a call's audio; None if it is another message."""
    try:
        frame = MEDIA_FRAMES.validate_json(raw)
    except ValidationError:
        return None
    return frame if isinstance(frame, Start) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaDependencies:
    """The speech recognition and voice that a call uses."""

    phone: PhoneContext
    voice: VoiceSessionFactory
    clock: Clock
    ids: Ids
    locale: str


class MediaCall:
    """Handles Twilio's messages after the start.

    Args:
        send: sends a frame to Twilio.
    """

    def __init__(
        self,
        call_sid: str,
        stream_sid: str,
        conversation: PhoneSession,
        ours: MediaDependencies,
        send: Callable[[JsonFrame], None],
    ) -> None:
        self._sid, self._conversation, self._ours = call_sid, conversation, ours
        self._telephone = StreamPlayer(send, stream_sid, ours.clock)
        self._sound = Resampler(RATE, HEARD_RATE)
        self._call = Call(
            call_sid, conversation, ours.phone, ours.clock, locale=ours.locale, leave=self._leave
        )
        self._line: VoiceSession | None = None
        self.over = asyncio.Event()

    async def start(self) -> None:
        """Greet the caller, unless an interrupted call continues. Raises ``SpeechError``."""
        ours, conversation = self._ours, self._conversation
        begins = not conversation.entries
        self._line = line = await ours.voice.open_session(
            conversation, self._telephone, locale=ours.locale, on_replaced=self.over.set
        )
        self._telephone.played = line.report_playback
        book = ours.phone.book()
        words = book.words(ours.locale).listening
        self._call.start(MediaVoice(conversation, line, ours.ids, words, locale=ours.locale))
        if begins:
            conversation.add(book.render(PhoneTold(what="greeting"), ours.locale))

    async def close(self) -> None:
        """End: the caller has hung up."""
        await self._telephone.close()
        await self._call.close()
        if self._line is not None:
            await self._ours.voice.close_session(self._line)

    async def handle_message(self, raw: str) -> None:
        """Handle one message of Twilio; an unreadable one is ignored. Raises ``LogError``."""
        try:
            frame = MEDIA_FRAMES.validate_json(raw)
        except ValidationError as error:
            log.warning("cannot read what Twilio says", call=self._sid, problem=complaint(error))
            return
        await self._follow(frame)

    async def _follow(self, frame: AnyMediaFrame) -> None:
        match frame:
            case Media(media=sound):
                if sound.track == "inbound" and self._line is not None:
                    self._line.receive_audio(self._sound.push(decode_mulaw(sound.payload)))
            case Mark(mark=named):
                self._telephone.marked(named.name)
            case MediaDtmf(dtmf=pressed):
                await self._call.key(pressed.digit)
            case Stop():
                self.over.set()
            case Connected() | Start():
                pass
            case _:
                assert_never(frame)

    def _leave(self, data: str) -> None:  # noqa: ARG002 - a stream has no way to tell
        self.over.set()
