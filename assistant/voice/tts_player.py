"""Speaks one clause or sentence after the other, slightly ahead of what the customer hears."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from assistant.errors import LogError, SpeechError
from assistant.ports import Clock
from assistant.speech_ports import TextToSpeech
from assistant.voice.playback import AssistantUtterance, Playlist, SpeechSegment, Track
from assistant.voice.ports import AudioOutput

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

FADE_MS = 300
"""The fade-out time of speech that is dropped because the answer comes. If it ends sooner, it is not
dropped."""

CUT_MS = 60
"""The fade-out time of speech that is cut off."""

_AHEAD = 2
"""The most clips that are sent ahead: the one that plays, and the next."""

log = structlog.get_logger(__name__)


class HeardPositionRecorder:
    """Records how far each message was heard, in order of time.

    Args:
        heard: writes one record. Its position in the log is fixed when the call begins.
    """

    def __init__(self, heard: Callable[[str, int], Awaitable[None]]) -> None:
        self._heard = heard
        self._waiting: dict[str, int] = {}
        self._known: dict[str, int] = {}
        self._writing: asyncio.Task[None] | None = None

    def record(self, utterance: AssistantUtterance, up_to: int) -> None:
        """Record that this many characters were heard; 0 means that speaking begins.

        Smaller values have no effect.
        """
        if (
            utterance.message_id is None
            or not utterance.noted
            or up_to <= self._known.get(utterance.message_id, -1)
        ):
            return
        self._known[utterance.message_id] = self._waiting[utterance.message_id] = up_to
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def wait_until_recorded(self) -> None:
        """Wait until all records have their position in the log."""
        while self._writing is not None:
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        try:
            with suppress(LogError):  # the conversation has ended; the transport's own call reports it
                while self._waiting:
                    message_id = next(iter(self._waiting))
                    await self._heard(message_id, self._waiting.pop(message_id))
        finally:
            self._writing = None


class TtsPlayer:
    """Speaks segments in order: text-to-speech makes the sound, and an audio output plays it.

    Args:
        recorder: records how far each message was heard.
        changed: called when speech begins, ends or makes progress.
        telemetry: counts how long speech output takes; None: nothing is counted.

    Attributes:
        tempo: the speed, from the next segment on.
        locale: the language of the segments.
        spoke_at: the time at which the last clip began, by the clock's ``monotonic()``.
        awaited_since: when the customer finished who waits for the next clip; None: no customer waits.
    """

    def __init__(
        self,
        speech: TextToSpeech,
        audio_output: AudioOutput,
        clock: Clock,
        recorder: HeardPositionRecorder,
        *,
        changed: Callable[[], None] = lambda: None,
        telemetry: "TenantTelemetry | None" = None,
    ) -> None:
        self.tempo, self.locale, self.spoke_at = 1.0, "en", float("-inf")
        self.awaited_since: float | None = None
        self._telemetry = telemetry
        self.playlist = Playlist(clock)
        self._speech, self._audio_output, self._clock = speech, audio_output, clock
        self._recorder, self._changed = recorder, changed
        self._waiting: deque[SpeechSegment] = deque()
        self._now: tuple[SpeechSegment, asyncio.Task[None]] | None = None
        self._paused = self._audible = False
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def audible(self) -> bool:
        """Whether the assistant is speaking, or has paused its speech.

        It is true from the first clip to the end of the last, even while the next clip is still being made.
        """
        return self._audible

    @property
    def paused(self) -> bool:
        """Whether the speech is paused because the customer speaks."""
        return self._paused

    @property
    def busy(self) -> bool:
        """Whether a segment is waiting or being spoken."""
        return self._has_words or bool(self.playlist.spoken)

    @property
    def _has_words(self) -> bool:
        return bool(self._waiting) or self._now is not None

    def start(self) -> None:
        """Start to speak."""
        self._task = asyncio.create_task(self._speak_all())

    async def close(self) -> None:
        """Stop speaking permanently."""
        self.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._recorder.wait_until_recorded()

    def enqueue(self, segment: SpeechSegment) -> None:
        """Speak a segment after all others."""
        if not segment.utterance.over:
            self._waiting.append(segment)
            self._notify()

    def drop_passing(self) -> None:
        """Drop messages that only say that something takes time, because the answer is here.

        Sounds without words, such as comfort noise, continue.
        """
        self._drop(lambda utterance: utterance.passing, FADE_MS, finish_soon_ending=True)

    def cut_off(self, utterance: AssistantUtterance) -> None:
        """Stop this message and drop its remaining sound."""
        utterance.over = True
        self._drop(lambda other: other is utterance, CUT_MS)

    def pause(self) -> None:
        """Stop immediately, because the customer speaks. Nothing is dropped."""
        if not self._paused:
            self._paused = True
            self._audio_output.pause()
            self._notify()

    def resume(self) -> None:
        """Continue after a pause. It has no effect if the speech is not paused."""
        if self._paused:
            self._paused = False
            self._audio_output.resume()
            self._notify()

    def clear(self) -> frozenset[str]:
        """Stop immediately and drop all speech. Returns the ids of its turns."""
        utterances = {track.utterance for track in self.playlist.spoken if track.utterance is not None}
        utterances |= {segment.utterance for segment in self._waiting}
        if self._now is not None:
            utterances.add(self._now[0].utterance)
            self._now[1].cancel()
        for utterance in utterances:
            utterance.over = True
        self._waiting.clear()
        for track in self.playlist:
            self._note(track)
        if utterances:
            self.playlist.remove(list(self.playlist))
            self._audio_output.clear()
        self._notify()
        return frozenset(utterance.turn_id for utterance in utterances if utterance.turn_id)

    def report_playback(self, number: int, ms: int, *, playing: bool) -> None:
        """Handle a report of the audio output."""
        for track in self.playlist.update(number, ms, playing=playing, stopped=self._paused):
            if track.over or not track.playing:
                self._note(track)
        self._notify()

    async def wait_until_recorded(self) -> None:
        """Wait until the log has the position that was heard so far."""
        await self._recorder.wait_until_recorded()

    async def _speak_all(self) -> None:
        while True:
            while not self._ready():
                self._wake.clear()
                await self._wake.wait()
            segment = self._waiting.popleft()
            task = asyncio.create_task(self._speak(segment))
            self._now = segment, task
            try:
                await asyncio.wait({task})
            finally:
                task.cancel()
                self._now = None
            self._notify()

    def _ready(self) -> bool:
        return bool(self._waiting) and not self._paused and len(self.playlist.spoken) < _AHEAD

    async def _speak(self, segment: SpeechSegment) -> None:
        """Make the sound of a segment, and send it while it is made."""
        # The Markdown reader is slow to import, and a process may never speak.
        from assistant.voice.text_normalization.normalize import normalize_for_speech

        text = normalize_for_speech(segment.text, self.locale)
        if not text.strip():
            self._skip(segment)
            return
        track: Track | None = None
        began = self._clock.monotonic()
        try:
            async for pcm in self._speech.speak(text, locale=self.locale, tempo=self.tempo):
                if track is None:
                    track = self._begin(segment)
                    self._count(began)
                track.add_audio(pcm)
                self._audio_output.add_audio(track.clip.number, pcm)
        except SpeechError as error:
            # The customer can still read the text. The log records that it was not heard.
            log.warning("cannot speak", error=str(error))
            if self._telemetry is not None:
                self._telemetry.voice_failed("synthesis")
            segment.utterance.over = True
            self._waiting = deque(other for other in self._waiting if not other.utterance.over)
        if track is not None:
            track.complete = True
            self._audio_output.end_clip(track.clip.number, track.made_ms)

    def _begin(self, segment: SpeechSegment) -> Track:
        self.spoke_at = self._clock.monotonic()
        track = self.playlist.begin(self._speech.rate, segment)
        self._audio_output.begin_clip(track.clip, track.rate)
        self._notify()
        return track

    def _count(self, began: float) -> None:
        if self._telemetry is not None:
            self._telemetry.voice_stage("synthesis", self.spoke_at - began)
            if self.awaited_since is not None:
                self._telemetry.voice_stage("response", self.spoke_at - self.awaited_since)
        self.awaited_since = None

    def _skip(self, segment: SpeechSegment) -> None:
        """Skip a segment without a spoken form. It counts as heard together with the segment before it."""
        before = next(
            (track for track in self.playlist.spoken[::-1] if track.utterance is segment.utterance), None
        )
        if before is None:
            self._recorder.record(segment.utterance, segment.utterance.position(segment.end))
        else:
            before.until = segment.end

    def _drop(
        self, which: Callable[[AssistantUtterance], bool], fade_ms: int, *, finish_soon_ending: bool = False
    ) -> None:
        """Drop waiting and playing speech of these utterances.

        ``finish_soon_ending`` is True if a clip that ends soon is kept.
        """
        self._waiting = deque(segment for segment in self._waiting if not which(segment.utterance))
        if self._now is not None and which(self._now[0].utterance):
            self._now[1].cancel()
        tracks = [
            track for track in self.playlist.spoken if track.utterance is not None and which(track.utterance)
        ]
        if finish_soon_ending and tracks and self._ends_soon(tracks[0]):
            tracks = tracks[1:]
        self._take_away(tracks, fade_ms)
        self._notify()

    def _ends_soon(self, track: Track) -> bool:
        first = next(iter(self.playlist)) is track
        return first and track.complete and track.left_ms(self._clock.monotonic()) <= FADE_MS

    def _take_away(self, tracks: Iterable[Track], fade_ms: int) -> None:
        gone = list(tracks)
        if gone:
            self.playlist.remove(gone)
            self._audio_output.drop(tuple(track.clip.number for track in gone), fade_ms)

    def _note(self, track: Track) -> None:
        # The words before a clip that has not begun may not have been heard.
        if track.utterance is not None and track.played_ms:
            self._recorder.record(track.utterance, track.heard)

    def _notify(self) -> None:
        self._audible = bool(self.playlist.spoken) or (self._audible and self._has_words)
        self._wake.set()
        self._changed()
