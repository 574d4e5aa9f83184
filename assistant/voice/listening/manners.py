"""How long the ears wait, and how sure they must be: docs/speech.md says why."""

from dataclasses import dataclass
from typing import assert_never

from assistant.voice.listening.ending import Ending


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
