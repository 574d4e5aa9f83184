"""The sound of telephones: G.711 mu-law, one byte a sample, to and from 16-bit samples."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.ports.speech import Pcm

_BIAS: Final = 132
_CLIP: Final = 32_635


def encode_mulaw(pcm: Pcm) -> bytes:
    r"""Each sample as one byte: sign, exponent, mantissa, all inverted. An odd last byte is left out.

    >>> encode_mulaw(b"\x00\x00\x84\x00\x00\x80").hex()
    'ffef00'
    """
    samples = np.frombuffer(pcm, "<i2", count=len(pcm) // 2)
    return _codes()[samples.view("<u2")].tobytes()


def decode_mulaw(coded: bytes) -> Pcm:
    r"""The samples that the bytes stand for.

    >>> decode_mulaw(b"\xff\xef\x00") == b"\x00\x00\x84\x00\x84\x82"
    True
    """
    return _samples()[np.frombuffer(coded, np.uint8)].tobytes()


@cache
def _samples() -> NDArray[np.int16]:
    """What each of the 256 codes stands for."""
    code = ~np.arange(256, dtype=np.uint8)
    exponent, mantissa = (code.astype(np.int32) >> 4) & 7, code.astype(np.int32) & 15
    magnitude = (((mantissa << 3) + _BIAS) << exponent) - _BIAS
    return np.where(code & 0x80, -magnitude, magnitude).astype("<i2")


@cache
def _codes() -> NDArray[np.uint8]:
    """The code of each sample, at the place where its two bytes, read without a sign, point to."""
    sample = np.arange(65_536, dtype=np.uint16).view(np.int16).astype(np.int32)
    biased = np.minimum(np.abs(sample), _CLIP) + _BIAS
    exponent = np.floor(np.log2(biased)).astype(np.int32) - 7
    mantissa = (biased >> (exponent + 3)) & 15
    sign = np.where(sample < 0, 0x80, 0)
    return ~(sign | (exponent << 4) | mantissa).astype(np.uint8)
