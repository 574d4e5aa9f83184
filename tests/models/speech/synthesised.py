"""Sentences spoken by the embedded text-to-speech model."""

from functools import cache
from typing import Any

import numpy as np

from assistant.models.speech.hosted import to_pcm, to_wav
from assistant.speech_ports import HEARD_RATE, Pcm


@cache
def said_aloud(text: str) -> Pcm:
    """The sound of a text as it is heard: 16 kHz, the same each time."""
    spoken = np.asarray(_voice()(text, seed=0), np.float64)
    pcm = np.clip(32_767 * spoken, -32_768, 32_767).astype("<i2").tobytes()
    return to_pcm(to_wav(pcm, _voice().sample_rate), HEARD_RATE)


@cache
def _voice() -> Any:
    from hibari import Hibari

    return Hibari()
