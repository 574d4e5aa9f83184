"""Two customers who are nobody: sentences said aloud by machines, as a microphone hears them."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.audio import resample
from assistant.models.speech.hibari import Hibari
from assistant.models.speech.hosted import to_pcm
from assistant.speech_ports import HEARD_RATE, Pcm

SPEAKERS = ("hibari", "espeak-ng")
_AUDIBLE = 250
"""Of 32,768: what is softer is not the end of a word any more."""

_LOOK = HEARD_RATE // 100
_HISS = 8.0
"""How loud a quiet room is: real silence is heard by nobody."""


def speakers() -> tuple[str, ...]:
    """Those that are installed; says which is not."""
    if shutil.which("espeak-ng"):
        return SPEAKERS
    print(
        "espeak-ng is not installed (apt-get install espeak-ng): one of the two speakers is missing",
        file=sys.stderr,
    )
    return SPEAKERS[:1]


async def said(text: str, speaker: str) -> Pcm:
    """The sound of it at 16 kHz, from its first sound to its last."""
    if speaker == "hibari":
        voice = Hibari()
        sound = resample(b"".join([pcm async for pcm in voice.speak(text)]), voice.rate, HEARD_RATE)
    else:
        sound = await asyncio.to_thread(_by_espeak, text)
    return _only_sound(sound)


def quiet(seconds: float) -> Pcm:
    """A room in which nobody speaks; the same one each time."""
    return in_a_room(bytes(2 * round(seconds * HEARD_RATE)))


def in_a_room(sound: Pcm) -> Pcm:
    """The same sound with the room around it."""
    heard = np.frombuffer(sound, "<i2").astype(np.float64)
    return as_pcm(heard + np.random.default_rng(1).normal(0, _HISS, len(heard)))


def as_pcm(samples: NDArray[np.float64]) -> Pcm:
    """Samples on the scale of 16 bits, as bytes."""
    return np.clip(np.rint(samples), -32_768, 32_767).astype("<i2").tobytes()


def _by_espeak(text: str) -> Pcm:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.wav"
        command = ["espeak-ng", "-v", "en-us", "-s", "150", "-w", str(file), text]
        subprocess.run(command, check=True, timeout=60)
        return to_pcm(file.read_bytes(), HEARD_RATE)


def _only_sound(sound: Pcm) -> Pcm:
    heard = np.frombuffer(sound, "<i2")
    looks = np.abs(heard[: len(heard) // _LOOK * _LOOK].astype(np.int32)).reshape(-1, _LOOK).max(axis=1)
    loud = np.flatnonzero(looks > _AUDIBLE)
    return heard[loud[0] * _LOOK : (loud[-1] + 1) * _LOOK].tobytes()
