"""From the customer's sound to messages of the conversation.

``Hearing`` follows the events of endpointing and transcribes; ``PassOn`` shows the customer what was understood and
adds it to the conversation. A transport that receives text instead of sound uses ``PassOn`` alone.
"""

import asyncio
from contextlib import suppress
from typing import Literal, assert_never

import structlog

from assistant.conversation.spoken import Transcript
from assistant.errors import LogError, SpeechError
from assistant.ports import Ids
from assistant.ports.speech import Pcm
from assistant.prompts.listening_words import ListeningWords
from assistant.voice.barge_in import BargeIn, Meaning, Utterance, meaning_of
from assistant.voice.dictation import Expecting, spelled
from assistant.voice.endpointing import USUAL, EarEvent, Ears, Paused, SpeechBegan, UtteranceEnded, WentOn
from assistant.voice.ports import Conversation, Loudspeaker, Voice
from assistant.voice.scheduler import Telling
from assistant.voice.turn_progress import Progress

log = structlog.get_logger(__name__)


class PassOn:
    """One customer's words on their way to the conversation."""

    def __init__(
        self,
        conversation: Conversation,
        loudspeaker: Loudspeaker,
        telling: Telling,
        progress: Progress,
        ids: Ids,
        *,
        locale: str,
        words: ListeningWords,
    ) -> None:
        self._conversation, self._loudspeaker = conversation, loudspeaker
        self._telling, self._progress, self._ids = telling, progress, ids
        self._locale, self._words = locale, words
        self._captioned = False

    def caption(self, text: str) -> None:
        """Show what is understood so far; "" for nothing any more."""
        if text or self._captioned:
            self._captioned = bool(text)
            self._loudspeaker.caption(text, final=False)

    def meaning(self, utterance: Utterance, text: str) -> Meaning:
        """What this means, as things stand."""
        return meaning_of(text, self._words, interrupts=utterance.interrupts, asked=self._progress.asked)

    async def say(self, text: str, spoken_until: float, expecting: Expecting = "anything") -> None:
        """Make it a message; what was dictated is put together as it was meant.

        Raises ``LogError`` when the conversation's log does not take it.
        """
        text = spelled(text, expecting, self._words)
        self._telling.expect(spoken_until)
        taken = await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )
        if taken == "busy":
            self.caption("")
            self._loudspeaker.tell(self._telling.aside("busy"))
        else:
            self._progress.awaited = True
            self._captioned = False
            self._loudspeaker.caption(text, final=True)

    async def press(self, button: Literal["yes", "no"]) -> None:
        """Make it the answer to an open question. Raises ``LogError``."""
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}",
            text=button,
            locale=self._locale,
            button=button,
            spoken=True,
        )

    def not_understood(self, error: SpeechError) -> None:
        """It could not be written down: say so, and show it, for else it would be lost in silence."""
        log.warning("cannot hear", error=str(error))
        self.caption("")
        self._loudspeaker.tell(self._telling.aside("not_understood"))


class Hearing:
    """Follows one utterance after the other, and passes each on when it has ended, in their order.

    Attributes:
        hears: whether the customer speaks.
        understands: whether something that was said is not written down yet.
    """

    def __init__(self, ears: Ears, voice: Voice, locale: str, barge_in: BargeIn, pass_on: PassOn) -> None:
        self._ears, self._voice, self._locale = ears, voice, locale
        self._barge_in, self._pass_on = barge_in, pass_on
        self._current: Utterance | None = None
        self._ended: asyncio.Queue[Utterance] = asyncio.Queue()
        self._unanswered: set[Utterance] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def hears(self) -> bool:
        """Whether the customer speaks."""
        return self._current is not None

    @property
    def understands(self) -> bool:
        """Whether something that was said is not passed on yet."""
        return bool(self._unanswered)

    def start(self) -> None:
        """Begin to pass on what is said."""
        self._task = asyncio.create_task(self._pass_on_what_ended())

    async def close(self) -> None:
        """Whatever is said is not listened to any more."""
        for utterance in {*self._unanswered, *([self._current] if self._current else [])}:
            utterance.forget()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def follow(self, event: EarEvent) -> None:
        """What the ears make out next."""
        now = self._voice.clock.monotonic()
        match event:
            case SpeechBegan():
                self._current = Utterance(self._transcribe, self._ears.expecting)
                self._barge_in.hold(self._current)
            case Paused() if self._current is not None:
                writing = self._current.pause(event.audio, now - USUAL.pause_s)
                consider = self._consider(self._current, writing)
                self._current.considering = asyncio.create_task(consider)
            case WentOn() if self._current is not None:
                self._current.go_on()
                self._barge_in.hold(self._current)
            case UtteranceEnded() if self._current is not None:
                self._current.end(event.audio, now)
                self._unanswered.add(self._current)
                self._ended.put_nowait(self._current)
                self._current = None
            case Paused() | WentOn() | UtteranceEnded():
                pass  # what began before this line did
            case _:
                assert_never(event)

    async def _transcribe(self, audio: Pcm) -> Transcript:
        return await self._voice.hearing.transcribe(audio, locale=self._locale)

    async def _consider(self, utterance: Utterance, writing: asyncio.Task[Transcript]) -> None:
        """There is a pause: what was said until then may settle whether the assistant goes on speaking."""
        await asyncio.wait({writing})
        if writing.cancelled() or writing.exception() is not None:
            return  # they went on; or it is told when they have finished
        text = writing.result().text
        if utterance is self._current:
            self._ears.understood(text)
            self._pass_on.caption(text)
        with suppress(LogError):
            await self._barge_in.settle(utterance, self._pass_on.meaning(utterance, text))

    async def _pass_on_what_ended(self) -> None:
        with suppress(LogError):  # the conversation is over; whoever carries the sound is told
            while True:
                utterance = await self._ended.get()
                await self._pass_on_one(utterance)
                self._unanswered.discard(utterance)
                self._barge_in.release(utterance)

    async def _pass_on_one(self, utterance: Utterance) -> None:
        try:
            text = (await utterance.transcript()).text.strip()
        except SpeechError as error:
            self._pass_on.not_understood(error)
            return
        meaning = self._pass_on.meaning(utterance, text)
        await self._barge_in.settle(utterance, meaning)
        if meaning == "words":
            await self._pass_on.say(text, utterance.spoken_until, utterance.expecting)
        else:
            self._pass_on.caption("")
