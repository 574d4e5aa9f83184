"""Spoken conversations: at a microphone in the browser, and on the phone in both ways.

Sound is not recorded, only text and time, because resampling may differ slightly between machines.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, fromstring

import httpx
import orjson
from starlette.types import ASGIApp, Message
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosedOK

from assistant.conversation.entries import Logged
from assistant.conversation.state import ConversationState
from assistant.ports import ModelRequest
from assistant.server.app import build_server
from assistant.server.phone.phone_context import PhoneLimits
from assistant.server.projector import Projector
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.script import Line, calls, says
from assistant.testing.virtual_time import run_virtually
from tests.golden.record import Record, Request, record_of, texts_of
from tests.golden.wires import FORMATTERS
from tests.server.phone.company import COLLEAGUES, URL
from tests.server.phone.company import Company as PhoneCompany
from tests.server.phone.media_caller import MediaCaller
from tests.server.phone.relay_caller import RelayCaller
from tests.server.phone.twilio import CALL, CALLER, Socket, parameters, signature
from tests.support.spoken_chat import SpokenChat
from tests.turn.conftest import Company

_ANSWER: Final = "Your appointment is with Doctor Weber. You have no open bills."
_PICK_UP: Final = "You can pick them up at our shop in Park Street. We are there from dawn to dusk. "
_BRING: Final = "Please bring your order number with you."
_LOOKUP: Final = calls("list_upcoming_appointments")
_CANCEL: Final = calls(("cancel_appointment", {"day": "Tuesday"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A conversation at a microphone: the model's lines, what each utterance is understood as, what happens."""

    lines: Sequence[Line]
    understood: Sequence[str]
    happens: Callable[[SpokenChat], Awaitable[None]]
    mode: Literal["hands_free", "push_to_talk"] = "hands_free"
    appointments_s: float = 0.0
    speak: bool = True


async def _speaks_each_time(ana: SpokenChat) -> None:
    for _ in ana.understood:
        await ana.says(1.0)


async def _interrupts(ana: SpokenChat) -> None:
    ana.speaks(1.0)
    await ana.clock.sleep(4.5)
    await ana.says(1.0)


async def _pauses(ana: SpokenChat) -> None:
    ana.speaks(0.5)
    await ana.clock.sleep(0.5 + 0.45)
    await ana.says(0.5)


async def _holds_the_button(ana: SpokenChat) -> None:
    ana.speaks(0.5)
    await ana.clock.sleep(3.0)
    ana.line.finish_utterance()
    await ana.listens()


async def _presses_one(ana: SpokenChat) -> None:
    await ana.says(1.0)
    await ana.line.press_key("1")
    await ana.listens()


async def _hangs_up(ana: SpokenChat) -> None:
    ana.speaks(1.0)
    await ana.clock.sleep(4.0)


SPOKEN: Final[Mapping[str, Spoken]] = {
    "answer": Spoken(
        lines=[_LOOKUP, says(_ANSWER, each_s=0.02), says("At two.")],
        understood=["When is my appointment?", "And at what time?"],
        happens=_speaks_each_time,
    ),
    "slow-lookup": Spoken(
        lines=[_LOOKUP, says(_ANSWER)],
        understood=["Check my appointments"],
        happens=_speaks_each_time,
        appointments_s=6.0,
    ),
    "slow-model": Spoken(lines=[says(_ANSWER, first_s=6.0)], understood=["When?"], happens=_speaks_each_time),
    "slow-model-read": Spoken(
        lines=[says(_ANSWER, first_s=9.0)], understood=["When?"], happens=_speaks_each_time, speak=False
    ),
    "interruption": Spoken(
        lines=[says(_ANSWER, each_s=0.1), says("All right.")],
        understood=["When?", "Wait, not that one."],
        happens=_interrupts,
    ),
    "cough": Spoken(lines=[says(_ANSWER)], understood=["When?", ""], happens=_interrupts),
    "pause": Spoken(
        lines=[says(_ANSWER)], understood=["When is", "When is my appointment?"], happens=_pauses
    ),
    "push-to-talk": Spoken(
        lines=[says(_ANSWER)], understood=["When?"], happens=_holds_the_button, mode="push_to_talk"
    ),
    "confirmation-by-voice": Spoken(
        lines=[_CANCEL, says("It is cancelled.")],
        understood=["Cancel it", "Yes, please."],
        happens=_speaks_each_time,
    ),
    "confirmation-by-key": Spoken(
        lines=[_CANCEL, says("It is cancelled.")], understood=["Cancel it"], happens=_presses_one
    ),
    "hang-up": Spoken(lines=[says(_ANSWER)], understood=["When?"], happens=_hangs_up),
}
"""Conversations at a microphone."""


def play_spoken(scene: Spoken) -> Record:
    """Hold a conversation at a microphone."""
    return run_virtually(_spoken(scene))


