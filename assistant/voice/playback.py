"""The state of playback, and how many characters of each message the customer has heard.

``AssistantUtterance`` is a message that is being spoken, ``SpeechSegment`` one sentence of it, ``Track`` the
sound of that sentence, and ``Playlist`` the tracks that have not ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.conversation.values import MessageKind
from assistant.ports import Clock
from assistant.speech_ports import Pcm
from assistant.voice.ports import Clip

_MS_PER_CHARACTER = 60
"""The approximate duration of a character, for clips whose sound is not complete yet."""

_ROUNDING_MS = 50
"""If only this much of a clip is left, it counts as ended, because players count in blocks."""

_MOST_FADING = 8
"""The most fading clips that are stored, for players that never report the end of a clip."""


@dataclass(slots=True, kw_only=True, eq=False)
class AssistantUtterance:
    """A message of the conversation that is being spoken.

    ``message_id`` is None for fillers such as "One moment.". ``turn_id`` is its turn, "" for none.
    ``passing`` is True if it only says that something takes time, and is dropped when the answer comes.
    ``noted`` is True if the log records how far the message was heard. ``over`` is True if no more of it will
    be spoken.
    """

    message_id: str | None
    turn_id: str = ""
    text: str = ""
    kind: MessageKind | None = None
    passing: bool = False
    noted: bool = True
    over: bool = False

    def position(self, up_to: int) -> int:
        """Returns the given position, or the end of the message if the message is complete and only white
        space follows the position.
        """
        whole = self.kind is not None and not self.text[up_to:].strip()
        return len(self.text) if whole else up_to


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSegment:
    """A clause or sentence to be spoken: the characters from ``start`` to ``end`` of its utterance."""

    utterance: AssistantUtterance
    start: int
    end: int
    text: str = field(repr=False)


@dataclass(slots=True, kw_only=True, eq=False)
class Track:
    """One clip: ``made_ms`` milliseconds of sound were sent, ``played_ms`` were played.

    ``utterance`` is None for a sound without words. ``heard`` is the number of characters of its message that
    the customer has heard, and ``until`` that number after the whole clip.
    """

    clip: Clip
    utterance: AssistantUtterance | None
    rate: int
    samples: int = 0
    complete: bool = False
    played_ms: int = 0
    at_s: float = 0.0
    playing: bool = False
    heard: int = 0
    until: int = 0

    @property
    def made_ms(self) -> int:
        """The duration of the sound that was sent."""
        return self.samples * 1_000 // self.rate

    @property
    def over(self) -> bool:
        """Whether the whole clip has been played."""
        return self.complete and self.played_ms >= self.made_ms

    def add_audio(self, pcm: Pcm) -> None:
        """Add the duration of sound that was sent."""
        self.samples += len(pcm) // 2

    def left_ms(self, now_s: float) -> int:
        """Returns how much of the sound that was sent is still to be played."""
        gone = round((now_s - self.at_s) * 1_000) if self.playing else 0
        return max(0, self.made_ms - self.played_ms - gone)

    def update_heard(self) -> None:
        """Compute how far its message was heard."""
        if self.utterance is None:
            return
        whole = self.made_ms if self.complete else max(self.made_ms, len(self.clip.text) * _MS_PER_CHARACTER)
        part = 1.0 if self.over else self.played_ms / max(1, whole)
        end = self.clip.end if part < 1.0 else self.until
        reached = heard_up_to(self.utterance.text, self.clip.start, end, part)
        self.heard = max(self.heard, self.utterance.position(reached))


class Playlist:
    """All clips that have begun and not ended, in order, and those that are fading out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tracks: dict[int, Track] = {}
        self._fading: dict[int, Track] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Track]:
        return iter(tuple(self._tracks.values()))

    def __len__(self) -> int:
        return len(self._tracks)

    @property
    def spoken(self) -> list[Track]:
        """The clips with words."""
        return [track for track in self._tracks.values() if track.utterance is not None]

    def begin(self, rate: int, segment: SpeechSegment | None = None) -> Track:
        """Begin a clip with a new number for this segment, or for a sound without words if ``segment`` is
        None.
        """
        self._last += 1
        if segment is None:
            clip = Clip(number=self._last, message_id=None, start=0, end=0, text="")
            track = Track(clip=clip, utterance=None, rate=rate)
        else:
            utterance = segment.utterance
            clip = Clip(
                number=self._last,
                message_id=utterance.message_id,
                start=segment.start,
                end=segment.end,
                text=segment.text,
            )
            track = Track(clip=clip, utterance=utterance, rate=rate, heard=segment.start, until=segment.end)
        self._tracks[self._last] = track
        return track

    def update(self, number: int, ms: int, *, playing: bool, stopped: bool = False) -> list[Track]:
        """Handle a report of the player. Returns the clips that it changes, in order.

        Clips are played in order, so all earlier clips have ended unless they were removed. ``stopped`` is
        True if a clip that is not playing was stopped, and has not ended by itself.
        """
        known = self._tracks.get(number) or self._fading.get(number)
        if known is None:
            return []
        earlier = [track for track in self if track.clip.number < number and track.complete]
        for track in earlier:
            track.played_ms = track.made_ms
        known.played_ms, known.playing = max(known.played_ms, ms), playing
        by_itself = known.complete and not (playing or stopped or number in self._fading)
        if by_itself and ms >= known.made_ms - _ROUNDING_MS:
            known.played_ms = known.made_ms
        known.at_s = self._clock.monotonic()
        changed = [*earlier, known]
        for track in changed:
            track.update_heard()
            if track.over:
                self._tracks.pop(track.clip.number, None)
        if not playing:
            self._fading.pop(number, None)
        return changed

    def remove(self, tracks: list[Track]) -> None:
        """Remove clips. A clip that was playing may still report its final position."""
        for track in tracks:
            if self._tracks.pop(track.clip.number, None) is not None and (track.playing or track.played_ms):
                self._fading[track.clip.number] = track
        for number in sorted(self._fading)[:-_MOST_FADING]:
            del self._fading[number]


def heard_up_to(text: str, start: int, end: int, part: float) -> int:
    """Returns the end of the last word that was heard completely, or ``start``.

    It assumes an even rate of speech. ``part`` is the played part, from 0 to 1, of the clip for
    ``text[start:end]``.

    >>> text = "You owe 150 euros. It is due on Friday."
    >>> text[:heard_up_to(text, 0, 18, 0.5)], text[:heard_up_to(text, 0, 18, 1.0)]
    ('You owe', 'You owe 150 euros.')
    >>> heard_up_to(text, 18, 39, 0.05)
    18
    """
    if part >= 1.0:
        return end
    # White space at the end takes no time.
    reached = start + int(len(text[start:end].rstrip()) * max(0.0, part))
    if not text[reached : reached + 1].isspace():
        # Inside of a word, or right before one: go back to the white space before it.
        reached = max(reached - _letters_before(text[start:reached]), start)
    while reached > start and text[reached - 1].isspace():
        reached -= 1
    return reached


def _letters_before(text: str) -> int:
    """Returns the number of characters after the last white space."""
    return next((back for back, letter in enumerate(reversed(text)) if letter.isspace()), len(text))
