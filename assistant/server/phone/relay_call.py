"""One call over ConversationRelay: Twilio writes down what is said, and speaks what is written."""

import asyncio
from collections.abc import Callable
from typing import assert_never

import structlog
from pydantic import ValidationError

from assistant.ports import Clock
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.frame import Wire
from assistant.server.phone.alarm import Alarm
from assistant.server.phone.beside import OnThePhone
from assistant.server.phone.call import Call
from assistant.server.phone.phone import Phone
from assistant.server.phone.prompter import Prompter
from assistant.server.phone.relay_frames import (
    RELAY_FRAMES,
    AnyRelayFrame,
    Dtmf,
    Info,
    Interrupt,
    Prompt,
    RelayError,
    Setup,
    end,
)
from assistant.server.phone.relay_line import RelayLine, RelayParts

_CLOSES_S = 5.0

log = structlog.get_logger(__name__)


def read_setup(raw: str) -> Setup | None:
    """The message with which a call begins; None when it is another one."""
    try:
        frame = RELAY_FRAMES.validate_json(raw)
    except ValidationError:
        return None
    return frame if isinstance(frame, Setup) else None


class RelayCall:
    """Follows what Twilio says after its setup.

    Args:
        send: takes a frame for Twilio.
    """

    def __init__(
        self,
        call_sid: str,
        conversation: OnThePhone,
        phone: Phone,
        parts: RelayParts,
        *,
        locale: str,
        send: Callable[[Wire], None],
    ) -> None:
        self._sid, self._send = call_sid, send
        clock: Clock = parts.clock
        self._prompter = Prompter(send, clock)
        self._call = Call(call_sid, conversation, phone, clock, locale=locale, leave=self._leave)
        self._line = RelayLine(conversation, self._prompter, parts, locale=locale)
        self._clock, self._left = clock, Alarm(clock, self._was_left)
        self.over = asyncio.Event()

    async def start(self) -> None:
        """Begin to speak; the greeting was Twilio's."""
        self._line.start()
        self._call.start(self._line)

    async def close(self) -> None:
        """The caller is gone."""
        await self._left.close()
        await self._call.close()
        await self._line.close()

    async def take(self, raw: str) -> None:
        """One message of Twilio's; one that cannot be read changes nothing. Raises ``LogError``."""
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
        """Twilio closes the socket when it has followed; it is not waited for long."""
        self._send(end(data))
        self._left.at(self._clock.monotonic() + _CLOSES_S)

    async def _was_left(self) -> None:
        self.over.set()
