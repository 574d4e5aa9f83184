"""Sound as numbers to calculate with."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assistant.errors import SpeechError
from assistant.ports.speech import Pcm

Samples: TypeAlias = NDArray[np.float32]
"""Mono sound at 16 kHz, from -1 to 1."""


def samples_of(pcm: Pcm) -> Samples:
    r"""The same sound as numbers.

    >>> samples_of(b"\x00\x80\x00\x40").tolist()
    [-1.0, 0.5]

    Raises:
        SpeechError: it does not consist of whole samples.
    """
    if len(pcm) % 2:
        raise SpeechError(f"{len(pcm)} bytes are no sound of 16-bit samples: their number must be even")
    return np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32_768)
