"""The ears: when somebody speaks, when they pause, and when they have finished."""

from assistant.ports.speech import Pcm, VoiceStream
from assistant.prompts.listening_words import NO_LISTENING_WORDS, ListeningWords
from assistant.voice.listening.events import EarEvent
from assistant.voice.listening.expecting import Expecting
from assistant.voice.listening.manners import USUAL, Manners


class Ears:
    """One caller's. Time is what was heard: the same sound makes the same events, however it is cut.

    To be set at any time; it counts from the next frame on:

    Attributes:
        expecting: what the assistant has just asked for; what is dictated is waited for longer.
        audible: the assistant is heard. Set it for as long as it speaks, not for each clip: right after it begins,
            nothing is taken for speech.
        push_to_talk: all that is heard is one utterance, until ``end``. Its first frame is a ``SpeechBegan``;
            there is no ``Paused``.
    """

    def __init__(
        self, stream: VoiceStream, manners: Manners = USUAL, words: ListeningWords = NO_LISTENING_WORDS
    ) -> None:
        self.expecting: Expecting = "anything"
        self.audible = False
        self.push_to_talk = False
        self._stream, self._manners, self._words = stream, manners, words

    def hear(self, pcm: Pcm) -> list[EarEvent]:
        """More sound, of any length; what it tells, in order.

        ``SpeechBegan``, then any number of ``Paused``, ``WentOn``, then ``UtteranceEnded``, which may come right
        after ``SpeechBegan`` or ``WentOn`` too.
        """
        return []

    def understood(self, text: str) -> None:
        """What the last ``Paused`` says: a finished sentence is waited for briefly, "my number is" long.

        Not to be called for a pause before the last one. Ignored where there is no pause (any more).
        """

    def end(self) -> list[EarEvent]:
        """Nothing more is heard for now: the button was let go, or the microphone switched off."""
        return []
