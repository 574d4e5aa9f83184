"""Protocols for speech: speech to text, text to speech, and voice detection.

Adapters in models/speech implement them; so do tests. Audio is mono, 16-bit little-endian PCM. Recorded sound
has 16,000 samples a second; spoken sound has the rate of its voice.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Pcm: TypeAlias = bytes
"""Mono sound, 16-bit little-endian samples."""

HEARD_RATE = 16_000
"""The sample rate of the customers' sound, in samples a second."""

FRAME_SAMPLES = 512
"""Samples of one frame, which is the unit of voice detection: 32 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcription:
    """The text of an utterance.

    ``text`` is "" if there was no speech. ``likely`` is how sure the model is of its words, from 0 to 1.
    ``seconds`` is the length of the sound.
    """

    text: str
    likely: float = 1.0
    seconds: float = 0.0


class SpeechToText(Protocol):
    """Transcribes speech."""

    @property
    def name(self) -> str:
        """The name in the settings."""
        ...

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """Transcribe an utterance of 16 kHz, without blocking the event loop.

        ``hint`` has words that are likely to occur. If the caller is cancelled, the work is not started, or
        its result is dropped. Raises ``SpeechError``.
        """
        ...


class TextToSpeech(Protocol):
    """Turns text into speech."""

    @property
    def name(self) -> str:
        """The name in the settings."""
        ...

    @property
    def rate(self) -> int:
        """Samples a second of its sound."""
        ...

    def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Yield the sound of a clause or sentence in its spoken form, piece by piece.

        ``tempo``: 0.5 is half as fast, 2.0 twice. Ending the iteration stops the work. Raises
        ``SpeechError``.
        """
        ...


class VoiceActivity(Protocol):
    """Detects speech in sound. Each caller has a stream, because it keeps state."""

    def stream(self) -> "VoiceStream":
        """Begin a stream for one caller."""
        ...


class VoiceStream(Protocol):
    """The sound of one caller, frame by frame."""

    def push(self, frame: Pcm) -> float:
        """Returns the probability of speech in this frame of ``FRAME_SAMPLES`` samples, from 0 to 1. Fast."""
        ...
