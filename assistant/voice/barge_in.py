"""One utterance of the customer, and whether it interrupts the assistant.

An ``Utterance`` is transcribed at each pause. ``meaning_of`` tells words from backchannels ("mhm"), and ``BargeIn``
pauses, resumes or drops what the assistant was saying.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine
from typing import Literal, TypeAlias

from assistant.conversation.spoken import Transcript
from assistant.ports.speech import Pcm
from assistant.prompts.listening_words import ListeningWords
from assistant.voice.dictation import Expecting
from assistant.voice.ports import Conversation
from assistant.voice.scheduler import Telling
from assistant.voice.tts_player import Mouth

_WORD = re.compile(r"\w")

Meaning: TypeAlias = Literal["nothing", "listening", "words"]
"""Nobody spoke; somebody only shows that they listen; somebody says something."""


class Utterance:
    """From its first sound to the message that it becomes.

    What was said up to a pause is written down at once; if nothing comes after it, that is what was said.

    Args:
        transcribe: writes down a sound.
        expecting: what the customer had been asked for when it began.

    Attributes:
        interrupts: the assistant was speaking when it began, or when it went on.
        spoken_until: when its last word was, by the clock's ``monotonic()``.
        decided: what to do about the assistant's own words is settled.
        considering: what goes on because of the last pause.
    """

    def __init__(
        self,
        transcribe: Callable[[Pcm], Coroutine[None, None, Transcript]],
        expecting: Expecting = "anything",
    ) -> None:
        self.expecting: Expecting = expecting
        self.interrupts, self.decided = False, False
        self.spoken_until = 0.0
        self.considering: asyncio.Task[None] | None = None
        self._transcribe = transcribe
        self._audio: Pcm = b""
        self._writing: asyncio.Task[Transcript] | None = None

    def pause(self, audio: Pcm, now: float) -> asyncio.Task[Transcript]:
        """So much was said by now; perhaps that was all."""
        self.spoken_until = now
        return self._write_down(audio)

    def go_on(self) -> None:
        """That was not all."""
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def end(self, audio: Pcm, now: float) -> None:
        """That was all; what was written down of the same sound is kept."""
        if self._writing is None or audio != self._audio:
            self.go_on()
            self.spoken_until = now
            self._write_down(audio)

    async def transcript(self) -> Transcript:
        """What was said, once it has ended. Raises ``SpeechError``."""
        if self.considering is not None:
            await asyncio.wait({self.considering})
        return await self._writing if self._writing is not None else Transcript(text="")

    def forget(self) -> None:
        """Nobody asks any more."""
        self.go_on()
        if self.considering is not None:
            self.considering.cancel()

    def _write_down(self, audio: Pcm) -> asyncio.Task[Transcript]:
        self._audio = audio
        self._writing = asyncio.create_task(self._transcribe(audio))
        # Nobody may come to ask: the customer goes on, or away.
        self._writing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._writing


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


def meaning_of(text: str, words: ListeningWords, *, interrupts: bool, asked: bool) -> Meaning:
    """What somebody means. Who interrupts nobody with "ok" says it; and who is ``asked`` answers with it."""
    if not text.strip():
        return "nothing"
    return "listening" if interrupts and is_backchannel(text, words, asked=asked) else "words"


def is_backchannel(text: str, words: ListeningWords, *, asked: bool = False) -> bool:
    """Whether "mhm", "ok" or "I see" is all that was said. Nothing at all is no backchannel.

    ``asked``: a yes or no is being waited for. Then "ok" is an answer, and nothing is a backchannel. A question
    ("right?") wants an answer as well.
    """
    if asked or text.rstrip().endswith("?") or not _WORD.search(text):
        return False
    return not _WORD.search(words.backchannels.without(text))