async def _spoken(scene: Spoken) -> Record:
    company = Company()
    chat = company.chat(*scene.lines, appointments=Gives(["Tuesday"], after_s=scene.appointments_s))
    began_ms = company.clock.now_ms()
    async with SpokenChat(
        chat=chat, clock=company.clock, understood=scene.understood, mode=scene.mode, speak=scene.speak
    ) as ana:
        await scene.happens(ana)
    sounds = [
        {
            "text": sound.clip.text,
            "message": sound.clip.message_id,
            "began_ms": _ms(sound.began_at),
            "ended_ms": _ms(sound.ended_at),
            "played_ms": round(sound.ms),
        }
        for sound in ana.loudspeaker.sounds
    ]
    shown = {
        "captions": ana.loudspeaker.captions,
        "told": ana.loudspeaker.told,
        "shown": ana.loudspeaker.shown,
        "silent_at_ms": [_ms(at) for at in ana.loudspeaker.silent_at],
    }
    return record_of(
        in_every_form(company.model.requests),
        [*_frames(chat.session.entries, began_ms), *((0, sound) for sound in sounds), (0, shown)],
        [*texts_of(chat.session.state), "", *ana.text_to_speech.said],
    )


@dataclass(slots=True, kw_only=True)
class OnThePhone:
    """A company that takes calls in this process: its frames and what it answers Twilio go into ``frames``."""

    company: PhoneCompany
    app: ASGIApp
    frames: list[tuple[int, object]] = field(default_factory=list[tuple[int, object]])

    async def ask(self, address: str, **form: str) -> Element:
        """What is to be done with the call, as Twilio asks it."""
        whole = {"CallSid": CALL, "From": CALLER, "CallStatus": "in-progress", **form}
        url = address if address.startswith("https") else URL + address
        async with httpx.AsyncClient(transport=httpx.ASGITransport(self.app)) as client:
            answer = await client.post(url, data=whole, headers={"X-Twilio-Signature": signature(url, whole)})
        self.heard({"asked": address, "status": answer.status_code, "answer": answer.text})
        return fromstring(answer.text)  # noqa: S314 (our own)

    def heard(self, frame: object) -> None:
        """Note what the server said."""
        self.frames.append((round(self.company.clock.monotonic() * 1000), frame))

    @asynccontextmanager
    async def relay(self, address: str = "/v1/phone/incoming", **form: str) -> AsyncGenerator[RelayCaller]:
        """A caller whose words Twilio writes down and speaks."""
        verb = (await self.ask(address, **form)).find("Connect/ConversationRelay")
        assert verb is not None
        socket = Socket(self._connected(str(verb.get("url"))))
        await socket.send(
            type="setup",
            callSid=CALL,
            **{"from": CALLER, "to": "+46812345"},
            direction="inbound",
            customParameters=parameters(verb),
        )
        caller = RelayCaller(self.company, verb, socket, CALL)
        yield caller
        await caller.hang_up()

    @asynccontextmanager
    async def media(self) -> AsyncGenerator[MediaCaller]:
        """A caller whose sound comes to our own ears."""
        verb = (await self.ask("/v1/phone/incoming")).find("Connect/Stream")
        assert verb is not None
        caller = MediaCaller(self._connected(str(verb.get("url"))), self.company, CALL, parameters(verb))
        await caller.begins()
        yield caller
        await caller.hang_up()

    def _connected(self, url: str) -> ClientConnection:
        return cast("ClientConnection", _Pipe(self.app, url, self.heard))


