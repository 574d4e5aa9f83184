"""A line whose ears and mouth are Twilio's: texts come and go, all else is as on any other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.conversation.entries import Logged
from assistant.conversation.spoken import Transcript
from assistant.ports import Clock, Ids
from assistant.ports.speech import Pcm
from assistant.prompts.aside import Aside
from assistant.prompts.book import PromptBook
from assistant.server.phone.alarm import Alarm
from assistant.server.phone.prompter import Prompter
from assistant.voice.barge_in import BargeIn, CustomerUtterance, classify_utterance
from assistant.voice.dictation import ExpectedInput, expected_input_after
from assistant.voice.ports import Conversation
from assistant.voice.scheduler import AsideWhat, Telling
from assistant.voice.stt_loop import MessageSubmitter
from assistant.voice.tts_player import HeardNotes, Mouth
from assistant.voice.turn_progress import Progress, Waits

FALSE_ALARM_S = 2.5
"""Whoever cuts in and says nothing for so long has only coughed: the assistant goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayParts:
    """What it is made of; ``book`` gives the prompts as they are now."""

    book: Callable[[], PromptBook]
    clock: Clock
    ids: Ids
    waits: Waits


class RelayLine:
    """One caller whose words Twilio writes down, and to whom Twilio speaks.

    Attributes:
        expecting: what the assistant has just asked for.
    """

    def __init__(
        self,
        conversation: Conversation,
        prompter: Prompter,
        parts: RelayParts,
        *,
        locale: str,
    ) -> None:
        self.expecting: ExpectedInput = "anything"
        self._conversation, self._prompter, self._parts = conversation, prompter, parts
        self._words = parts.book().words(locale).listening
        self._progress = Progress(parts.waits)
        notes = HeardNotes(conversation.heard)
        self._mouth = Mouth(prompter, prompter, parts.clock, notes)
        self._mouth.locale = locale
        self._telling = Telling(
            self._mouth, notes, self._progress, parts.clock, word=self._word, asked=self._answered
        )
        self._submitter = MessageSubmitter(
            conversation, prompter, self._telling, self._progress, parts.ids, locale=locale, words=self._words
        )
        self._barge_in = BargeIn(conversation, self._mouth, self._telling)
        self._cutting_in: CustomerUtterance | None = None
        self._false_alarm = Alarm(parts.clock, self._go_on)
        prompter.played = lambda number, ms, playing: self._mouth.played(number, ms, playing=playing)
        prompter.passing = self._passing
        self._stop_listening: Callable[[], None] = lambda: None

    @property
    def asked(self) -> bool:
        """Whether a question is open that wants yes or no."""
        return self._progress.asked

    def start(self) -> None:
        """Begin to follow the conversation: what it says from now on is spoken."""
        self._mouth.start()
        self._telling.catch_up(self._conversation.entries)
        self._stop_listening = self._conversation.listen(self._take)

    async def close(self) -> None:
        """The caller is gone: what was heard until now is noted, all else let go of."""
        self._stop_listening()
        self._telling.close()
        await self._false_alarm.close()
        await self._prompter.close()
        await self._mouth.close()

    def speaks(self) -> None:
        """The caller is saying something, and is not done."""
        self._conversation.typing()

    def cut_in(self, uttered: str) -> None:
        """The caller has cut off what was being spoken, which had got so far."""
        self._prompter.was_cut(uttered)
        if self._cutting_in is None:
            self._cutting_in = CustomerUtterance(_unwritten)
        self._barge_in.pause_speech(self._cutting_in)
        self._false_alarm.at(self._parts.clock.monotonic() + FALSE_ALARM_S)

    async def said(self, text: str) -> None:
        """The caller has said something. Raises ``LogError``."""
        cutting_in = self._takes_the_floor()
        interrupts = self._mouth.audible if cutting_in is None else cutting_in.interrupts
        meaning = classify_utterance(text, self._words, interrupts=interrupts, asked=self.asked)
        if cutting_in is not None:
            await self._barge_in.resolve(cutting_in, meaning)
        await self._mouth.settled()
        if meaning == "words":
            await self._submitter.submit(text, self._parts.clock.monotonic(), self.expecting)
        if cutting_in is not None:
            self._barge_in.resume_speech(cutting_in)

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """The caller has answered the open question with a key. Raises ``LogError``."""
        cutting_in = self._takes_the_floor()
        if cutting_in is not None:
            await self._barge_in.resolve(cutting_in, "words")
            self._barge_in.resume_speech(cutting_in)
        await self._mouth.settled()
        await self._submitter.submit_button(answer)

    def _takes_the_floor(self) -> CustomerUtterance | None:
        """What cut in, if it did; else it is noted what can have been heard before they spoke."""
        self._false_alarm.at(None)
        cutting_in, self._cutting_in = self._cutting_in, None
        if cutting_in is None:
            self._prompter.was_answered()
        return cutting_in

    async def _go_on(self) -> None:
        cutting_in, self._cutting_in = self._cutting_in, None
        if cutting_in is not None:
            self._barge_in.resume_speech(cutting_in)

    def _take(self, batch: Sequence[Logged]) -> None:
        self._telling.take(batch)

    def _answered(self, text: str) -> None:
        self.expecting = expected_input_after(text, self._words)

    def _passing(self, number: int) -> bool:
        tracks = (track for track in self._mouth.playlist if track.clip.number == number)
        return any(track.saying is not None and track.saying.passing for track in tracks)

    def _word(self, what: AsideWhat, locale: str) -> str:
        return self._parts.book().render(Aside(what=what), locale)


async def _unwritten(_audio: Pcm) -> Transcript:
    return Transcript(text="")
