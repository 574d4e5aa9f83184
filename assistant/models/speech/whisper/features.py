"""What Whisper looks at instead of sound: how loud each band is, a hundred times a second."""

from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.models.speech.whisper.mel import SPECTRUM, mel_bands
from assistant.models.speech.whisper.samples import Samples

Features: TypeAlias = NDArray[np.float32]
"""One row per band, one column per step of time."""

STEP = 160
"""Samples from one column to the next: 10 ms."""

_QUIETEST = 1e-10
_RANGE = 8.0
"""Of what is so many powers of ten below the loudest, nothing is seen."""


def features(samples: Samples, bands: int) -> Features:
    """How loud each band is, as the logarithm of its energy, around 0 and seldom beyond -1 and 1.

    Args:
        samples: the whole window, with silence where nothing was said; at least 201 of them.
        bands: how many the model was trained with, 80 or 128.
    """
    # The window is periodic: its last sample would be the first of the next.
    bell = np.hanning(SPECTRUM + 1)[:-1].astype(np.float32)
    around = np.pad(samples, SPECTRUM // 2, mode="reflect")
    steps = len(samples) // STEP
    spectra = np.fft.rfft(sliding_window_view(around, SPECTRUM)[::STEP][:steps] * bell)
    energy = (spectra.real**2 + spectra.imag**2).astype(np.float32)
    loudness = np.log10(np.maximum(mel_bands(bands) @ energy.T, _QUIETEST))
    loudness = np.maximum(loudness, loudness.max() - _RANGE)
    return ((loudness + 4) / 4).astype(np.float32)
