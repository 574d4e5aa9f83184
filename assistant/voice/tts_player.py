"""Speaks one clause or sentence after the other, slightly ahead of what the customer hears."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import structlog

from assistant.errors import LogError, SpeechError
from assistant.ports import Clock, TextToSpeech
from assistant.voice.playback import Playlist, Saying, Track, Words
from assistant.voice.ports import AudioOutput

FADE_MS = 300
"""Within this what gives way falls silent; what would end as soon anyway is heard out."""

CUT_MS = 60
"""Within this a message falls silent that was cut off."""

_AHEAD = 2
"""So many clips may be on their way: the one that plays, and the next."""

log = structlog.get_logger(__name__)


class HeardNotes:
    """Takes notes at any moment, and writes them as soon as the loop comes to it.

    Args:
        heard: writes one; it has its place in the log when this has begun.
    """

    def __init__(self, heard: Callable[[str, int], Awaitable[None]]) -> None:
        self._heard = heard
        self._waiting: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._writing: asyncio.Task[None] | None = None

    def note(self, saying: Saying, up_to: int) -> None:
        """So many characters of it were heard; 0: it is being spoken. Less than before is no news."""
        if saying.message_id is None or not saying.noted or up_to <= self._known.get(saying.message_id, -1):
            return
        self._known[saying.message_id] = self._waiting[saying.message_id] = up_to
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def settled(self) -> None:
        """Wait until everything noted has its place in the log."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        try:
            with suppress(LogError):  # the conversation is over; whoever carries the sound is told
                while self._waiting:
                    message_id = next(iter(self._waiting))
                    await self._heard(message_id, self._waiting.pop(message_id))
        finally:
            self._writing = None


