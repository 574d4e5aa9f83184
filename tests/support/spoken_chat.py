"""A spoken conversation in tests: fake speech models, a fake loudspeaker, virtual time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from assistant.errors import SpeechError
from assistant.ports import Clock
from assistant.prompts.book import shipped_book
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm, Transcription
from assistant.telemetry.observer import TenantTelemetry
from assistant.testing.chat import Chat
from assistant.testing.counted_ids import CountedIds
from assistant.voice.ports import Activity, Clip, VoiceServices
from assistant.voice.session import Mode, VoiceSession

MS_PER_CHARACTER = 60


def speech(seconds: float, loudness: int = 8_000) -> Pcm:
    """Sound that :class:`FakeVoiceActivity` takes for speech."""
    return loudness.to_bytes(2, "little", signed=True) * round(seconds * HEARD_RATE)


def silence(seconds: float) -> Pcm:
    """Sound without speech."""
    return bytes(2 * round(seconds * HEARD_RATE))


def frames(pcm: Pcm) -> Iterator[Pcm]:
    """The sound cut into frames; an incomplete last frame is left out."""
    size = 2 * FRAME_SAMPLES
    return (pcm[at : at + size] for at in range(0, len(pcm) - size + 1, size))


class FakeVoiceActivity:
    """Reports speech for every frame louder than 1,000."""

    def stream(self) -> "FakeVoiceStream":
        """Begin a stream."""
        return FakeVoiceStream()


class FakeVoiceStream:
    """The stream of one caller."""

    def push(self, frame: Pcm) -> float:
        """1 for speech, else 0."""
        return float(abs(int.from_bytes(frame[:2], "little", signed=True)) > 1_000)


@dataclass(slots=True)
class FakeSpeechToText:
    """Transcribes each utterance as the next text of its script, and as "" after the last one.

    It transcribes the same sound the same way again. An exception in the script is raised.
    """

    clock: Clock
    script: Sequence[str | Transcription | SpeechError] = ()
    takes_s: float = 0.1
    name: str = "fake"
    heard: list[Pcm] = field(default_factory=list[Pcm])
    locales: list[str] = field(default_factory=list[str])
    _known: dict[Pcm, Transcription | SpeechError] = field(
        default_factory=dict[Pcm, Transcription | SpeechError]
    )

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """The transcription, after ``takes_s`` seconds."""
        self.heard.append(audio)
        self.locales.append(locale)
        if audio not in self._known:
            said = self.script[len(self._known)] if len(self._known) < len(self.script) else ""
            self._known[audio] = Transcription(text=said) if isinstance(said, str) else said
        await self.clock.sleep(self.takes_s)
        known = self._known[audio]
        if isinstance(known, SpeechError):
            raise known
        return known


@dataclass(slots=True)
class FakeTextToSpeech:
    """Speaks all characters equally fast, in pieces of one second. ``said`` has the texts, in order."""

    clock: Clock
    takes_s: float = 0.05
    rate: int = 24_000
    name: str = "fake"
    said: list[str] = field(default_factory=list[str])
    fails: bool = False

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Sound whose length is proportional to the text's. Raises ``SpeechError`` if it ``fails``."""
        self.said.append(text)
        await self.clock.sleep(self.takes_s)
        if self.fails:
            raise SpeechError("the voice is gone")
        left = round(len(text) * MS_PER_CHARACTER * self.rate / 1_000 / tempo)
        while left > 0:
            samples = min(left, self.rate)
            yield b"\x01\x00" * samples
            left -= samples


REPORTS_S = 0.4

_HAIR_MS = 0.01
"""Virtual time is a sum of fractions, which can be slightly smaller than it should be."""


@dataclass(slots=True, kw_only=True, eq=False)
class Sound:
    """One clip at the customer's side; times are those of the event loop. ``ms`` of it were played."""

    clip: Clip
    rate: int
    came_ms: float = 0.0
    complete: bool = False
    ms: float = 0.0
    began_at: float | None = None
    ended_at: float | None = None

    @property
    def heard(self) -> str:
        """The words that were heard in full, if every letter takes the same time."""
        text = self.clip.text.rstrip()
        letters = int((self.ms + _HAIR_MS) * len(text) / self.came_ms) if self.came_ms else 0
        if letters >= len(text) or text[letters].isspace():
            return text[:letters].rstrip()
        return text[:letters].rpartition(" ")[0].rstrip()


