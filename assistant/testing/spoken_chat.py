"""A customer who speaks with the assistant, in virtual time: a microphone, a loudspeaker, and a line between."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from assistant.errors import SpeechError
from assistant.ports import FRAME_SAMPLES, HEARD_RATE, Clock, Pcm, Transcript
from assistant.prompts.shipped import shipped_book
from assistant.testing.chat import Chat
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_loudspeaker import FakeLoudspeaker
from assistant.testing.fake_speech import FakeSpeechToText, FakeTextToSpeech, FakeVoiceActivity
from assistant.voice.ports import VoiceServices
from assistant.voice.session import Mode, VoiceSession

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
    understood: Sequence[str | Transcript | SpeechError] = ()
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
