"""Somebody speaks while the assistant does: whether that interrupts it, and what becomes of its words."""

from typing import Literal, TypeAlias

from assistant.prompts.listening_words import ListeningWords
from assistant.voice.line.conversation import Conversation
from assistant.voice.line.utterance import Utterance
from assistant.voice.listening.backchannel import is_backchannel
from assistant.voice.speaking.mouth import Mouth
from assistant.voice.speaking.telling import Telling

Meaning: TypeAlias = Literal["nothing", "listening", "words"]
"""Nobody spoke; somebody only shows that they listen; somebody says something."""


def meaning_of(text: str, words: ListeningWords, *, interrupts: bool, asked: bool) -> Meaning:
    """What somebody means. Who interrupts nobody with "ok" says it; and who is ``asked`` answers with it."""
    if not text.strip():
        return "nothing"
    return "listening" if interrupts and is_backchannel(text, words, asked=asked) else "words"


class BargeIn:
    """Holds the mouth while somebody speaks, and settles what becomes of what it was saying."""

    def __init__(self, conversation: Conversation, mouth: Mouth, telling: Telling) -> None:
        self._conversation, self._mouth, self._telling = conversation, mouth, telling
        self._newest: Utterance | None = None

    def hold(self, utterance: Utterance) -> None:
        """Somebody speaks, or goes on: be silent at once."""
        self._newest = utterance
        if self._mouth.audible:
            utterance.interrupts = True
        self._mouth.hold()

    async def settle(self, utterance: Utterance, meaning: Meaning) -> None:
        """It is known what they mean: go on, or let go of what was being said, and of the turn that said it.

        What was heard of it stands in the log then.
        """
        if utterance.decided:
            return
        if meaning != "words":
            self.release(utterance)
        elif utterance.interrupts:
            utterance.decided = True
            turns = self._telling.hush()
            await self._mouth.settled()
            for turn_id in turns:
                await self._conversation.stop(turn_id)

    def release(self, utterance: Utterance) -> None:
        """They have finished, or meant nothing: speak again, unless they have begun anew."""
        if self._newest is utterance:
            self._mouth.release()
