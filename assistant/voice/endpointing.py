"""Endpointing: when the customer begins to speak, pauses, goes on, and has finished.

``Ears`` turns sound into events. How long it waits in silence depends on what was said so far (``ending_of``), and
on ``Manners``: docs/speech.md gives the reasons for its numbers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from assistant.ports.speech import FRAME_SAMPLES, HEARD_RATE, Pcm, VoiceStream
from assistant.prompts.listening_words import NO_LISTENING_WORDS, ListeningWords
from assistant.prompts.word_list import plain_words
from assistant.voice.dictation import Expecting, Piece, find_address, pieces_of

Ending: TypeAlias = Literal["unknown", "finished", "unclear", "unfinished", "dictated"]
"""``unknown``: it is not written down yet. ``dictated``: a number or a spelled word that may go on."""

_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}\W*$|(?:19|20)\d\d\W*$")
_LAST_WORD = re.compile(r"(\w{2,})\W*$")
_WHOLE = 10  # digits of a telephone number; few things that customers dictate have more
_SHORT = 3  # signs; a number of fewer is how many, or what time
_TRAILING = re.compile(r"(?:\.\.+|[…,;:–—-])$")
_MARKS = re.compile(r"[\s.,;:!?…–—]+|-(?!\w)")
_QUOTES = "\"'”’ "
_FEW_WORDS = 3
_SAMPLE = 2  # bytes
_FRAME = FRAME_SAMPLES * _SAMPLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """Seconds of sound, and how likely speech must be, from 0 to 1.

    Silence is counted from the end of the last speech, so each of the waits holds the pause before it.

    Attributes:
        starts: somebody begins to speak.
        goes_on: somebody who speaks still does.
        interrupts: somebody speaks while the assistant is audible: more certain, for it may be its own voice.
        believed: frames in a row that make it speech; fewer are a cough.
        guard_s: after the assistant becomes audible, nothing is speech: echo is taken away only little by little.
        before_s: sound kept from before the speech, for it begins softly.
        tail_s: sound kept from after it.
        pause_s: a short pause; transcription begins.
        finished_s: silence that ends a finished sentence.
        unclear_s: silence that ends what may be one.
        unknown_s: silence that ends what is not written down yet. Waiting costs nothing then: without its words
            there is nothing to answer.
        unfinished_s: silence that ends what ends in "and".
        dictating_s: silence that ends a number that may go on.
        most_s: silence that ends anything.
        longest_s: an utterance ends here, in the middle of a word.
        long_s: from here on it ends at the next pause.
    """

    starts: float = 0.5
    goes_on: float = 0.35
    interrupts: float = 0.7
    believed: int = 3
    guard_s: float = 0.15
    before_s: float = 0.32
    tail_s: float = 0.096
    pause_s: float = 0.16
    finished_s: float = 0.448
    unclear_s: float = 0.8
    unknown_s: float = 1.5
    unfinished_s: float = 1.3
    dictating_s: float = 1.5
    most_s: float = 3.0
    longest_s: float = 60.0
    long_s: float = 55.0

    def waits_s(self, ending: Ending) -> float:
        """How long the silence must be, after such an ending."""
        match ending:
            case "finished":
                waits = self.finished_s
            case "unclear":
                waits = self.unclear_s
            case "unknown":
                waits = self.unknown_s
            case "unfinished":
                waits = self.unfinished_s
            case "dictated":
                waits = self.dictating_s
            case _:
                assert_never(ending)
        return min(waits, self.most_s)


USUAL = Manners()


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Somebody speaks, for long enough to be believed; while the assistant speaks, that interrupts it."""


@dataclass(frozen=True, slots=True)
class Paused:
    """A short pause: perhaps that was all. ``audio`` is the utterance so far, with what came right before it."""

    audio: Pcm


@dataclass(frozen=True, slots=True)
class WentOn:
    """The pause was none: what was made of the utterance so far is not the whole."""


@dataclass(frozen=True, slots=True)
class UtteranceEnded:
    """The customer has finished. ``audio`` is all of it; the same as the last ``Paused``, if nothing came since."""

    audio: Pcm


EarEvent: TypeAlias = SpeechBegan | Paused | WentOn | UtteranceEnded


