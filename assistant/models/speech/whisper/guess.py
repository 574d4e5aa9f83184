"""What a model makes of a window, and how sure it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.models.speech.whisper.features import Features

_SILENT = 0.5
_GUESSED = -0.7
_HOPELESS = -2.3
"""Measured: silence, hum, beeps, clicks and noise lie beyond these, speech in noise as loud as itself does not."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Words, as the numbers of the model's vocabulary.

    ``mean_log`` is the mean of the natural logarithms of their probabilities; ``silent`` is how likely nobody
    speaks, from 0 to 1.
    """

    ids: tuple[int, ...]
    mean_log: float
    silent: float

    @property
    def of_nobody(self) -> bool:
        """It made up words where nobody speaks, as it does: it was taught to write something below everything.

        >>> Guess((1,), mean_log=-0.9, silent=0.9).of_nobody, Guess((1,), mean_log=-0.1, silent=0.6).of_nobody
        (True, False)
        """
        return (self.silent > _SILENT and self.mean_log < _GUESSED) or self.mean_log < _HOPELESS


class Engine(Protocol):
    """The model itself. It is asked from several threads at once."""

    @property
    def bands(self) -> int:
        """How many rows its features have."""
        ...

    def guess(self, seen: Features, prompt: Sequence[int], most: int) -> Guess:
        """What is said in a window, in at most so many tokens. Takes its time; raises what it likes."""
        ...
