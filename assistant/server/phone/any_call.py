"""A call, whichever way its words come: as text or as sound."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, assert_never

from assistant.server.frames.frame import Wire
from assistant.server.phone.beside import OnThePhone
from assistant.server.phone.phone import Phone, Via
from assistant.server.phone.relay_call import RelayCall, read_setup
from assistant.server.phone.relay_line import RelayParts
from assistant.server.phone.twiml import TOKEN
from assistant.server.server_context import Door

Send: TypeAlias = Callable[[Wire], None]


class AnyCall(Protocol):
    """A call that Twilio speaks of over a socket. ``over`` is set when our part of it is."""

    over: asyncio.Event

    async def start(self) -> None:
        """Begin. Raises ``SpeechError`` where nobody can speak."""
        ...

    async def take(self, raw: str) -> None:
        """One message of Twilio's. Raises ``LogError``."""
        ...

    async def close(self) -> None:
        """The caller is gone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A call has begun, or its line is there again; ``stream_sid`` is its sound's, where sound comes.

    ``token`` shows that the socket is the call's. ``unfit`` says why its sound cannot be heard, if so.
    """

    call_sid: str
    stream_sid: str | None
    token: str
    unfit: str = ""

    def take_up(self, conversation: OnThePhone, phone: Phone, door: Door, locale: str, send: Send) -> AnyCall:
        """The call, ready to start."""
        if self.stream_sid is None or door.voice is None:
            parts = RelayParts(book=phone.book, clock=door.clock, ids=door.ids, waits=phone.waits)
            return RelayCall(self.call_sid, conversation, phone, parts, locale=locale, send=send)
        from assistant.server.phone.media_call import MediaCall, OurSide

        ours = OurSide(phone=phone, voice=door.voice, clock=door.clock, ids=door.ids, locale=locale)
        return MediaCall(self.call_sid, self.stream_sid, conversation, ours, send)


def opening_of(via: Via, raw: str) -> Opening | None:
    """Which call begins with this message; None when it does not say so."""
    match via:
        case "relay":
            setup = read_setup(raw)
            if setup is None:
                return None
            return Opening(call_sid=setup.call_sid, stream_sid=None, token=setup.parameters.get(TOKEN, ""))
        case "media":
            # What works with sound takes its time to load, and most servers never have a call.
            from assistant.server.phone.media_call import read_start

            begun = read_start(raw)
            if begun is None:
                return None
            start, form = begun.start, begun.start.media_format
            return Opening(
                call_sid=start.call_sid,
                stream_sid=begun.stream_sid,
                token=start.parameters.get(TOKEN, ""),
                unfit=""
                if form.is_ours
                else f"{form.encoding[:40]!r}, {form.sample_rate} Hz, {form.channels} channels",
            )
        case _:
            assert_never(via)
