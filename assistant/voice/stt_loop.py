"""From the customer's sound to messages of the conversation.

``SttLoop`` handles the events of endpointing and transcribes. ``MessageSubmitter`` shows the customer the
transcript and adds it to the conversation; a transport that receives text in place of sound uses only this
class.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, assert_never

import structlog

from assistant.errors import LogError, SpeechError
from assistant.ports import Ids
from assistant.prompts.words import ListeningWords
from assistant.speech_ports import Pcm, Transcription
from assistant.voice.barge_in import BargeIn, CustomerUtterance, UtteranceMeaning, classify_utterance
from assistant.voice.dictation import ExpectedInput, normalize_dictation
from assistant.voice.endpointing import (
    DEFAULT_ENDPOINTING,
    EndpointDetector,
    EndpointingEvent,
    SpeechPaused,
    SpeechResumed,
    SpeechStarted,
    UtteranceEnded,
)
from assistant.voice.ports import AudioOutput, Conversation, VoiceServices
from assistant.voice.scheduler import SpeechScheduler
from assistant.voice.turn_progress import TurnProgress

log = structlog.get_logger(__name__)


class MessageSubmitter:
    """Adds one customer's speech to the conversation as messages, and shows it to the customer."""

    def __init__(
        self,
        conversation: Conversation,
        audio_output: AudioOutput,
        scheduler: SpeechScheduler,
        progress: TurnProgress,
        ids: Ids,
        *,
        locale: str,
        words: ListeningWords,
    ) -> None:
        self._conversation, self._audio_output = conversation, audio_output
        self._scheduler, self._progress, self._ids = scheduler, progress, ids
        self._locale, self._words = locale, words
        self._captioned = False

    def show_caption(self, text: str) -> None:
        """Show the transcript so far; "" removes the caption."""
        if text or self._captioned:
            self._captioned = bool(text)
            self._audio_output.show_caption(text, final=False)

    def classify(self, utterance: CustomerUtterance, text: str) -> UtteranceMeaning:
        """Classify the text of an utterance, which depends on whether a question is open."""
        return classify_utterance(
            text, self._words, interrupts=utterance.interrupts, asked=self._progress.confirmation_open
        )

    async def submit(self, text: str, speech_ended_at: float, expecting: ExpectedInput = "anything") -> None:
        """Add a message. Dictated text is normalized first.

        Raises ``LogError`` if the log does not accept it.
        """
        text = normalize_dictation(text, expecting, self._words)
        self._scheduler.expect_first_words(speech_ended_at)
        taken = await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )
        if taken == "busy":
            self.show_caption("")
            self._audio_output.show_filler(self._scheduler.say_filler("busy"))
        else:
            self._progress.message_waiting = True
            self._captioned = False
            self._audio_output.show_caption(text, final=True)

    async def submit_button(self, button: Literal["yes", "no"]) -> None:
        """Answer the open question. Raises ``LogError``."""
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}",
            text=button,
            locale=self._locale,
            button=button,
            spoken=True,
        )

    def report_failure(self, error: SpeechError) -> None:
        """Tell the customer, in speech and in writing, that transcription failed."""
        log.warning("cannot hear", error=str(error))
        self.show_caption("")
        self._audio_output.show_filler(self._scheduler.say_filler("not_understood"))


class SttLoop:
    """Transcribes the utterances one after the other, and submits each one after its end, in order."""

    def __init__(
        self,
        detector: EndpointDetector,
        voice: VoiceServices,
        locale: Callable[[], str],
        barge_in: BargeIn,
        submitter: MessageSubmitter,
    ) -> None:
        self._detector, self._voice, self._locale = detector, voice, locale
        self._barge_in, self._submitter = barge_in, submitter
        self._current: CustomerUtterance | None = None
        self._ended: asyncio.Queue[CustomerUtterance] = asyncio.Queue()
        self._unanswered: set[CustomerUtterance] = set()
        self._task: asyncio.Task[None] | None = None

    @property
    def customer_speaks(self) -> bool:
        """Whether the customer is speaking."""
        return self._current is not None

    @property
    def transcribes(self) -> bool:
        """Whether an utterance has ended that is not submitted yet."""
        return bool(self._unanswered)

    def start(self) -> None:
        """Start to submit utterances."""
        self._task = asyncio.create_task(self._submit_ended())

    async def close(self) -> None:
        """Discard the utterances that are not submitted yet, and stop."""
        for utterance in {*self._unanswered, *([self._current] if self._current else [])}:
            utterance.discard()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    def handle_event(self, event: EndpointingEvent) -> None:
        """Handle the next event of the endpoint detector."""
        now = self._voice.clock.monotonic()
        match event:
            case SpeechStarted():
                self._current = CustomerUtterance(self._transcribe, self._detector.expecting)
                self._barge_in.pause_speech(self._current)
            case SpeechPaused() if self._current is not None:
                transcription = self._current.pause(event.audio, now - DEFAULT_ENDPOINTING.pause_s)
                handling = self._handle_pause(self._current, transcription)
                self._current.pause_task = asyncio.create_task(handling)
            case SpeechResumed() if self._current is not None:
                self._current.resume()
                self._barge_in.pause_speech(self._current)
            case UtteranceEnded() if self._current is not None:
                self._current.finish(event.audio, now)
                self._unanswered.add(self._current)
                self._ended.put_nowait(self._current)
                self._current = None
            case SpeechPaused() | SpeechResumed() | UtteranceEnded():
                pass  # belongs to an utterance that began before this session
            case _:
                assert_never(event)

    async def _transcribe(self, audio: Pcm) -> Transcription:
        began = self._voice.clock.monotonic()
        transcription = await self._voice.speech_to_text.transcribe(audio, locale=self._locale())
        if self._voice.telemetry is not None:
            self._voice.telemetry.voice_stage("transcription", self._voice.clock.monotonic() - began)
        return transcription

    async def _handle_pause(
        self, utterance: CustomerUtterance, transcription: asyncio.Task[Transcription]
    ) -> None:
        """Transcribe at a pause. The text may already decide whether the assistant continues to speak."""
        await asyncio.wait({transcription})
        if transcription.cancelled() or transcription.exception() is not None:
            return  # the customer continued; an error is reported at the end
        text = transcription.result().text
        if utterance is self._current:
            self._detector.update_transcript(text)
            self._submitter.show_caption(text)
        with suppress(LogError):
            await self._barge_in.resolve(utterance, self._submitter.classify(utterance, text))

    async def _submit_ended(self) -> None:
        with suppress(LogError):  # the conversation has ended; the transport's own call reports it
            while True:
                utterance = await self._ended.get()
                await self._submit_one(utterance)
                self._unanswered.discard(utterance)
                self._barge_in.resume_speech(utterance)

    async def _submit_one(self, utterance: CustomerUtterance) -> None:
        try:
            text = (await utterance.transcript()).text.strip()
        except SpeechError as error:
            if self._voice.telemetry is not None:
                self._voice.telemetry.voice_failed("transcription")
            self._submitter.report_failure(error)
            return
        meaning = self._submitter.classify(utterance, text)
        await self._barge_in.resolve(utterance, meaning)
        if meaning == "words":
            await self._submitter.submit(text, utterance.speech_ended_at, utterance.expecting)
        else:
            self._submitter.show_caption("")
