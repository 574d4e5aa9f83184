"""Comfort noise: a quiet sound while the customer waits for tools, so that the call does not seem to be dead."""

import asyncio
from math import pi
from typing import Final

from assistant.ports import Clock
from assistant.speech_ports import Pcm
from assistant.voice.playback import Playlist, Track
from assistant.voice.ports import AudioOutput

FADE_MS = 200
"""The fade-out time in milliseconds when speech begins."""

_DELAY_S = 0.6
"""Seconds of silence before comfort noise starts."""

_CLIP_S = 4.0
"""The length of one clip in seconds."""

_OVERLAP_S = 0.5
"""The next clip is sent this many seconds before the last one ends."""

LEVEL_DBFS: Final = -38.0
"""The loudness (RMS, relative to full scale): about 18 dB below the embedded voice."""

_TONES_HZ: Final = (392.0, 587.3)  # a musical fifth; telephones transmit these frequencies
_BREATH_S: Final = 2.0


class ComfortNoise:
    """Plays comfort noise while it is active.

    Args:
        rate: samples per second.
    """

    def __init__(self, playlist: Playlist, audio_output: AudioOutput, clock: Clock, rate: int) -> None:
        self._playlist, self._audio_output, self._clock = playlist, audio_output, clock
        self._rate = rate
        self._tracks: list[Track] = []
        self._task: asyncio.Task[None] | None = None

    def set_active(self, active: bool) -> None:
        """Start or stop. It has no effect if the state is the same."""
        if active and self._task is None:
            self._task = asyncio.create_task(self._play())
        elif not active and self._task is not None:
            self._task.cancel()
            self._task = None
            self._stop()

    async def _play(self) -> None:
        await self._clock.sleep(_DELAY_S)
        sound: Pcm = make_comfort_noise(_CLIP_S, self._rate)
        while True:
            track = self._playlist.begin(self._rate)
            track.add_audio(sound)
            track.complete = True
            self._tracks = [*self._tracks[-1:], track]
            self._audio_output.begin_clip(track.clip, self._rate)
            self._audio_output.add_audio(track.clip.number, sound)
            self._audio_output.end_clip(track.clip.number, track.made_ms)
            await self._clock.sleep(_CLIP_S - _OVERLAP_S)

    def _stop(self) -> None:
        left, self._tracks = [track for track in self._tracks if not track.over], []
        if left:
            self._playlist.remove(left)
            self._audio_output.drop(tuple(track.clip.number for track in left), FADE_MS)


def make_comfort_noise(seconds: float, rate: int) -> Pcm:
    """Returns two soft tones that slowly become louder and quieter. They begin and end with silence, so clips
    join seamlessly.

    >>> sound = make_comfort_noise(4.0, 8_000)
    >>> len(sound) // 2, sound[:2] == sound[-2:] == bytes(2)
    (32000, True)
    """
    # numpy is slow to import, and most processes do not need it here.
    import numpy as np

    count = round(seconds * rate)
    if not count:
        return b""
    place = np.arange(count) / count
    breaths = max(1, round(seconds / _BREATH_S))
    # Complete waves and complete cycles, so that the end fits the beginning.
    tones = sum(np.sin(2 * pi * max(1, round(hz * seconds)) * place) for hz in _TONES_HZ)
    sound = tones * np.sin(pi * breaths * place) ** 2
    loud = np.sqrt(np.square(sound).mean()) or 1.0
    return np.rint(sound / loud * 32_767 * 10 ** (LEVEL_DBFS / 20)).astype("<i2").tobytes()
