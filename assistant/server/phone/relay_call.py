"""A call over ConversationRelay: Twilio transcribes the caller and speaks our text."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

import structlog
from pydantic import ValidationError

from assistant.conversation.entries import Logged
from assistant.ports import Clock, Ids
from assistant.prompts.book import PromptBook
from assistant.prompts.utterances import Aside
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.call import Call, PhoneSession
from assistant.server.phone.phone_context import PhoneContext, Timer
from assistant.server.phone.text_sender import TextSender
from assistant.server.phone.twilio_frames import (
    RELAY_FRAMES,
    AnyRelayFrame,
    Dtmf,
    Info,
    Interrupt,
    Prompt,
    RelayError,
    Setup,
    end_frame,
)
from assistant.speech_ports import Pcm, Transcription
from assistant.voice.barge_in import BargeIn, CustomerUtterance, classify_utterance
from assistant.voice.dictation import ExpectedInput, expected_input_after
from assistant.voice.ports import Conversation
from assistant.voice.scheduler import FillerKind, SpeechScheduler
from assistant.voice.stt_loop import MessageSubmitter
from assistant.voice.tts_player import HeardPositionRecorder, TtsPlayer
from assistant.voice.turn_progress import AnswerWaits, TurnProgress

FALSE_ALARM_S = 2.5
"""If a caller interrupts and then says nothing for this many seconds, it was a noise: the assistant continues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelayDependencies:
    """The dependencies of a relay call; ``book`` returns the current prompts."""

    book: Callable[[], PromptBook]
    clock: Clock
    ids: Ids
    waits: AnswerWaits


class RelayVoice:
    """The speech part of a call that Twilio transcribes and speaks.

    Attributes:
        expecting: the kind of input that the assistant has just asked for.
    """

    def __init__(
        self,
        conversation: Conversation,
        prompter: TextSender,
        deps: RelayDependencies,
        *,
        locale: str,
    ) -> None:
        self.expecting: ExpectedInput = "anything"
        self._conversation, self._prompter, self._deps = conversation, prompter, deps
        self._words = deps.book().words(locale).listening
        self._progress = TurnProgress(deps.waits)
        recorder = HeardPositionRecorder(conversation.heard)
        self._tts_player = TtsPlayer(prompter, prompter, deps.clock, recorder)
        self._tts_player.locale = locale
        self._scheduler = SpeechScheduler(
            self._tts_player, recorder, self._progress, deps.clock, word=self._word, asked=self._answered
        )
        self._submitter = MessageSubmitter(
            conversation,
            prompter,
            self._scheduler,
            self._progress,
            deps.ids,
            locale=locale,
            words=self._words,
        )
        self._barge_in = BargeIn(conversation, self._tts_player, self._scheduler)
        self._cutting_in: CustomerUtterance | None = None
        self._false_alarm = Timer(deps.clock, self._go_on)
        prompter.played = lambda number, ms, playing: self._tts_player.report_playback(
            number, ms, playing=playing
        )
        prompter.passing = self._passing
        self._stop_listening: Callable[[], None] = lambda: None

    @property
    def asked(self) -> bool:
        """Whether a yes-or-no question is open."""
        return self._progress.confirmation_open

    def start(self) -> None:
        """Begin to follow the conversation: its text is spoken from now on."""
        self._tts_player.start()
        self._scheduler.catch_up(self._conversation.entries)
        self._stop_listening = self._conversation.listen(self._take)

    async def close(self) -> None:
        """End: the caller has hung up. The heard part is recorded."""
        self._stop_listening()
        self._scheduler.close()
        await self._false_alarm.close()
        await self._prompter.close()
        await self._tts_player.close()

    def speaks(self) -> None:
        """Report that the caller is speaking and has not finished."""
        self._conversation.typing()

    def cut_in(self, uttered: str) -> None:
        """Handle an interruption; ``uttered`` is the text that had been spoken."""
        self._prompter.was_cut(uttered)
        if self._cutting_in is None:
            self._cutting_in = CustomerUtterance(_unwritten)
        self._barge_in.pause_speech(self._cutting_in)
        self._false_alarm.at(self._deps.clock.monotonic() + FALSE_ALARM_S)

    async def said(self, text: str) -> None:
        """Handle the caller's words. Raises ``LogError``."""
        cutting_in = self._takes_the_floor()
        interrupts = self._tts_player.audible if cutting_in is None else cutting_in.interrupts
        meaning = classify_utterance(text, self._words, interrupts=interrupts, asked=self.asked)
        if cutting_in is not None:
            await self._barge_in.resolve(cutting_in, meaning)
        await self._tts_player.wait_until_recorded()
        if meaning == "words":
            await self._submitter.submit(text, self._deps.clock.monotonic(), self.expecting)
        if cutting_in is not None:
            self._barge_in.resume_speech(cutting_in)

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """Handle a key that answers the open question. Raises ``LogError``."""
        cutting_in = self._takes_the_floor()
        if cutting_in is not None:
            await self._barge_in.resolve(cutting_in, "words")
            self._barge_in.resume_speech(cutting_in)
        await self._tts_player.wait_until_recorded()
        await self._submitter.submit_button(answer)

    def _takes_the_floor(self) -> CustomerUtterance | None:
        """The interruption, if there was one; otherwise note how much the caller can have heard before they
        spoke.
        """
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
        self._scheduler.handle_entries(batch)

    def _answered(self, text: str) -> None:
        self.expecting = expected_input_after(text, self._words)

    def _passing(self, number: int) -> bool:
        tracks = (track for track in self._tts_player.playlist if track.clip.number == number)
        return any(track.utterance is not None and track.utterance.passing for track in tracks)

    def _word(self, what: FillerKind, locale: str) -> str:
        return self._deps.book().render(Aside(what=what), locale)


