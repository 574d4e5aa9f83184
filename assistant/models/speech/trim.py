"""A voice's sound without the silence that a model puts around it."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_SILENT_DB: Final = -50.0
_WINDOW_S: Final = 0.01
_LEAD_S: Final = 0.02


def trimmed(sound: NDArray[np.float32], rate: int, *, rest_s: float) -> NDArray[np.float32]:
    """The sound from 20 ms before its first word to ``rest_s`` after its last; nothing, if all of it is silent.

    Args:
        sound: samples between -1 and 1.
        rate: of them a second.
        rest_s: how much silence is left at the end, if there is so much.

    >>> sound = np.concatenate([np.zeros(300), np.full(100, 0.5), np.zeros(600)]).astype(np.float32)
    >>> len(trimmed(sound, 1_000, rest_s=0.25))
    370
    """
    window = max(1, round(rate * _WINDOW_S))
    whole = sound.size // window
    power = np.square(sound[: whole * window]).reshape(whole, window).mean(axis=1)
    heard = np.flatnonzero(power > 10 ** (_SILENT_DB / 10))
    if not heard.size:
        return sound[:0]
    begin = max(0, int(heard[0]) * window - round(rate * _LEAD_S))
    return sound[begin : (int(heard[-1]) + 1) * window + round(rate * rest_s)]