@dataclass(slots=True, kw_only=True)
class FakeLoudspeaker:
    """Commands reach it after ``way_s`` seconds, and its reports take as long.

    ``sounds`` has all clips, in order; ``silent_at`` the times at which a command made it silent;
    ``captions``, ``told`` and ``shown`` what the customer saw.
    """

    way_s: float = 0.02
    rate: int | None = None
    reports: Callable[[int, int, bool], None] = lambda clip, ms, playing: None
    sounds: list[Sound] = field(default_factory=list[Sound])
    silent_at: list[float] = field(default_factory=list[float])
    captions: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    told: list[str] = field(default_factory=list[str])
    shown: list[Activity] = field(default_factory=list[Activity])
    _queue: deque[Sound] = field(default_factory=deque[Sound])
    _on_the_way: deque[Callable[[], None]] = field(default_factory=deque[Callable[[], None]])
    _on_the_way_back: deque[Callable[[], None]] = field(default_factory=deque[Callable[[], None]])
    _paused: bool = False
    _since: float | None = None
    _timer: asyncio.TimerHandle | None = None

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """Begin a clip."""
        self._arrives(partial(self._begin, Sound(clip=clip, rate=rate)))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """Add sound to the clip."""
        self._arrives(partial(self._more, number, len(pcm) // 2))

    def end_clip(self, number: int, ms: int) -> None:
        """End the clip, which has all its sound now."""
        self._arrives(partial(self._complete, number))

    def pause(self) -> None:
        """Pause the playback."""
        self._arrives(self._pause)

    def resume(self) -> None:
        """Resume the playback."""
        self._arrives(self._resume)

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these clips any more."""
        self._arrives(partial(self._drop, numbers, fade_ms))

    def clear(self) -> None:
        """Stop the playback and remove all clips."""
        self._arrives(self._clear)

    def show_caption(self, text: str, *, final: bool) -> None:
        """Note the caption."""
        self.captions.append((text, final))

    def show_filler(self, text: str) -> None:
        """Note the filler."""
        self.told.append(text)

    def show_activity(self, activity: Activity) -> None:
        """Note the activity."""
        self.shown.append(activity)

    @property
    def silent(self) -> bool:
        """Whether nothing plays and nothing is on its way."""
        return not self._queue and not self._on_the_way

    @property
    def playing(self) -> Sound | None:
        """The clip that plays now."""
        return self._queue[0] if self._queue and self._since is not None else None

    def heard(self, message_id: str | None) -> str:
        """All words of a message that were heard in full, once nothing plays."""
        said = (sound.heard for sound in self.sounds if sound.clip.message_id == message_id)
        return " ".join(words for words in said if words)

    def _arrives(self, what: Callable[[], None]) -> None:
        # All commands take equally long, but timers for the same time may fire in any order.
        self._on_the_way.append(what)
        asyncio.get_running_loop().call_later(self.way_s, lambda: self._on_the_way.popleft()())

    def _begin(self, sound: Sound) -> None:
        self.sounds.append(sound)
        self._queue.append(sound)
        self._go_on()

    def _more(self, number: int, samples: int) -> None:
        for sound in self._queue:
            if sound.clip.number == number:
                sound.came_ms += samples * 1_000 / sound.rate
        self._go_on()

    def _complete(self, number: int) -> None:
        for sound in self._queue:
            if sound.clip.number == number:
                sound.complete = True
        self._go_on()

    def _pause(self) -> None:
        self._paused = True
        self._fall_silent()

    def _resume(self) -> None:
        self._paused = False
        self._go_on()

    def _clear(self) -> None:
        self._fall_silent()
        self._queue.clear()

    def _drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        first = self._queue[0] if self._queue else None
        self._queue = deque(
            sound for sound in self._queue if sound.clip.number not in numbers or sound is first
        )
        if first is not None and first.clip.number in numbers:
            now = self.playing is not None
            asyncio.get_running_loop().call_later(fade_ms / 1_000 if now else 0, self._let_go, first)

    def _let_go(self, sound: Sound) -> None:
        if self._queue and self._queue[0] is sound:
            self._fall_silent()
            self._queue.popleft()
            self._go_on()

    def _fall_silent(self) -> None:
        sound = self.playing
        self._hold_the_place()
        if sound is not None:
            self.silent_at.append(asyncio.get_running_loop().time())
            self._report(sound, playing=False)

    def _go_on(self) -> None:
        """Play the next sound, and schedule the next call for its end or for the next report."""
        self._hold_the_place()
        if self._paused or not self._queue:
            return
        sound, now = self._queue[0], asyncio.get_running_loop().time()
        if sound.ms >= sound.came_ms - _HAIR_MS:
            if sound.complete:
                self._queue.popleft()
                sound.ended_at = now
                self._report(sound, playing=False)
                self._go_on()
            return
        if sound.began_at is None:
            sound.began_at = now
            self._report(sound, playing=True)
        self._since = now
        left_s = (sound.came_ms - sound.ms) / 1_000
        self._timer = asyncio.get_running_loop().call_later(min(left_s, REPORTS_S), self._tick, sound)

    def _tick(self, sound: Sound) -> None:
        self._hold_the_place()
        if sound.ms < sound.came_ms - _HAIR_MS:
            self._report(sound, playing=True)
        self._go_on()

    def _hold_the_place(self) -> None:
        """Note the position of the current clip and stop the timer that advances it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._since is not None and self._queue:
            gone_ms = (asyncio.get_running_loop().time() - self._since) * 1_000
            self._queue[0].ms = min(self._queue[0].came_ms, self._queue[0].ms + gone_ms)
        self._since = None

    def _report(self, sound: Sound, *, playing: bool) -> None:
        what = partial(self.reports, sound.clip.number, int(sound.ms + _HAIR_MS), playing)
        self._on_the_way_back.append(what)
        asyncio.get_running_loop().call_later(self.way_s, lambda: self._on_the_way_back.popleft()())


_FRAME_S = FRAME_SAMPLES / HEARD_RATE
_SILENCE: Pcm = bytes(2 * FRAME_SAMPLES)
_LOUD = 8_000
_QUIET_END_S = 3.0
_LOOKS_S = 0.25
_IDLE_FRAMES = 8
"""While nothing is said, frames are sent in groups of this size, so that tests run faster."""

_STILL_S = 1.7
"""For this time after the customer has spoken, every frame is sent separately."""


@dataclass(slots=True, kw_only=True)
class SpokenChat:
    """One customer on a line, from ``with`` to the end of the block.

    ``understood`` has the transcription of each utterance, in order.
    """

    chat: Chat
    clock: Clock
    understood: Sequence[str | Transcription | SpeechError] = ()
    mode: Mode = "hands_free"
    speak: bool = True
    tempo: float = 1.0
    way_s: float = 0.02
    telemetry: TenantTelemetry | None = None
    speech_to_text: FakeSpeechToText = field(init=False)
    text_to_speech: FakeTextToSpeech = field(init=False)
    loudspeaker: FakeLoudspeaker = field(init=False)
    voice: VoiceServices = field(init=False)
    line: VoiceSession = field(init=False)
    _speaks_until: float = 0.0
    _utterances: int = 0
    _begins: asyncio.Event = field(default_factory=asyncio.Event)
    _microphone: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.speech_to_text = FakeSpeechToText(self.clock, self.understood)
        self.text_to_speech = FakeTextToSpeech(self.clock)
        self.loudspeaker = FakeLoudspeaker(way_s=self.way_s)
        self.voice = VoiceServices(
            speech_to_text=self.speech_to_text,
            text_to_speech=self.text_to_speech,
            voice_activity=FakeVoiceActivity(),
            clock=self.clock,
            ids=CountedIds("said-"),
            book=shipped_book,
            telemetry=self.telemetry,
        )

    async def __aenter__(self) -> "SpokenChat":
        """Begin the call."""
        self.line = VoiceSession(
            self.chat.session,
            self.voice,
            self.loudspeaker,
            locale="en",
            mode=self.mode,
            speak=self.speak,
            tempo=self.tempo,
        )
        self.loudspeaker.reports = self.line.report_playback
        self.line.start()
        self._microphone = asyncio.create_task(self._listen())
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the call."""
        if self._microphone is not None:
            self._microphone.cancel()
            await asyncio.wait({self._microphone})
        await self.line.close()

    def speaks(self, seconds: float = 1.2) -> float:
        """Begin to speak for this time; gives the time at which the first sound is heard."""
        self._utterances += 1
        self._speaks_until = self.now + seconds
        self._begins.set()
        return self.now

    async def says(self, seconds: float = 1.2) -> None:
        """Speak, and wait until everything is answered and played, and a while longer."""
        self.speaks(seconds)
        await self.clock.sleep(seconds)
        await self.listens()

    async def listens(self) -> None:
        """Wait until everything is answered and played, and a while longer."""
        quiet_s = 0.0
        while quiet_s < _QUIET_END_S:
            await self.clock.sleep(_LOOKS_S)
            idle = self.loudspeaker.silent and self.chat.session.state.unfinished is None
            quiet_s = quiet_s + _LOOKS_S if idle else 0.0

    @property
    def now(self) -> float:
        """The event loop's time in seconds."""
        return self.clock.monotonic()

    @property
    def heard(self) -> list[str]:
        """All words that the loudspeaker played in full, clip by clip."""
        return [sound.heard for sound in self.loudspeaker.sounds if sound.heard]

    async def _listen(self) -> None:
        while True:
            self._begins.clear()
            # Every utterance must sound different, or it would get the transcription of an earlier one.
            loud = (_LOUD + self._utterances).to_bytes(2, "little") * FRAME_SAMPLES
            self.line.receive_audio(loud if self.now < self._speaks_until else _SILENCE)
            await self.clock.sleep(_FRAME_S)
            if self.now > self._speaks_until + _STILL_S:
                await self._idle()

    async def _idle(self) -> None:
        """Send silence for a while, or until the customer begins to speak."""
        began = self.now
        with suppress(TimeoutError):
            async with self.clock.timeout(_IDLE_FRAMES * _FRAME_S):
                await self._begins.wait()
        self.line.receive_audio(_SILENCE * int((self.now - began) / _FRAME_S))
