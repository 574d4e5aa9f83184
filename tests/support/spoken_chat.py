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
from assistant.testing.chat import Chat
from assistant.testing.counted_ids import CountedIds
from assistant.voice.ports import Activity, Clip, VoiceServices
from assistant.voice.session import Mode, VoiceSession

MS_PER_CHARACTER = 60


def speech(seconds: float, loudness: int = 8_000) -> Pcm:
    """Sound that :class:`FakeVoiceActivity` takes for speech."""
    return loudness.to_bytes(2, "little", signed=True) * round(seconds * HEARD_RATE)


def silence(seconds: float) -> Pcm:
    """Sound in which nobody speaks."""
    return bytes(2 * round(seconds * HEARD_RATE))


def frames(pcm: Pcm) -> Iterator[Pcm]:
    """The sound cut into frames; what is left of the last one is left out."""
    size = 2 * FRAME_SAMPLES
    return (pcm[at : at + size] for at in range(0, len(pcm) - size + 1, size))


class FakeVoiceActivity:
    """Takes everything louder than 1,000 for speech."""

    def stream(self) -> "FakeVoiceStream":
        """Begin to listen."""
        return FakeVoiceStream()


class FakeVoiceStream:
    """One caller's."""

    def push(self, frame: Pcm) -> float:
        """1 or 0."""
        return float(abs(int.from_bytes(frame[:2], "little", signed=True)) > 1_000)


@dataclass(slots=True)
class FakeSpeechToText:
    """Understands each utterance as the next text of its script, and nothing when that is at its end.

    The same sound is understood the same way again. An exception in the script is raised.
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
        """The next text, after a while."""
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
    """Says each character in the same time, in pieces of a second; ``said`` are the texts, in order."""

    clock: Clock
    takes_s: float = 0.05
    rate: int = 24_000
    name: str = "fake"
    said: list[str] = field(default_factory=list[str])
    fails: bool = False

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Sound as long as the text."""
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
"""Virtual time is counted in fractions, which add up to a hair less than they should."""


@dataclass(slots=True, kw_only=True, eq=False)
class Sound:
    """One clip at the customer's end; times are the loop's. ``ms`` of it were played."""

    clip: Clip
    rate: int
    came_ms: float = 0.0
    complete: bool = False
    ms: float = 0.0
    began_at: float | None = None
    ended_at: float | None = None

    @property
    def heard(self) -> str:
        """The words that were heard in full, if each of the letters takes as long as the others."""
        text = self.clip.text.rstrip()
        letters = int((self.ms + _HAIR_MS) * len(text) / self.came_ms) if self.came_ms else 0
        if letters >= len(text) or text[letters].isspace():
            return text[:letters].rstrip()
        return text[:letters].rpartition(" ")[0].rstrip()


@dataclass(slots=True, kw_only=True)
class FakeLoudspeaker:
    """Whatever it is told arrives ``way_s`` later, and so does what it reports.

    ``sounds`` are all clips that came, in order; ``silent_at`` the moments at which it fell silent when it was told
    to; ``captions``, ``told`` and ``shown`` what the customer saw.
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
        """A clip follows."""
        self._arrives(partial(self._begin, Sound(clip=clip, rate=rate)))

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """More of it."""
        self._arrives(partial(self._more, number, len(pcm) // 2))

    def end_clip(self, number: int, ms: int) -> None:
        """All of it."""
        self._arrives(partial(self._complete, number))

    def pause(self) -> None:
        """Be silent."""
        self._arrives(self._pause)

    def resume(self) -> None:
        """Go on."""
        self._arrives(self._resume)

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Play these no more."""
        self._arrives(partial(self._drop, numbers, fade_ms))

    def clear(self) -> None:
        """Be silent, and forget."""
        self._arrives(self._clear)

    def show_caption(self, text: str, *, final: bool) -> None:
        """Remember it."""
        self.captions.append((text, final))

    def show_filler(self, text: str) -> None:
        """Remember it."""
        self.told.append(text)

    def show_activity(self, activity: Activity) -> None:
        """Remember it."""
        self.shown.append(activity)

    @property
    def silent(self) -> bool:
        """Whether nothing plays, and nothing is on its way."""
        return not self._queue and not self._on_the_way

    @property
    def playing(self) -> Sound | None:
        """What sounds just now."""
        return self._queue[0] if self._queue and self._since is not None else None

    def heard(self, message_id: str | None) -> str:
        """All words of a message that were heard in full, once nothing plays."""
        said = (sound.heard for sound in self.sounds if sound.clip.message_id == message_id)
        return " ".join(words for words in said if words)

    def _arrives(self, what: Callable[[], None]) -> None:
        # All take equally long, but timers of the same moment have no order of their own.
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
        """Play what there is to play, and come back when it ends or a report is due."""
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
        """Note how far the clip that plays has come; it does not go on by itself."""
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
"""While nobody speaks, so many frames come together: nothing is to be heard in them, and tests go on sooner."""