class _Pipe:
    """A websocket without a network, from Twilio's end. Of sound only its length is noted."""

    def __init__(self, app: ASGIApp, url: str, heard: Callable[[object], None]) -> None:
        self.close_code: int | None = None
        self._heard = heard
        self._to_server: asyncio.Queue[Message] = asyncio.Queue()
        self._to_client: asyncio.Queue[str | None] = asyncio.Queue()
        self._to_server.put_nowait({"type": "websocket.connect"})
        scope = {
            "type": "websocket",
            "path": urlsplit(url).path,
            "headers": [(b"host", b"localhost"), (b"x-twilio-signature", signature(url, {}).encode())],
            "query_string": b"",
            "subprotocols": [],
            "client": None,
        }
        self._served = asyncio.ensure_future(app(scope, self._to_server.get, self._take))

    async def send(self, text: str) -> None:
        self._to_server.put_nowait({"type": "websocket.receive", "text": text})

    async def recv(self) -> str:
        text = await self._to_client.get()
        if text is None:
            raise ConnectionClosedOK(None, None)
        return text

    async def close(self) -> None:
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": 1000})
        self._to_client.put_nowait(None)
        await self._served

    async def wait_closed(self) -> None:
        await self._served

    async def _take(self, message: Any) -> None:
        if message["type"] == "websocket.send":
            frame: Any = orjson.loads(message["text"])
            if frame.get("event") == "media":
                frame["media"]["payload"] = f"{len(frame['media']['payload'])} characters"
            self._heard(frame)
            self._to_client.put_nowait(message["text"])
        elif message["type"] == "websocket.close":
            self.close_code = message["code"]
            self._heard({"closed": message["code"]})
            self._to_client.put_nowait(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phoned:
    """A call: the model's lines, what happens; by a media stream, what each utterance is understood as."""

    lines: Sequence[Line]
    happens: Callable[[OnThePhone], Awaitable[None]]
    understood: Sequence[str] | None = None


async def _answered(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("Are my glasses ready?", then_s=9.0)


async def _cuts_in(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
        await ana.interrupts("You can pick them up at our")
        await ana.says("On Saturdays, too?")


async def _agrees_by_key(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("Cancel order 4711")
        await ana.presses("1")


async def _declines(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("Cancel order 4711")
        await ana.says("No, leave it.")


async def _is_put_through(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("A person, please", then_s=14.0)
    response = await phone.ask("/v1/phone/ended?again=0", SessionStatus="ended", HandoffData="{}")
    dial = response.find("Dial")
    assert dial is not None
    async with phone.relay(str(dial.get("action")), DialCallStatus="no-answer") as ana:
        await ana.hears()
        await ana.says("Thank you")


async def _is_cut_off(phone: OnThePhone) -> None:
    async with phone.relay() as ana:
        await ana.says("Are my glasses ready?", then_s=2.0)
    async with phone.relay("/v1/phone/ended?again=0") as ana:
        await ana.says("Hello?", then_s=9.0)


async def _heard_by_us(phone: OnThePhone) -> None:
    async with phone.media() as ana:
        await phone.company.clock.sleep(9)
        await ana.speaks(1.0, then_s=12)


async def _agrees_by_key_to_us(phone: OnThePhone) -> None:
    async with phone.media() as ana:
        await phone.company.clock.sleep(9)
        await ana.speaks(1.0, then_s=8)
        await ana.presses("1")
        await phone.company.clock.sleep(4)


_CANCEL_ORDER: Final = (calls("cancel_order"), says("Your order is cancelled."))

PHONED: Final[Mapping[str, Phoned]] = {
    "relay-answer": Phoned(lines=[says(_PICK_UP + _BRING)], happens=_answered),
    "relay-slow-model": Phoned(lines=[says(_PICK_UP, first_s=6.0)], happens=_answered),
    "relay-interruption": Phoned(lines=[says(_PICK_UP + _BRING), says("Yes.")], happens=_cuts_in),
    "relay-confirmation-by-key": Phoned(lines=_CANCEL_ORDER, happens=_agrees_by_key),
    "relay-declined": Phoned(lines=_CANCEL_ORDER, happens=_declines),
    "relay-person": Phoned(
        lines=[calls("talk_to_a_person"), says("I've asked my colleagues to join us."), says("Gladly.")],
        happens=_is_put_through,
    ),
    "relay-cut-and-taken-up": Phoned(
        lines=[says(_PICK_UP + _BRING), says("I am still here.")], happens=_is_cut_off
    ),
    "media-answer": Phoned(
        lines=[says(_PICK_UP)], happens=_heard_by_us, understood=["Are my glasses ready?"]
    ),
    "media-confirmation-by-key": Phoned(
        lines=_CANCEL_ORDER, happens=_agrees_by_key_to_us, understood=["Cancel order 4711"]
    ),
}
"""Calls."""


def play_phoned(scene: Phoned) -> Record:
    """Hold a conversation on the phone."""
    return run_virtually(_phoned(scene))


async def _phoned(scene: Phoned) -> Record:
    company = PhoneCompany()
    by_relay = scene.understood is None
    context = company.context(
        scene.lines,
        [_cancel_order(company)],
        via="relay" if by_relay else "media",
        transfer=COLLEAGUES,
        limits=PhoneLimits(),
        voice=None if scene.understood is None else company.speaking(*scene.understood),
    )
    phone = OnThePhone(company=company, app=build_server(context))
    await scene.happens(phone)
    await company.handoffs.close()
    assert company.model is not None
    entries = await company.entries(CALL)
    said = () if by_relay else company.text_to_speech.said
    return record_of(
        in_every_form(company.model.requests),
        phone.frames,
        [*texts_of(ConversationState(tuple(entries))), "", *said],
    )


def _cancel_order(company: PhoneCompany) -> FakeTool:
    return company.tool(
        "cancel_order",
        "cancelling your order",
        effect="write",
        confirm=True,
        behaviour=Gives({"cancelled": True}),
        clause="cancel order 4711",
    )


def in_every_form(asked: Sequence[ModelRequest]) -> list[Request]:
    """Requests in the form of every formatter."""
    return [
        Request(None, request.role, form, formatter.format(request, model).body)
        for request in asked
        for form, (formatter, model) in FORMATTERS.items()
    ]


def _frames(entries: Sequence[Logged], began_ms: int) -> list[tuple[int, object]]:
    """The frames that the page with the microphone receives."""
    projector = Projector(lambda tool, locale: f"{tool} ({locale})")
    frames = ((logged.at_ms - began_ms, projector.project(logged)) for logged in entries)
    return [(at_ms, frame) for at_ms, frame in frames if frame is not None]


def _ms(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)
