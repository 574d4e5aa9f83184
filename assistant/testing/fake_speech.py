"""Ears and a mouth that are scripted: what is heard and how long it takes stands in the test."""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

from assistant.errors import SpeechError
from assistant.ports import FRAME_SAMPLES, HEARD_RATE, Clock, Pcm, Transcript

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
    script: Sequence[str | Transcript | SpeechError] = ()
    takes_s: float = 0.1
    name: str = "fake"
    heard: list[Pcm] = field(default_factory=list[Pcm])
    _known: dict[Pcm, Transcript | SpeechError] = field(default_factory=dict[Pcm, Transcript | SpeechError])

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcript:
        """The next text, after a while."""
        self.heard.append(audio)
        if audio not in self._known:
            said = self.script[len(self._known)] if len(self._known) < len(self.script) else ""
            self._known[audio] = Transcript(text=said) if isinstance(said, str) else said
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
