"""One call's websocket, from Twilio's first message to the close."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, assert_never

import structlog
from fastapi import WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse

from assistant.errors import LogError, SpeechError
from assistant.prompts.utterances import PhoneTold
from assistant.server.client_faults import is_client_gone
from assistant.server.frames import close_codes
from assistant.server.frames.close_codes import Close
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.limits import WRONG_TOKENS_RETRY_S, TokenBucket, WrongTokens
from assistant.server.phone.call import PhoneSession
from assistant.server.phone.phone_context import HEADER, PhoneContext, Via, caller, conversation_of
from assistant.server.phone.relay_call import RelayCall, RelayDependencies, read_setup
from assistant.server.phone.routes import TOKEN
from assistant.server.server_context import ServerContext
from assistant.telemetry.context import begin_work

Send: TypeAlias = Callable[[JsonFrame], None]


class TwilioCall(Protocol):
    """A call over a Twilio websocket. ``over`` is set when our part of it is finished."""

    over: asyncio.Event

    async def start(self) -> None:
        """Begin. Raises ``SpeechError`` if no voice is loaded."""
        ...

    async def handle_message(self, raw: str) -> None:
        """Handle one message of Twilio. Raises ``LogError``."""
        ...

    async def close(self) -> None:
        """End: the caller has hung up."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOpening:
    """The beginning of a call, or of its continuation; ``stream_sid`` is the id of its audio stream, if there
    is one.

    ``token`` proves that the websocket belongs to the call. ``unfit`` says why its audio cannot be used, if so.
    """

    call_sid: str
    stream_sid: str | None
    token: str
    unfit: str = ""

    def take_up(
        self, conversation: PhoneSession, phone: PhoneContext, context: ServerContext, locale: str, send: Send
    ) -> TwilioCall:
        """Build the call, ready to start."""
        if self.stream_sid is None or context.voice is None:
            deps = RelayDependencies(book=phone.book, clock=context.clock, ids=context.ids, waits=phone.waits)
            return RelayCall(self.call_sid, conversation, phone, deps, locale=locale, send=send)
        from assistant.server.phone.media_call import MediaCall, MediaDependencies

        ours = MediaDependencies(
            phone=phone, voice=context.voice, clock=context.clock, ids=context.ids, locale=locale
        )
        return MediaCall(self.call_sid, self.stream_sid, conversation, ours, send)


def read_opening(via: Via, raw: str) -> CallOpening | None:
    """The call that begins with this message; None if the message does not begin one."""
    match via:
        case "relay":
            setup = read_setup(raw)
            if setup is None:
                return None
            return CallOpening(
                call_sid=setup.call_sid, stream_sid=None, token=setup.parameters.get(TOKEN, "")
            )
        case "media":
            # The audio modules take time to load, and most servers never have a call.
            from assistant.server.phone.media_call import read_start

            begun = read_start(raw)
            if begun is None:
                return None
            start, form = begun.start, begun.start.media_format
            return CallOpening(
                call_sid=start.call_sid,
                stream_sid=begun.stream_sid,
                token=start.parameters.get(TOKEN, ""),
                unfit=""
                if form.is_ours
                else f"{form.encoding[:40]!r}, {form.sample_rate} Hz, {form.channels} channels",
            )
        case _:
            assert_never(via)


NORMAL = Close(1000, "the call continues elsewhere, or has ended")
NOT_THE_CALLS = Close(4401, "the token is not this call's, was used before, or is too old")
UNFIT_SOUND = Close(1003, "only audio/x-mulaw with 8000 samples a second and one channel is heard")

log = structlog.get_logger(__name__)


async def serve_call(
    websocket: WebSocket, context: ServerContext, phone: PhoneContext, wrong_signatures: WrongTokens
) -> None:
    """Serve one caller until either side closes. No input of the caller raises an error out of this function."""
    target = websocket.url.path + (f"?{websocket.url.query}" if websocket.url.query else "")
    if not phone.signatures.of_socket(target, websocket.headers.get(HEADER, "")):
        if not wrong_signatures.allow(websocket):
            wait = {"Retry-After": str(WRONG_TOKENS_RETRY_S)}
            refusal = PlainTextResponse("too many wrong signatures; wait a minute\n", 429, wait)
            await websocket.send_denial_response(refusal)
            return
        log.warning("refused: not signed by Twilio", path=websocket.url.path)
        refusal = PlainTextResponse("not signed with the account's token, or for another address\n", 403)
        await websocket.send_denial_response(refusal)
        return
    await websocket.accept()
    try:
        close = await _CallSocket(websocket, context, phone).talk()
    except WebSocketDisconnect:
        return
    except (LogError, SpeechError) as error:
        log.warning("a call's line is cut", problem=str(error))
        close = close_codes.BROKEN  # the call's next websocket continues the conversation from the log
    except Exception as error:
        if is_client_gone(error):
            return
        log.exception("a call's socket broke")
        close = close_codes.BROKEN
    if close is not None:
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            async with context.clock.timeout(context.limits.close_s):
                await websocket.close(close.code, close.reason)


