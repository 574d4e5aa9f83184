"""What is being played to the customer, and how many characters of each message they have heard.

``AssistantUtterance`` is a message while it is spoken, ``SpeechSegment`` one sentence of it, ``Track`` the sound of
that sentence, and ``Playlist`` all tracks that are not over.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.conversation.values import MessageKind
from assistant.ports import Clock
from assistant.speech_ports import Pcm
from assistant.voice.ports import Clip

_MS_PER_CHARACTER = 60
"""About how long a character takes, for clips whose sound is not complete yet."""

_ROUNDING_MS = 50
"""A clip that was not stopped has ended if only this much is left of it: players count in blocks."""

_MOST_FADING = 8
"""Limits what is kept for players that never report where a clip fell silent."""


@dataclass(slots=True, kw_only=True, eq=False)
class AssistantUtterance:
    """A message of the conversation while it is being spoken.

    ``message_id`` is None for fillers such as "One moment.". ``turn_id`` is the turn that it belongs to, "" for
    none. ``passing``: it only says that something takes time, and is dropped when the answer comes. ``noted``:
    the log records how far it was heard. ``over``: nothing more of it is spoken.
    """

    message_id: str | None
    turn_id: str = ""
    text: str = ""
    kind: MessageKind | None = None
    passing: bool = False
    noted: bool = True
    over: bool = False

    def position(self, up_to: int) -> int:
        """The same position, or the end if only white space is left of a complete message."""
        whole = self.kind is not None and not self.text[up_to:].strip()
        return len(self.text) if whole else up_to


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSegment:
    """A clause or sentence to be spoken: the characters from ``start`` up to ``end`` of its utterance."""

    utterance: AssistantUtterance
    start: int
    end: int
    text: str = field(repr=False)


@dataclass(slots=True, kw_only=True, eq=False)
class Track:
    """One clip. ``made_ms`` of sound were sent, ``played_ms`` were played.

    ``utterance`` is None for a sound without words. ``heard`` is how many characters of its message the customer
    has heard, and ``until`` how many it will be when the whole clip was played.
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
        """The length of the sound that was sent."""
        return self.samples * 1_000 // self.rate

    @property
    def over(self) -> bool:
        """Whether all of it has been played."""
        return self.complete and self.played_ms >= self.made_ms

    def add_audio(self, pcm: Pcm) -> None:
        """Count more sound that was sent."""
        self.samples += len(pcm) // 2

    def left_ms(self, now_s: float) -> int:
        """How much of the sound sent so far is still to be played."""
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
    """All clips that were begun and are not over, in order; and those that are fading out."""

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
        """Begin a clip with its own number for this segment; None: for a sound without words."""
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
        """Handle a report of the player; returns the clips that it changes, in order.

        Clips are played in order, so earlier ones are over unless they were removed. ``stopped``: if the clip
        does not go on, it was told to stop.
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
        """Remove clips; one that is playing may still report where it fell silent."""
        for track in tracks:
            if self._tracks.pop(track.clip.number, None) is not None and (track.playing or track.played_ms):
                self._fading[track.clip.number] = track
        for number in sorted(self._fading)[:-_MOST_FADING]:
            del self._fading[number]


def heard_up_to(text: str, start: int, end: int, part: float) -> int:
    """The end of the last word that was heard completely, or ``start``.

    Assumes speech at an even rate. ``part`` is the played part of the clip that says ``text[start:end]``, from 0
    to 1.

    >>> text = "You owe 150 euros. It is due on Friday."
    >>> text[:heard_up_to(text, 0, 18, 0.5)], text[:heard_up_to(text, 0, 18, 1.0)]
    ('You owe', 'You owe 150 euros.')
    >>> heard_up_to(text, 18, 39, 0.05)
    18
    """
    if part >= 1.0:
        return end
    # White space takes no time at its end.
    reached = start + int(len(text[start:end].rstrip()) * max(0.0, part))
    if not text[reached : reached + 1].isspace():
        # Within a word, or right before one: back to the white space that ended the last.
        reached = max(reached - _letters_before(text[start:reached]), start)
    while reached > start and text[reached - 1].isspace():
        reached -= 1
    return reached


def _letters_before(text: str) -> int:
    """How many characters follow the last white space."""
    return next((back for back, letter in enumerate(reversed(text)) if letter.isspace()), len(text))
