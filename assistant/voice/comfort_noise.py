"""Comfort noise: a quiet sound while the customer waits for tools, so that the line does not seem dead."""

import asyncio
from math import pi
from typing import Final

from assistant.ports import Clock
from assistant.ports.speech import Pcm
from assistant.voice.playback import Playlist, Track
from assistant.voice.ports import AudioOutput

FADE_MS = 200
"""Within this it gives way to words."""

_AFTER_S = 0.6
"""So long nobody minds silence."""

_LONG_S = 4.0
"""One clip of it."""

_BEFORE_ITS_END_S = 0.5
"""The next one is sent so long before the last has ended."""

LEVEL_DBFS: Final = -38.0
"""How loud it is on the whole (RMS, beside full scale): some 18 dB below the embedded voice."""

_TONES_HZ: Final = (392.0, 587.3)  # a fifth, which telephones carry, too
_BREATH_S: Final = 2.0


class Hum:
    """Hums from soon after it is wanted until it is not.

    Args:
        rate: samples a second.
    """

    def __init__(self, playlist: Playlist, loudspeaker: AudioOutput, clock: Clock, rate: int) -> None:
        self._playlist, self._loudspeaker, self._clock = playlist, loudspeaker, clock
        self._rate = rate
        self._tracks: list[Track] = []
        self._task: asyncio.Task[None] | None = None

    def want(self, wanted: bool) -> None:
        """Begin, or give way to words; said again it changes nothing."""
        if wanted and self._task is None:
            self._task = asyncio.create_task(self._hum())
        elif not wanted and self._task is not None:
            self._task.cancel()
            self._task = None
            self._stop()

    async def _hum(self) -> None:
        await self._clock.sleep(_AFTER_S)
        sound: Pcm = quiet_sound(_LONG_S, self._rate)
        while True:
            track = self._playlist.begin(self._rate)
            track.take(sound)
            track.complete = True
            self._tracks = [*self._tracks[-1:], track]
            self._loudspeaker.begin(track.clip, self._rate)
            self._loudspeaker.play(track.clip.number, sound)
            self._loudspeaker.end(track.clip.number, track.made_ms)
            await self._clock.sleep(_LONG_S - _BEFORE_ITS_END_S)

    def _stop(self) -> None:
        left, self._tracks = [track for track in self._tracks if not track.over], []
        if left:
            self._playlist.take_away(left)
            self._loudspeaker.drop(tuple(track.clip.number for track in left), FADE_MS)


def quiet_sound(seconds: float, rate: int) -> Pcm:
    """So much of it. It begins and ends with silence, so it can follow itself without a seam.

    >>> sound = quiet_sound(4.0, 8_000)
    >>> len(sound) // 2, sound[:2] == sound[-2:] == bytes(2)
    (32000, True)
    """
    # numpy takes its time to load, and most processes never hum.
    import numpy as np

    count = round(seconds * rate)
    if not count:
        return b""
    place = np.arange(count) / count
    breaths = max(1, round(seconds / _BREATH_S))
    # Whole waves and whole breaths: the end fits the beginning.
    tones = sum(np.sin(2 * pi * max(1, round(hz * seconds)) * place) for hz in _TONES_HZ)
    sound = tones * np.sin(pi * breaths * place) ** 2
    loud = np.sqrt(np.square(sound).mean()) or 1.0
    return np.rint(sound / loud * 32_767 * 10 ** (LEVEL_DBFS / 20)).astype("<i2").tobytes()
