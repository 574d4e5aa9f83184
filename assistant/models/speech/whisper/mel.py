"""Which frequencies are heard together: the bands of the mel scale."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from assistant.ports.speech import HEARD_RATE

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
