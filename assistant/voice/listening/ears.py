"""The ears: when somebody speaks, when they pause, and when they have finished."""

from collections.abc import Iterator

from assistant.ports.speech import FRAME_SAMPLES, HEARD_RATE, Pcm, VoiceStream
from assistant.prompts.listening_words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.dictation import Expecting
from assistant.voice.listening.ending import Ending
from assistant.voice.listening.events import EarEvent, Paused, SpeechBegan, UtteranceEnded, WentOn
from assistant.voice.listening.finished import ending_of
from assistant.voice.listening.manners import USUAL, Manners

_SAMPLE = 2  # bytes
_FRAME = FRAME_SAMPLES * _SAMPLE


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
