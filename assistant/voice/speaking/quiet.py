"""The quiet sound while a customer waits: two soft tones that come and go like breath."""

from math import pi
from typing import Final

import numpy as np

from assistant.ports.speech import Pcm

LEVEL_DBFS: Final = -38.0
"""How loud it is on the whole (RMS, beside full scale): some 18 dB below the embedded voice."""

_TONES_HZ: Final = (392.0, 587.3)  # a fifth, which telephones carry, too
_BREATH_S: Final = 2.0


def quiet_sound(seconds: float, rate: int) -> Pcm:
    """So much of it. It begins and ends with silence, so it can follow itself without a seam.

    >>> sound = quiet_sound(4.0, 8_000)
    >>> len(sound) // 2, sound[:2] == sound[-2:] == bytes(2)
    (32000, True)
    """
    count = round(seconds * rate)
    if not count:
        return b""
    place = np.arange(count) / count
    breaths = max(1, round(seconds / _BREATH_S))
    # Whole waves and whole breaths: the end fits the beginning.
    tones = sum(np.sin(2 * pi * max(1, round(hz * seconds)) * place) for hz in _TONES_HZ)
    sound = tones * np.sin(pi * breaths * place) ** 2
    loud = np.sqrt(np.square(sound).mean()) or 1.0
    return np.rint(sound / loud * 32_767 * 10 ** (LEVEL_DBFS / 20)).astype("<i2").tobytes()
