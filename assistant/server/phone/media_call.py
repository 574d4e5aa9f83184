"""One call over Media Streams: its audio goes to our own speech recognition, and comes from our own voice."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never

import structlog
from pydantic import ValidationError

from assistant.audio import Resampler, decode_mulaw
from assistant.conversation.entries import MessageClosed, MessageText
from assistant.ports import HEARD_RATE, Clock, Ids
from assistant.prompts.listening_words import ListeningWords
from assistant.prompts.utterances import PhoneTold
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.call import Call, PhoneSession, is_unlogged
from assistant.server.phone.phone_context import PhoneContext
from assistant.server.phone.stream_player import RATE, StreamPlayer
from assistant.server.phone.twilio_frames import (
    MEDIA_FRAMES,
    AnyMediaFrame,
    Connected,
    Mark,
    Media,
    MediaDtmf,
    Start,
    Stop,
)
from assistant.voice.dictation import ExpectedInput, expected_input_after
from assistant.voice.session import VoiceSession, VoiceSessionFactory

_KEYS: dict[Literal["yes", "no"], str] = {"yes": "1", "no": "2"}


class MediaVoice:
    """A :class:`VoiceSession` that has started, as a call asks for one."""

    def __init__(
        self, conversation: PhoneSession, line: VoiceSession, ids: Ids, words: ListeningWords, *, locale: str
    ) -> None:
        self._conversation, self._line, self._ids = conversation, line, ids
        self._words, self._locale = words, locale

    @property
    def asked(self) -> bool:
        """Whether a question is open that wants yes or no."""
        return self._conversation.question is not None

    @property
    def expecting(self) -> ExpectedInput:
        """What the assistant has just asked for."""
        return expected_input_after(self._last_answer(), self._words)

    async def said(self, text: str) -> None:
        """The caller has keyed this in. Raises ``LogError``."""
        await self._line.stop_speaking()
        await self._conversation.say(
            client_message_id=f"v-{self._ids.new()}", text=text, locale=self._locale, spoken=True
        )

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """The caller has answered the open question with a key."""
        await self._line.press_key(_KEYS[answer])

    def _last_answer(self) -> str:
        closed: str | None = None
        said: list[str] = []
        for logged in reversed(self._conversation.entries):
            match logged.entry:
                case MessageClosed(message_id=id_, kind="response") if closed is None and not is_unlogged(
                    id_
                ):
                    closed = id_
                case MessageText(message_id=id_, text=text) if id_ == closed:
                    said.append(text)
                case MessageText() if said:
                    break
                case _:
                    pass
        return "".join(reversed(said))


log = structlog.get_logger(__name__)


def read_start(raw: str) -> Start | None:
    """The message with which a call's sound begins; None when it is another one."""
    try:
        frame = MEDIA_FRAMES.validate_json(raw)
    except ValidationError:
        return None
    return frame if isinstance(frame, Start) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaDependencies:
    """What hears and speaks on our side of the call."""

    phone: PhoneContext
    voice: VoiceSessionFactory
    clock: Clock
    ids: Ids
    locale: str


class MediaCall:
    """Follows what Twilio says after its start.

    Args:
        send: takes a frame for Twilio.
    """

    def __init__(
        self,
        call_sid: str,
        stream_sid: str,
        conversation: PhoneSession,
        ours: MediaDependencies,
        send: Callable[[JsonFrame], None],
    ) -> None:
        self._sid, self._conversation, self._ours = call_sid, conversation, ours
        self._telephone = StreamPlayer(send, stream_sid, ours.clock)
        self._sound = Resampler(RATE, HEARD_RATE)
        self._call = Call(
            call_sid, conversation, ours.phone, ours.clock, locale=ours.locale, leave=self._leave
        )
        self._line: VoiceSession | None = None
        self.over = asyncio.Event()

    async def start(self) -> None:
        """Greet the caller, unless the call was cut off and goes on. Raises ``SpeechError``."""
        ours, conversation = self._ours, self._conversation
        begins = not conversation.entries
        self._line = line = await ours.voice.open_session(
            conversation, self._telephone, locale=ours.locale, on_replaced=self.over.set
        )
        self._telephone.played = line.report_playback
        book = ours.phone.book()
        words = book.words(ours.locale).listening
        self._call.start(MediaVoice(conversation, line, ours.ids, words, locale=ours.locale))
        if begins:
            conversation.add(book.render(PhoneTold(what="greeting"), ours.locale))

    async def close(self) -> None:
        """The caller is gone."""
        await self._telephone.close()
        await self._call.close()
        if self._line is not None:
            await self._ours.voice.close_session(self._line)

    async def handle_message(self, raw: str) -> None:
        """One message of Twilio's; one that cannot be read changes nothing. Raises ``LogError``."""
        try:
            frame = MEDIA_FRAMES.validate_json(raw)
        except ValidationError as error:
            log.warning("cannot read what Twilio says", call=self._sid, problem=complaint(error))
            return
        await self._follow(frame)

    async def _follow(self, frame: AnyMediaFrame) -> None:
        match frame:
            case Media(media=sound):
                if sound.track == "inbound" and self._line is not None:
                    self._line.receive_audio(self._sound.push(decode_mulaw(sound.payload)))
            case Mark(mark=named):
                self._telephone.marked(named.name)
            case MediaDtmf(dtmf=pressed):
                await self._call.key(pressed.digit)
            case Stop():
                self.over.set()
            case Connected() | Start():
                pass
            case _:
                assert_never(frame)

    def _leave(self, data: str) -> None:  # noqa: ARG002 - a stream has no way to tell
        self.over.set()
