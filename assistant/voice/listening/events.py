"""What the ears make of a caller's sound."""

from dataclasses import dataclass
from typing import TypeAlias

from assistant.ports.speech import Pcm


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Somebody speaks, for long enough to be believed; while the assistant speaks, that interrupts it."""


@dataclass(frozen=True, slots=True)
class Paused:
    """A short pause: perhaps that was all. ``audio`` is the utterance so far, with what came right before it."""

    audio: Pcm


@dataclass(frozen=True, slots=True)
class WentOn:
    """The pause was none: what was made of the utterance so far is not the whole."""


@dataclass(frozen=True, slots=True)
class UtteranceEnded:
    """The customer has finished. ``audio`` is all of it; the same as the last ``Paused``, if nothing came since."""

    audio: Pcm


EarEvent: TypeAlias = SpeechBegan | Paused | WentOn | UtteranceEnded