_STILL_S = 1.7
"""So long after a customer has spoken, every frame comes by itself."""


@dataclass(slots=True, kw_only=True)
class SpokenChat:
    """One customer on a line, from ``with`` to the end of the block.

    ``understood`` is what each of their utterances is taken for, in order.
    """

    chat: Chat
    clock: Clock
    understood: Sequence[str | Transcription | SpeechError] = ()
    mode: Mode = "hands_free"
    speak: bool = True
    tempo: float = 1.0
    way_s: float = 0.02
    ears: FakeSpeechToText = field(init=False)
    mouth: FakeTextToSpeech = field(init=False)
    loudspeaker: FakeLoudspeaker = field(init=False)
    voice: VoiceServices = field(init=False)
    line: VoiceSession = field(init=False)
    _speaks_until: float = 0.0
    _utterances: int = 0
    _begins: asyncio.Event = field(default_factory=asyncio.Event)
    _microphone: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.ears = FakeSpeechToText(self.clock, self.understood)
        self.mouth = FakeTextToSpeech(self.clock)
        self.loudspeaker = FakeLoudspeaker(way_s=self.way_s)
        self.voice = VoiceServices(
            speech_to_text=self.ears,
            text_to_speech=self.mouth,
            voice_activity=FakeVoiceActivity(),
            clock=self.clock,
            ids=CountedIds("said-"),
            book=shipped_book,
        )

    async def __aenter__(self) -> "SpokenChat":
        """Pick up."""
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
        """Hang up."""
        if self._microphone is not None:
            self._microphone.cancel()
            await asyncio.wait({self._microphone})
        await self.line.close()

    def speaks(self, seconds: float = 1.2) -> float:
        """Begin to speak, for so long; gives the moment at which the first sound is heard."""
        self._utterances += 1
        self._speaks_until = self.now + seconds
        self._begins.set()
        return self.now

    async def says(self, seconds: float = 1.2) -> None:
        """Speak, and wait until all is answered and has been played, and a while longer."""
        self.speaks(seconds)
        await self.clock.sleep(seconds)
        await self.listens()

    async def listens(self) -> None:
        """Wait until all is answered and has been played, and a while longer."""
        quiet_s = 0.0
        while quiet_s < _QUIET_END_S:
            await self.clock.sleep(_LOOKS_S)
            idle = self.loudspeaker.silent and self.chat.session.state.unfinished is None
            quiet_s = quiet_s + _LOOKS_S if idle else 0.0

    @property
    def now(self) -> float:
        """Seconds of the loop's time."""
        return self.clock.monotonic()

    @property
    def heard(self) -> list[str]:
        """All words that came out of the loudspeaker in full, clip by clip."""
        return [sound.heard for sound in self.loudspeaker.sounds if sound.heard]

    async def _listen(self) -> None:
        while True:
            self._begins.clear()
            # Every utterance sounds otherwise, or it would be understood as the same one.
            loud = (_LOUD + self._utterances).to_bytes(2, "little") * FRAME_SAMPLES
            self.line.receive_audio(loud if self.now < self._speaks_until else _SILENCE)
            await self.clock.sleep(_FRAME_S)
            if self.now > self._speaks_until + _STILL_S:
                await self._idle()

    async def _idle(self) -> None:
        """Nobody speaks for a while, or until somebody begins to."""
        began = self.now
        with suppress(TimeoutError):
            async with self.clock.timeout(_IDLE_FRAMES * _FRAME_S):
                await self._begins.wait()
        self.line.receive_audio(_SILENCE * int((self.now - began) / _FRAME_S))