class Ears:
    """One caller's. Time is what was heard: the same sound makes the same events, however it is cut.

    To be set at any time; it counts from the next frame on:

    Attributes:
        expecting: what the assistant has just asked for; what is dictated is waited for longer.
        push_to_talk: all that is heard is one utterance, until ``end``. Its first frame is a ``SpeechBegan``;
            there is no ``Paused``.
    """

    def __init__(
        self, stream: VoiceStream, manners: Manners = USUAL, words: ListeningWords = NO_LISTENING_WORDS
    ) -> None:
        self.expecting: Expecting = "anything"
        self.push_to_talk = False
        self._stream, self._manners, self._words = stream, manners, words
        self._cut = bytearray()  # less than a frame
        # What is kept: a moment of quiet, or the utterance with the silence after it. It is never in two of them.
        self._kept = bytearray()
        self._spoken = 0  # so many bytes of it end with speech
        self._beginning = 0  # frames in a row, up to now, that may become speech
        self._open = self._paused = False
        self._ending: Ending = "unknown"
        self._audible, self._guard = False, 0

    @property
    def audible(self) -> bool:
        """The assistant is heard, so that it takes more to be believed to be the customer.

        True for as long as it speaks, not for each clip: right after it begins, nothing is taken for the beginning
        of speech.
        """
        return self._audible

    @audible.setter
    def audible(self, audible: bool) -> None:
        if audible and not self._audible:
            self._guard = _bytes(self._manners.guard_s)
        self._audible = audible

    def hear(self, pcm: Pcm) -> list[EarEvent]:
        """More sound, of any length; what it tells, in order.

        ``SpeechBegan``, then any number of ``Paused`` and ``WentOn`` by turns, then ``UtteranceEnded``, which may
        come right after ``SpeechBegan`` or ``WentOn`` too.
        """
        self._cut += pcm
        whole = len(self._cut) // _FRAME * _FRAME
        frames, self._cut = self._cut[:whole], self._cut[whole:]
        return [
            event for at in range(0, whole, _FRAME) for event in self._frame(bytes(frames[at : at + _FRAME]))
        ]

    def understood(self, text: str) -> None:
        """What the last ``Paused`` says: a finished sentence is waited for briefly, "my number is" long.

        Not to be called for a pause before the last one. Once they went on or have finished it counts for nothing.
        """
        self._ending = ending_of(text, self.expecting, self._words)

    def end(self) -> list[EarEvent]:
        """Nothing more is heard for now: the button was let go, or the microphone switched off."""
        self._kept += self._cut
        ended: list[EarEvent] = [self._ended()] if self._open else []
        self._cut.clear()
        self._kept.clear()
        self._beginning = 0
        return ended

    def _frame(self, frame: Pcm) -> Iterator[EarEvent]:
        self._kept += frame
        guarded, self._guard = self._guard > 0, max(0, self._guard - _FRAME)
        if self.push_to_talk:
            yield from self._held()
        elif not self._open:
            likely = self._stream.push(frame)  # in any case: the stream is one sound without a gap
            yield from self._quiet(0.0 if guarded else likely)
        elif self._paused:
            yield from self._waiting(self._stream.push(frame))
        else:
            yield from self._speaking(self._stream.push(frame))
        if self._open and len(self._kept) >= _bytes(self._manners.longest_s):
            yield self._ended()

    def _held(self) -> Iterator[EarEvent]:
        """While the button is held everything is speech."""
        if not self._open:
            del self._kept[:-_FRAME]
            self._open = True
            yield SpeechBegan()
        self._paused, self._beginning, self._spoken = False, 0, len(self._kept)

    def _quiet(self, likely: float) -> Iterator[EarEvent]:
        """Nobody speaks, or has only just begun to."""
        manners = self._manners
        begins = manners.interrupts if self._audible else manners.starts
        goes_on = manners.interrupts if self._audible else manners.goes_on
        heard = likely >= (goes_on if self._beginning else begins)
        self._beginning = self._beginning + 1 if heard else 0
        del self._kept[: -_bytes(manners.before_s) - self._beginning * _FRAME]
        if self._beginning >= manners.believed:
            self._open, self._beginning, self._spoken = True, 0, len(self._kept)
            yield SpeechBegan()

    def _speaking(self, likely: float) -> Iterator[EarEvent]:
        """Somebody speaks, or does not for a moment."""
        if likely >= self._manners.goes_on:
            self._spoken = len(self._kept)
        elif self._silence >= _bytes(self._manners.pause_s):
            self._paused, self._ending = True, "unknown"
            yield Paused(self._utterance())

    def _waiting(self, likely: float) -> Iterator[EarEvent]:
        """A pause: either they go on, or it becomes so long that it was the end."""
        manners = self._manners
        heard = likely >= (manners.goes_on if self._beginning else manners.starts)
        self._beginning = self._beginning + 1 if heard else 0
        if self._beginning >= manners.believed:
            self._paused, self._beginning, self._spoken = False, 0, len(self._kept)
            yield WentOn()
        elif not self._beginning and self._silence >= _bytes(self._waits_s()):
            yield self._ended()

    def _waits_s(self) -> float:
        """How long the silence must be, counted from the end of the speech."""
        if self._spoken >= _bytes(self._manners.long_s):
            return self._manners.pause_s
        return self._manners.waits_s(self._ending)

    @property
    def _silence(self) -> int:
        return len(self._kept) - self._spoken

    def _utterance(self) -> Pcm:
        return bytes(self._kept[: self._spoken + _bytes(self._manners.tail_s)])

    def _ended(self) -> UtteranceEnded:
        """Close the utterance. What was heard after it may be what comes right before the next one."""
        audio = self._utterance()
        del self._kept[: len(audio)]
        self._open = self._paused = False
        return UtteranceEnded(audio)


