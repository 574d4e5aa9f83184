"""Sound for microphones and loudspeakers in tests: mono, 16-bit little-endian samples."""

import wave
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.floating[Any]]


def tone(pitch: float, *, seconds: float, rate: int, loud: float = 0.5) -> bytes:
    """A tone of this frequency, in Hz."""
    at = np.arange(round(seconds * rate)) / rate
    return (np.sin(2 * np.pi * pitch * at) * loud * 32_767).astype("<i2").tobytes()


def write_wav(path: Path, sound: bytes, *, rate: int) -> None:
    """A file that Chromium takes for a microphone."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(sound)


def samples(sound: bytes) -> Samples:
    """Each sample, from -1 to 1."""
    return np.frombuffer(sound, "<i2").astype(np.float64) / 32_768


def pitch(sound: bytes, rate: int) -> float:
    """The loudest tone in it, in Hz."""
    heard = samples(sound)
    spectrum = np.abs(np.fft.rfft(heard * np.hanning(len(heard))))
    return float(np.argmax(spectrum) * rate / len(heard))