async def _unwritten(_audio: Pcm) -> Transcription:
    return Transcription(text="")


_CLOSES_S = 5.0

log = structlog.get_logger(__name__)


def read_setup(raw: str) -> Setup | None:
    """The message that begins a call; None if it is another message."""
    try:
        frame = RELAY_FRAMES.validate_json(raw)
    except ValidationError:
        return None
    return frame if isinstance(frame, Setup) else None


class RelayCall:
    """Handles Twilio's messages after the setup.

    Args:
        send: sends a frame to Twilio.
    """

    def __init__(
        self,
        call_sid: str,
        conversation: PhoneSession,
        phone: PhoneContext,
        deps: RelayDependencies,
        *,
        locale: str,
        send: Callable[[JsonFrame], None],
    ) -> None:
        self._sid, self._send = call_sid, send
        clock: Clock = deps.clock
        self._prompter = TextSender(send, clock, locale)
        self._call = Call(call_sid, conversation, phone, clock, locale=locale, leave=self._leave)
        self._line = RelayVoice(conversation, self._prompter, deps, locale=locale)
        self._clock, self._left = clock, Timer(clock, self._was_left)
        self.over = asyncio.Event()

    async def start(self) -> None:
        """Begin to speak; Twilio has already spoken the greeting."""
        self._line.start()
        self._call.start(self._line)

    async def close(self) -> None:
        """End: the caller has hung up."""
        await self._left.close()
        await self._call.close()
        await self._line.close()

    async def handle_message(self, raw: str) -> None:
        """Handle one message of Twilio; an unreadable one is ignored. Raises ``LogError``."""
        try:
            frame = RELAY_FRAMES.validate_json(raw)
        except ValidationError as error:
            log.warning("cannot read what Twilio says", call=self._sid, problem=complaint(error))
            return
        await self._follow(frame)

    async def _follow(self, frame: AnyRelayFrame) -> None:
        match frame:
            case Prompt(last=False):
                self._line.speaks()
            case Prompt(voice_prompt=text):
                self._call.alive()
                await self._line.said(text)
            case Interrupt(utterance=uttered):
                self._line.cut_in(uttered)
            case Dtmf(digit=digit):
                await self._call.key(digit)
            case Info(name="tokensPlayed", value=text):
                self._prompter.was_played(text)
            case RelayError(description=description):
                log.warning("Twilio could not follow", call=self._sid, problem=description)
            case Setup() | Info():
                pass
            case _:
                assert_never(frame)

    def _leave(self, data: str) -> None:
        """Twilio closes the websocket when it has followed; this waits only for a short time."""
        self._send(end_frame(data))
        self._left.at(self._clock.monotonic() + _CLOSES_S)

    async def _was_left(self) -> None:
        self.over.set()