def _bytes(seconds: float) -> int:
    return round(seconds * HEARD_RATE) * _SAMPLE


def ending_of(text: str, expecting: Expecting, words: ListeningWords) -> Ending:
    """How the text ends, as far as words and marks tell.

    A transcriber puts a full stop after anything, so the last words count before the mark does.
    """
    said = text.strip().rstrip(_QUOTES)
    plain, asks = plain_words(_MARKS.sub(" ", said)), said.endswith("?")
    if not plain:
        return "unclear"
    if words.brief.is_one(plain):
        return "finished"
    if dictation := ending_of_dictation(said, expecting, words):
        return dictation
    if _TRAILING.search(said) or words.open_ends.ends(plain) or words.openers.is_one(plain):
        return "unfinished"
    if asks:
        return "finished"
    if words.open_statements.ends(plain) or ("," not in said and words.conditions.begins(plain)):
        return "unfinished"
    # A full stop after two words is the transcriber's: "My order." And who was asked for a number and says none
    # may be looking for it.
    stops = said.endswith((".", "!")) and len(plain.split()) >= _FEW_WORDS
    return "finished" if stops and expecting == "anything" else "unclear"


def ending_of_dictation(said: str, expecting: Expecting, words: ListeningWords) -> Ending | None:
    """How a dictation ends; None where the text ends with none."""
    tail = _tail(pieces_of(said, words))
    digits = sum(map(str.isdigit, "".join(piece.means for piece in tail)))
    letters = sum(piece.kind == "letter" for piece in tail)
    asks = said.endswith("?")
    match expecting:
        case "email":
            return _email(said, words)
        case "name":
            # Letters said one by one are often written as a word, but in capitals: "LIND".
            last = _LAST_WORD.search(said)
            return "dictated" if letters or (last and last[1].isupper()) else None
        case "digits" if digits and _DATE.search(said) and (said in words.months or digits >= _WHOLE - 2):
            return "finished"
        case "digits":
            return _by_length(digits) if digits or letters else None
        case "anything" if not asks and (len(tail) > 1 or any(len(piece.means) >= _SHORT for piece in tail)):
            return _by_length(digits)
        case _:
            return None


def _by_length(digits: int) -> Ending:
    return "unclear" if digits >= _WHOLE else "dictated"


def _email(said: str, words: ListeningWords) -> Ending | None:
    if find_address(said, pieces_of(said, words)):
        return "unclear"  # "dot co" may be followed by "dot uk"
    plain = said.strip(" .!")
    return None if said.endswith("?") or words.brief.is_one(plain) else "dictated"


def _tail(pieces: Sequence[Piece]) -> list[Piece]:
    """What is spelled at the end."""
    place = len(pieces)
    while place and pieces[place - 1].kind != "word":
        place -= 1
    return [piece for piece in pieces[place:] if piece.spelled]
