"""PCM audio: another sample rate, the mu-law coding of telephones, and fading out.

``Resampler`` converts a stream piece by piece; ``resample`` converts a whole sound at once.
"""

from functools import cache
from math import ceil, gcd, pi
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from assistant.speech_ports import Pcm

_STOPPED_DB: Final = 70.0
_PASSES: Final = 0.85  # of what the lower rate can carry: 3.4 kHz of a telephone's 4
_AT_ONCE: Final = 4_096  # samples made in one go, so that long sounds need no more memory than short ones
_BIAS: Final = 132
_CLIP: Final = 32_635


class Resampler:
    """Resamples one stream piece by piece. The result does not depend on how the stream is cut.

    Passes frequencies up to 85 % of the band of the lower rate, and attenuates those that it cannot carry by
    70 dB. The output is not delayed: sample ``n`` is the sound at second ``n / to_rate``.

    The last milliseconds (half the filter: 4 at 8 kHz) come with the next piece, or with ``close``. Raises
    ``ValueError`` for a rate below 1.
    """

    __slots__ = ("_bank", "_down", "_held", "_made", "_odd", "_taken", "_up")

    def __init__(self, from_rate: int, to_rate: int) -> None:
        if from_rate < 1 or to_rate < 1:
            raise ValueError(f"rates are samples a second, such as 8000; not {from_rate} and {to_rate}")
        shared = gcd(from_rate, to_rate)
        self._up, self._down = to_rate // shared, from_rate // shared
        self._bank = _bank(self._up, self._down)
        # The samples that later ones out still need; silence came before the first.
        self._held = np.zeros(self._taps - 1, np.float64)
        self._taken = self._made = 0
        self._odd = b""

    def push(self, pcm: Pcm) -> Pcm:
        """Add sound; returns the output that is certain so far. Half a sample at the end waits for its other
        half.
        """
        pcm = self._odd + pcm
        whole = len(pcm) // 2
        self._odd = pcm[2 * whole :]
        return self._take(np.frombuffer(pcm, "<i2", whole))

    def close(self) -> Pcm:
        """End the stream and return the rest. The whole output then lasts as long as the input."""
        left = ceil(self._taken * self._up / self._down) - self._made
        return self._take(np.zeros(self._taps, np.int16))[: 2 * left]

    def _take(self, samples: NDArray[np.int16]) -> Pcm:
        self._taken += samples.size
        self._held = np.concatenate([self._held, samples])
        ready = max(self._made, ceil((self._taken * self._up - self._after) / self._down))
        made = [
            self._rows(np.arange(first, min(first + _AT_ONCE, ready)))
            for first in range(self._made, ready, _AT_ONCE)
        ]
        self._made = ready
        needed = (ready * self._down + self._after) // self._up - self._taps + 1
        self._held = self._held[max(0, needed - self._oldest) :]
        return b"".join(made)

    def _rows(self, numbers: NDArray[np.int64]) -> Pcm:
        """Returns the samples out with these numbers."""
        newest, phases = np.divmod(numbers * self._down + self._after, self._up)
        windows = sliding_window_view(self._held, self._taps)[newest - self._taps + 1 - self._oldest]
        made = np.einsum("kt,kt->k", windows, self._bank[phases])
        return np.clip(np.rint(made), -32_768, 32_767).astype("<i2").tobytes()

    @property
    def _taps(self) -> int:
        return self._bank.shape[1]

    @property
    def _after(self) -> int:
        """The filter's middle is at the sample that is made: so much later it ends."""
        return self._bank.size // 2

    @property
    def _oldest(self) -> int:
        """The number of the first sample held; those before the stream's first are below 0."""
        return self._taken - self._held.size


def resample(pcm: Pcm, from_rate: int, to_rate: int) -> Pcm:
    """Returns a whole sound at another rate. Its length stays the same, rounded up to a sample.

    >>> len(resample(bytes(2 * 2_400), 24_000, 8_000)) // 2
    800
    """
    if from_rate == to_rate:
        return pcm
    resampler = Resampler(from_rate, to_rate)
    return resampler.push(pcm) + resampler.close()


def encode_mulaw(pcm: Pcm) -> bytes:
    r"""Returns each sample as one byte: sign, exponent, mantissa, all inverted. An odd last byte is left out.

    >>> encode_mulaw(b"\x00\x00\x84\x00\x00\x80").hex()
    'ffef00'
    """
    samples = np.frombuffer(pcm, "<i2", count=len(pcm) // 2)
    return _codes()[samples.view("<u2")].tobytes()


def decode_mulaw(coded: bytes) -> Pcm:
    r"""Decode mu-law bytes into samples.

    >>> decode_mulaw(b"\xff\xef\x00") == b"\x00\x00\x84\x00\x84\x82"
    True
    """
    return _samples()[np.frombuffer(coded, np.uint8)].tobytes()


def fade_out(pcm: Pcm, rate: int, ms: int) -> Pcm:
    r"""Returns the first ``ms`` of a sound, faded out to silence; the rest is dropped.

    >>> fade_out(b"\x00\x10" * 8, 1_000, 4) == b"\x00\x10\xa8\x0d\x00\x08\x58\x02"
    True
    """
    samples = np.frombuffer(pcm, "<i2", len(pcm) // 2)[: max(0, rate * ms // 1_000)].astype(np.float64)
    # Half a wave of a cosine: neither its beginning nor its end has an edge.
    softer = (1 + np.cos(pi * np.arange(samples.size) / max(1, samples.size))) / 2
    return np.rint(samples * softer).astype("<i2").tobytes()


@cache
def _bank(up: int, down: int) -> NDArray[np.float64]:
    """Returns the filter's phases, one a row, each with its taps from the oldest sample to the newest.

    A sine in a window after Kaiser, whose formulas say how long it has to be for how steep a slope.
    """
    if up == down:
        return np.ones((1, 1))
    slope = pi * (1 - _PASSES) / max(up, down)
    taps = ceil((_STOPPED_DB - 8) / (2.285 * slope) / up)
    half = taps * up // 2
    place = np.arange(taps * up) - half
    cut = (1 + _PASSES) / 2 / max(up, down)
    shape = 0.1102 * (_STOPPED_DB - 8.7)
    inside = np.clip(1 - (place / half) ** 2, 0, None)
    filtered = np.sinc(cut * place) * np.i0(shape * np.sqrt(inside))
    phases = filtered.reshape(taps, up).T[:, ::-1]
    # Each phase by itself leaves a steady level what it is.
    return phases / phases.sum(axis=1, keepdims=True)


@cache
def _samples() -> NDArray[np.int16]:
    """The sample of each of the 256 codes."""
    code = ~np.arange(256, dtype=np.uint8)
    exponent, mantissa = (code.astype(np.int32) >> 4) & 7, code.astype(np.int32) & 15
    magnitude = (((mantissa << 3) + _BIAS) << exponent) - _BIAS
    return np.where(code & 0x80, -magnitude, magnitude).astype("<i2")


@cache
def _codes() -> NDArray[np.uint8]:
    """Returns the code of each sample, at the place where its two bytes, read without a sign, point to."""
    sample = np.arange(65_536, dtype=np.uint16).view(np.int16).astype(np.int32)
    biased = np.minimum(np.abs(sample), _CLIP) + _BIAS
    exponent = np.floor(np.log2(biased)).astype(np.int32) - 7
    mantissa = (biased >> (exponent + 3)) & 15
    sign = np.where(sample < 0, 0x80, 0)
    return ~(sign | (exponent << 4) | mantissa).astype(np.uint8)