class Mouth:
    """Speaks what it is given, in order.

    Args:
        notes: where it is noted how far each message was heard.
        changed: is called whenever the mouth begins to speak, falls silent, or gets on.

    Attributes:
        tempo: how fast; from the next sentence on.
        locale: the language of what is said.
        spoke_at: when it last began a clip, by the clock's ``monotonic()``.
    """

    def __init__(
        self,
        speech: TextToSpeech,
        loudspeaker: AudioOutput,
        clock: Clock,
        notes: HeardNotes,
        *,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.tempo, self.locale, self.spoke_at = 1.0, "en", float("-inf")
        self.playlist = Playlist(clock)
        self._speech, self._loudspeaker, self._clock = speech, loudspeaker, clock
        self._notes, self._changed = notes, changed
        self._waiting: deque[Words] = deque()
        self._now: tuple[Words, asyncio.Task[None]] | None = None
        self._held = self._audible = False
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def audible(self) -> bool:
        """Whether words of the assistant are in the air, or would be if nobody interrupted.

        From the first clip to the last: not only while one is there, for the next may still be in the making.
        """
        return self._audible

    @property
    def held(self) -> bool:
        """Whether it is silent because the customer speaks."""
        return self._held

    @property
    def busy(self) -> bool:
        """Whether there is anything to say, or being said."""
        return self._has_words or bool(self.playlist.spoken)

    @property
    def _has_words(self) -> bool:
        return bool(self._waiting) or self._now is not None

    def start(self) -> None:
        """Begin to speak what comes."""
        self._task = asyncio.create_task(self._speak_on())

    async def close(self) -> None:
        """Say nothing more."""
        self.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._notes.settled()

    def say(self, words: Words) -> None:
        """Say this next, after everything else."""
        if not words.saying.over:
            self._waiting.append(words)
            self._tell()

    def give_way(self) -> None:
        """The answer is here: what only says that it takes its time is not said any more.

        Sounds without words are not the mouth's to stop.
        """
        self._drop(lambda saying: saying.passing, FADE_MS, hear_out=True)

    def cut(self, saying: Saying) -> None:
        """Nothing more of this is said."""
        saying.over = True
        self._drop(lambda other: other is saying, CUT_MS)

    def hold(self) -> None:
        """Fall silent at once, for somebody speaks; nothing is forgotten."""
        if not self._held:
            self._held = True
            self._loudspeaker.pause()
            self._tell()

    def release(self) -> None:
        """Go on where it was held; nothing happens when it was not."""
        if self._held:
            self._held = False
            self._loudspeaker.resume()
            self._tell()

    def clear(self) -> frozenset[str]:
        """Fall silent at once and forget everything; gives the turns whose words that were."""
        sayings = {track.saying for track in self.playlist.spoken if track.saying is not None}
        sayings |= {words.saying for words in self._waiting}
        if self._now is not None:
            sayings.add(self._now[0].saying)
            self._now[1].cancel()
        for saying in sayings:
            saying.over = True
        self._waiting.clear()
        for track in self.playlist:
            self._note(track)
        if sayings:
            self.playlist.take_away(list(self.playlist))
            self._loudspeaker.clear()
        self._tell()
        return frozenset(saying.turn_id for saying in sayings if saying.turn_id)

    def played(self, number: int, ms: int, *, playing: bool) -> None:
        """What the loudspeaker reports."""
        for track in self.playlist.report(number, ms, playing=playing, stopped=self._held):
            if track.over or not track.playing:
                self._note(track)
        self._tell()

    async def settled(self) -> None:
        """Wait until what was heard by now stands in the log."""
        await self._notes.settled()

    async def _speak_on(self) -> None:
        while True:
            while not self._ready():
                self._news.clear()
                await self._news.wait()
            words = self._waiting.popleft()
            task = asyncio.create_task(self._speak(words))
            self._now = words, task
            try:
                await asyncio.wait({task})
            finally:
                task.cancel()
                self._now = None
            self._tell()

    def _ready(self) -> bool:
        return bool(self._waiting) and not self._held and len(self.playlist.spoken) < _AHEAD

    async def _speak(self, words: Words) -> None:
        """Make the sound of these words, and send it as it comes."""
        # Reading Markdown takes its time to load, and a process may never speak.
        from assistant.voice.text_normalization.normalize import spoken_form

        text = spoken_form(words.text, self.locale)
        if not text.strip():
            self._pass_over(words)
            return
        track: Track | None = None
        try:
            async for pcm in self._speech.speak(text, locale=self.locale, tempo=self.tempo):
                track = track or self._begin(words)
                track.take(pcm)
                self._loudspeaker.play(track.clip.number, pcm)
        except SpeechError as error:
            # The words can still be read. Nobody has heard them: the next turn knows.
            log.warning("cannot speak", error=str(error))
            words.saying.over = True
            self._waiting = deque(other for other in self._waiting if not other.saying.over)
        if track is not None:
            track.complete = True
            self._loudspeaker.end(track.clip.number, track.made_ms)

    def _begin(self, words: Words) -> Track:
        self.spoke_at = self._clock.monotonic()
        track = self.playlist.begin(self._speech.rate, words)
        self._loudspeaker.begin(track.clip, track.rate)
        self._tell()
        return track

    def _pass_over(self, words: Words) -> None:
        """Nothing of this can be said, such as an address: it is heard when what stands before it is."""
        before = next((track for track in self.playlist.spoken[::-1] if track.saying is words.saying), None)
        if before is None:
            self._notes.note(words.saying, words.saying.position(words.end))
        else:
            before.until = words.end

    def _drop(self, which: Callable[[Saying], bool], fade_ms: int, *, hear_out: bool = False) -> None:
        """Take back what waits or plays of these sayings; ``hear_out``: but for what is over as soon anyway."""
        self._waiting = deque(words for words in self._waiting if not which(words.saying))
        if self._now is not None and which(self._now[0].saying):
            self._now[1].cancel()
        tracks = [track for track in self.playlist.spoken if track.saying is not None and which(track.saying)]
        if hear_out and tracks and self._ends_soon(tracks[0]):
            tracks = tracks[1:]
        self._take_away(tracks, fade_ms)
        self._tell()

    def _ends_soon(self, track: Track) -> bool:
        first = next(iter(self.playlist)) is track
        return first and track.complete and track.left_ms(self._clock.monotonic()) <= FADE_MS

    def _take_away(self, tracks: Iterable[Track], fade_ms: int) -> None:
        gone = list(tracks)
        if gone:
            self.playlist.take_away(gone)
            self._loudspeaker.drop(tuple(track.clip.number for track in gone), fade_ms)

    def _note(self, track: Track) -> None:
        # One that has not begun stands behind words that may not have been heard.
        if track.saying is not None and track.played_ms:
            self._notes.note(track.saying, track.heard)

    def _tell(self) -> None:
        self._audible = bool(self.playlist.spoken) or (self._audible and self._has_words)
        self._news.set()
        self._changed()
