"""One utterance of the customer, and whether it interrupts the assistant.

A ``CustomerUtterance`` is transcribed at each pause. ``classify_utterance`` distinguishes words from
backchannels ("mhm"). ``BargeIn`` pauses, resumes or drops the assistant's speech.
"""

import asyncio
import re
from collections.abc import Callable, Coroutine
from typing import Literal, TypeAlias

from assistant.prompts.words import ListeningWords
from assistant.speech_ports import Pcm, Transcription
from assistant.voice.dictation import ExpectedInput
from assistant.voice.ports import Conversation
from assistant.voice.scheduler import SpeechScheduler
from assistant.voice.tts_player import TtsPlayer

_WORD = re.compile(r"\w")

UtteranceMeaning: TypeAlias = Literal["silence", "backchannel", "words"]
"""``backchannel``: the customer only shows that they listen. ``words``: the customer says something to
answer."""


class CustomerUtterance:
    """One utterance, from its first sound to its message.

    It is transcribed at each pause; if no speech follows, that transcript is final.

    Args:
        transcribe: transcribes a sound.
        expecting: the input that the assistant had asked for when the utterance began.

    Attributes:
        interrupts: the assistant was speaking when the utterance began or continued.
        speech_ended_at: the time of the end of its last word, by the clock's ``monotonic()``.
        resolved: whether it is already decided if the utterance interrupts the assistant.
        pause_task: the task for the last pause.
    """

    def __init__(
        self,
        transcribe: Callable[[Pcm], Coroutine[None, None, Transcription]],
        expecting: ExpectedInput = "anything",
    ) -> None:
        self.expecting: ExpectedInput = expecting
        self.interrupts, self.resolved = False, False
        self.speech_ended_at = 0.0
        self.pause_task: asyncio.Task[None] | None = None
        self._transcribe = transcribe
        self._audio: Pcm = b""
        self._transcription: asyncio.Task[Transcription] | None = None

    def pause(self, audio: Pcm, now: float) -> asyncio.Task[Transcription]:
        """Transcribe the utterance so far, because the customer may have finished."""
        self.speech_ended_at = now
        return self._start_transcription(audio)

    def resume(self) -> None:
        """Drop the transcription of the last pause, because the customer continues."""
        if self._transcription is not None:
            self._transcription.cancel()
            self._transcription = None

    def finish(self, audio: Pcm, now: float) -> None:
        """End the utterance. An existing transcription of the same sound is used."""
        if self._transcription is None or audio != self._audio:
            self.resume()
            self.speech_ended_at = now
            self._start_transcription(audio)

    async def transcript(self) -> Transcription:
        """Returns the final transcript; call it after ``finish``. Raises ``SpeechError``."""
        if self.pause_task is not None:
            await asyncio.wait({self.pause_task})
        return await self._transcription if self._transcription is not None else Transcription(text="")

    def discard(self) -> None:
        """Cancel all tasks of this utterance."""
        self.resume()
        if self.pause_task is not None:
            self.pause_task.cancel()

    def _start_transcription(self, audio: Pcm) -> asyncio.Task[Transcription]:
        self._audio = audio
        self._transcription = asyncio.create_task(self._transcribe(audio))
        # Mark the exception as retrieved: the result is not awaited if the customer continues or leaves.
        self._transcription.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._transcription


class BargeIn:
    """Pauses the assistant's speech while the customer speaks, then resumes or drops it."""

    def __init__(self, conversation: Conversation, tts_player: TtsPlayer, scheduler: SpeechScheduler) -> None:
        self._conversation, self._tts_player, self._scheduler = conversation, tts_player, scheduler
        self._newest: CustomerUtterance | None = None

    def pause_speech(self, utterance: CustomerUtterance) -> None:
        """Pause the speech immediately, because the customer speaks."""
        self._newest = utterance
        if self._tts_player.audible:
            utterance.interrupts = True
        self._tts_player.pause()

    async def resolve(self, utterance: CustomerUtterance, meaning: UtteranceMeaning) -> None:
        """Resume speaking, or drop the speech and stop its turns.

        If the speech is dropped, the log records how much of it the customer heard.
        """
        if utterance.resolved:
            return
        if meaning != "words":
            self.resume_speech(utterance)
        elif utterance.interrupts:
            utterance.resolved = True
            turns = self._scheduler.stop_speaking()
            await self._tts_player.wait_until_recorded()
            for turn_id in turns:
                await self._conversation.stop(turn_id)

    def resume_speech(self, utterance: CustomerUtterance) -> None:
        """Resume speaking, unless a newer utterance has begun."""
        if self._newest is utterance:
            self._tts_player.resume()


def classify_utterance(
    text: str, words: ListeningWords, *, interrupts: bool, asked: bool
) -> UtteranceMeaning:
    """Returns the meaning of an utterance.

    "ok" is a backchannel only if it ``interrupts`` and no question was ``asked``.
    """
    if not text.strip():
        return "silence"
    return "backchannel" if interrupts and is_backchannel(text, words, asked=asked) else "words"


def is_backchannel(text: str, words: ListeningWords, *, asked: bool = False) -> bool:
    """Whether the text contains only words such as "mhm", "ok" or "I see". An empty text is no backchannel.

    ``asked`` is True if a yes-or-no question is open. Then "ok" is an answer, and no text is a backchannel. A
    question ("right?") is no backchannel either.
    """
    if asked or text.rstrip().endswith("?") or not _WORD.search(text):
        return False
    return not _WORD.search(words.backchannels.without(text))
