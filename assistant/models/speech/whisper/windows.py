"""How much sound Whisper is shown at a time."""

from collections.abc import Iterator

import numpy as np

from assistant.models.speech.whisper.samples import Samples
from assistant.ports.speech import HEARD_RATE

WHOLE_S = 30
"""What it was trained with: it cannot see more."""

_CUT_S = 10
_AFTER_S = 2
"""Shown less, it does not notice that the utterance is over, and says it again and again."""

_EARLIEST_S = 15
_LATEST_S = 29
_STRETCH_S = 0.3


def cut_window_s(seconds: float) -> float:
    """How much time is looked at for an utterance of so many seconds: a quarter of the work for most.

    >>> cut_window_s(3.2), cut_window_s(11.5), cut_window_s(29.0)
    (10, 13.5, 30)
    """
    return min(max(seconds + _AFTER_S, _CUT_S), WHOLE_S)


def in_window(samples: Samples, seconds: float) -> Samples:
    """The sound, and silence up to so many seconds."""
    return np.pad(samples, (0, max(0, round(seconds * HEARD_RATE) - len(samples))))


def pieces(samples: Samples) -> Iterator[Samples]:
    """What fits into a window each, cut where it is quietest, so that no word is cut in two."""
    while len(samples) > WHOLE_S * HEARD_RATE:
        at = _quietest(samples)
        yield samples[:at]
        samples = samples[at:]
    yield samples


def _quietest(samples: Samples) -> int:
    """The middle of the quietest stretch between the earliest and the latest place to cut."""
    first, stretch = _EARLIEST_S * HEARD_RATE, round(_STRETCH_S * HEARD_RATE)
    total = np.concatenate(
        [[0.0], np.cumsum(samples[first : _LATEST_S * HEARD_RATE].astype(np.float64) ** 2)]
    )
    return first + int(np.argmin(total[stretch:] - total[:-stretch])) + stretch // 2
