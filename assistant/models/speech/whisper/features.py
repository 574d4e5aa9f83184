"""What Whisper looks at instead of sound: how loud each band of frequencies is, a hundred times a second."""

from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.errors import SpeechError
from assistant.ports import HEARD_RATE, Pcm

Features: TypeAlias = NDArray[np.float32]
"""One row per band, one column per step of time."""

STEP = 160
"""Samples from one column to the next: 10 ms."""

_QUIETEST = 1e-10
_RANGE = 8.0
"""Of what is so many powers of ten below the loudest, nothing is seen."""

Samples: TypeAlias = NDArray[np.float32]
"""Mono sound at 16 kHz, from -1 to 1."""


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


SPECTRUM = 400
"""Samples that are turned into one spectrum: 25 ms."""

_KNEE_HZ = 1_000.0
_HZ_A_MEL = 200 / 3
_KNEE_MEL = _KNEE_HZ / _HZ_A_MEL
_GROWTH = np.log(6.4) / 27
"""Slaney's scale: even steps up to 1 kHz, from there on each mel is the 27th part of a growth by 6.4."""


def mel_of(hz: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where frequencies lie on the scale.

    >>> mel_of(np.array([0.0, 200.0, 1000.0, 6400.0])).round(6).tolist()
    [0.0, 3.0, 15.0, 42.0]
    """
    above = _KNEE_MEL + np.log(np.maximum(hz, _KNEE_HZ) / _KNEE_HZ) / _GROWTH
    return np.where(hz < _KNEE_HZ, hz / _HZ_A_MEL, above)


def hz_of(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    """The way back.

    >>> hz_of(np.array([0.0, 3.0, 15.0])).round(6).tolist()
    [0.0, 200.0, 1000.0]
    """
    above = _KNEE_HZ * np.exp(_GROWTH * (np.maximum(mel, _KNEE_MEL) - _KNEE_MEL))
    return np.where(mel < _KNEE_MEL, mel * _HZ_A_MEL, above)


@cache
def mel_bands(count: int) -> NDArray[np.float32]:
    """How much each frequency of a spectrum counts in each band; one row per band.

    Bands are triangles that overlap by half, evenly spaced on the scale; each has the same area, so that wide ones
    do not weigh more.
    """
    heard = np.fft.rfftfreq(SPECTRUM, 1 / HEARD_RATE)
    top = float(mel_of(np.array([HEARD_RATE / 2]))[0])
    corners = hz_of(np.linspace(0.0, top, count + 2))
    widths = np.diff(corners)
    from_corner = heard - corners[:, None]
    rising = from_corner[:-2] / widths[:-1, None]
    falling = -from_corner[2:] / widths[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * (2 / (corners[2:] - corners[:-2]))[:, None]).astype(np.float32)


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
