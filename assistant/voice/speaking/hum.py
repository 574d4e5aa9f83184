"""The quiet sound while the customer waits for tools: the line is not dead."""

import asyncio

from assistant.ports import Clock
from assistant.ports.speech import Pcm
from assistant.voice.playback import Playlist, Track
from assistant.voice.ports import Loudspeaker

FADE_MS = 200
"""Within this it gives way to words."""

_AFTER_S = 0.6
"""So long nobody minds silence."""

_LONG_S = 4.0
"""One clip of it."""

_BEFORE_ITS_END_S = 0.5
"""The next one is sent so long before the last has ended."""


class Hum:
    """Hums from soon after it is wanted until it is not.

    Args:
        rate: samples a second.
    """

    def __init__(self, playlist: Playlist, loudspeaker: Loudspeaker, clock: Clock, rate: int) -> None:
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
        # numpy takes its time to load, and most processes never hum.
        from assistant.voice.speaking.quiet import quiet_sound

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
