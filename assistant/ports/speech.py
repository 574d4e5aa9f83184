"""Where sound becomes text and text becomes sound.

Sound is mono, 16-bit little-endian PCM throughout. What is heard has 16,000 samples a second, whatever line it came
over; what is spoken has as many as its voice makes.
"""

from collections.abc import AsyncIterator
from typing import Protocol, TypeAlias

from assistant.conversation.spoken import Transcript

Pcm: TypeAlias = bytes
"""Mono sound, 16-bit little-endian samples."""

HEARD_RATE = 16_000
"""Samples a second of everything that is heard."""

FRAME_SAMPLES = 512
"""Samples of one frame, of which is said whether somebody speaks in it: 32 ms."""


class SpeechToText(Protocol):
    """Writes down what was said."""

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        ...

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcript:
        """What is said in an utterance of 16 kHz, without holding up the loop.

        ``hint`` are words that are likely to occur. Whoever waits may leave: then the work is not begun, or its
        outcome is dropped. Raises ``SpeechError``.
        """
        ...


class TextToSpeech(Protocol):
    """Says a text."""

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        ...

    @property
    def rate(self) -> int:
        """Samples a second of what it says."""
        ...

    def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """The sound of a clause or sentence in its spoken form, piece by piece as it is made.

        ``tempo``: 0.5 is half as fast, 2.0 twice. Leaving the iteration stops it. Raises ``SpeechError``.
        """
        ...


class VoiceActivity(Protocol):
    """Tells speech from everything else. One stream per caller, for it remembers what came before."""

    def stream(self) -> "VoiceStream":
        """Begin to listen to somebody."""
        ...


class VoiceStream(Protocol):
    """One caller's sound, frame after frame."""

    def push(self, frame: Pcm) -> float:
        """How likely somebody speaks in the next ``FRAME_SAMPLES`` samples, from 0 to 1; soon said."""
        ...
