"""Sound that falls silent softly: a hard end would click."""

from math import pi

import numpy as np

from assistant.ports.speech import Pcm


def fade_out(pcm: Pcm, rate: int, ms: int) -> Pcm:
    r"""The first ``ms`` of a sound, ever softer until it is silent; what comes after is left out.

    >>> fade_out(b"\x00\x10" * 8, 1_000, 4) == b"\x00\x10\xa8\x0d\x00\x08\x58\x02"
    True
    """
    samples = np.frombuffer(pcm, "<i2", len(pcm) // 2)[: max(0, rate * ms // 1_000)].astype(np.float64)
    # Half a wave of a cosine: neither its beginning nor its end has an edge.
    softer = (1 + np.cos(pi * np.arange(samples.size) / max(1, samples.size))) / 2
    return np.rint(samples * softer).astype("<i2").tobytes()