class _CallSocket:
    def __init__(self, websocket: WebSocket, context: ServerContext, phone: PhoneContext) -> None:
        self._websocket, self._context, self._phone = websocket, context, phone
        self._allowance = TokenBucket(phone.limits.frames_per_minute, context.clock)
        self._waiting: asyncio.Queue[JsonFrame] = asyncio.Queue()

    async def talk(self) -> Close | None:
        """Everything after the handshake; returns the reason to close, None when Twilio has closed."""
        opening = await self._opening()
        if not isinstance(opening, CallOpening):
            return opening
        if (refused := await self._refused(opening)) is not None:
            return refused
        replaced = self._phone.calls.enter(opening.call_sid)
        locale = self._context.locale_of(None)
        visitor = caller(self._phone.tenant, opening.call_sid, locale)
        session = await self._context.sessions.open(
            conversation_of(self._phone.tenant, opening.call_sid), visitor
        )
        begin_work(session.key.tenant, session.key.conversation)
        keys = self._phone.book().render(PhoneTold(what="keys"), locale)
        conversation = PhoneSession(session, keys)
        session.came(len(conversation.entries))
        call = opening.take_up(conversation, self._phone, self._context, locale, self._waiting.put_nowait)
        try:
            await call.start()
            return await self._both_ways(call, replaced)
        finally:
            await call.close()
            session.left(len(session.entries))
            self._phone.calls.leave(opening.call_sid, replaced)

    async def _refused(self, opening: CallOpening) -> Close | None:
        """The reason to refuse this websocket, if there is one. The call's own websocket, if it has one,
        continues.
        """
        calls = self._phone.calls
        if not await calls.admit(opening.call_sid, opening.token):
            log.warning("refused: a socket without its call's token", call=opening.call_sid)
            return NOT_THE_CALLS
        if opening.unfit:
            log.error("refused: only mu-law at 8000 Hz is heard", call=opening.call_sid, sent=opening.unfit)
            await calls.mark_ended(opening.call_sid)  # the next stream would have the same problem
            return UNFIT_SOUND
        return None

    async def _both_ways(self, call: TwilioCall, replaced: asyncio.Event) -> Close | None:
        receiving, sending = asyncio.create_task(self._receive(call)), asyncio.create_task(self._send())
        ends = {asyncio.create_task(call.over.wait()), asyncio.create_task(replaced.wait())}
        try:
            await asyncio.wait({receiving, sending, *ends}, return_when=asyncio.FIRST_COMPLETED)
            for task in (receiving, sending):
                if task.done():
                    task.result()
            return receiving.result() if receiving.done() else NORMAL
        finally:
            for task in (receiving, sending, *ends):
                task.cancel()
            await asyncio.gather(receiving, sending, *ends, return_exceptions=True)

    async def _opening(self) -> CallOpening | Close | None:
        """The call's opening; or the reason to close without one."""
        try:
            async with self._context.clock.timeout(self._context.limits.hello_s):
                while True:
                    raw = await self._read()
                    if not isinstance(raw, str):
                        return raw
                    opening = read_opening(self._phone.via, raw)
                    if opening is not None:
                        return opening
        except TimeoutError:
            return close_codes.HELLO_LATE

    async def _receive(self, call: TwilioCall) -> Close | None:
        while True:
            raw = await self._read()
            if not isinstance(raw, str):
                return raw
            await call.handle_message(raw)

    async def _send(self) -> None:
        while True:
            await self._websocket.send_text(encode(await self._waiting.get()))

    async def _read(self) -> str | Close | None:
        """The next message, unparsed; None when Twilio has disconnected. Twilio sends no binary messages."""
        while True:
            event: dict[str, Any] = dict(await self._websocket.receive())
            if event["type"] == "websocket.disconnect":
                return None
            raw: str | bytes = event["text"] if event.get("text") is not None else event["bytes"]
            if len(raw) > self._phone.limits.frame_bytes:
                return close_codes.TOO_BIG
            if not self._allowance.allow():
                return close_codes.TOO_MANY
            if isinstance(raw, str):
                return raw
