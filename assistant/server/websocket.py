"""One websocket, from the first frame to the close."""

import asyncio
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog
from fastapi import WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse

from assistant.conversation.sharing import Typist
from assistant.errors import Fenced, IdentityError, LogError
from assistant.server.audio_channel import AudioChannel
from assistant.server.auth import UserRefused
from assistant.server.client_faults import is_client_gone
from assistant.server.frame_handler import FrameHandler, error_frame
from assistant.server.frame_sender import FrameSender
from assistant.server.frames import close_codes
from assistant.server.frames.client_frames import BadFrame, Hello, parse
from assistant.server.frames.close_codes import Close
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.handshake import admit, hears_notices, welcome
from assistant.server.limits import Allowance, Limits, RateLimits
from assistant.server.origins import origin_allowed
from assistant.server.server_context import ServerContext
from assistant.sessions.listeners import Notice, Notices
from assistant.sessions.session import Session
from assistant.telemetry.context import begin_work

SUBPROTOCOL = "meanwhile.v1"

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


async def serve_socket(websocket: WebSocket, context: ServerContext, rates: RateLimits) -> None:
    """Serve one client until either side closes. No input of the client raises an error out of this function."""
    refused = refusal(websocket, SUBPROTOCOL, context.origins)
    if refused is not None:
        await websocket.send_denial_response(refused)
        return
    try:
        await websocket.accept(subprotocol=SUBPROTOCOL)
        close = await _talk(websocket, context, rates)
    except WebSocketDisconnect:
        return
    except Fenced as error:
        log.info("socket is closed", why=str(error))
        close = close_codes.MOVED
    except LogError as error:
        # No error here: the log reports its own problem, or a customer is being erased.
        log.warning("socket is closed", why=str(error))
        close = close_codes.BROKEN
    except Exception as error:
        if is_client_gone(error):
            return
        log.exception("socket broke")
        close = close_codes.BROKEN
    if close is not None:
        # The client may be gone, or may not read: then it receives no close code.
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            async with context.clock.timeout(context.limits.close_s):
                await websocket.close(close.code, close.reason)


def refusal(websocket: WebSocket, subprotocol: str, origins: Collection[str]) -> PlainTextResponse | None:
    """The answer to a handshake that is refused; None if the page may connect and asks for the subprotocol."""
    headers = websocket.headers
    origin = headers.get("origin")
    if not origin_allowed(origin, headers.get("host", ""), origins):
        return PlainTextResponse(f"Pages of {origin} may not connect to this server.\n", status_code=403)
    if subprotocol not in websocket.scope["subprotocols"]:
        return PlainTextResponse(f"Ask for the websocket subprotocol {subprotocol}.\n", status_code=400)
    return None


@dataclass(frozen=True, slots=True)
class _Entered:
    """The data of a hello that its websocket needs later: little, because there are many websockets."""

    session: Session
    had: int
    handler: FrameHandler
    sender: FrameSender
    audio: AudioChannel
    allowance: Allowance
    notices: Notices


async def _talk(websocket: WebSocket, context: ServerContext, rates: RateLimits) -> Close | None:
    """The conversation. Returns the reason to close, or None when the client is gone."""
    entered = await _enter(websocket, context, rates)
    if not isinstance(entered, _Entered):
        return entered
    begin_work(entered.session.key.tenant, entered.session.key.conversation)
    sender = entered.sender
    # Entries that became durable since the greeting are sent too: the sender reads them in place.
    stop_listening = entered.session.listen(sender.wake)
    stop_notices = _send_notices(entered.notices, sender)
    stop_typing = entered.session.typing_signals.listen(
        lambda who: _send_typing(who, entered.session, sender)
    )
    entered.session.came(entered.had)
    try:
        return await _both_ways(_receive(websocket, entered, context.limits), sender)
    finally:
        await entered.audio.close()
        stop_notices()
        stop_typing()
        stop_listening()
        entered.session.left(sender.position)


async def _enter(websocket: WebSocket, context: ServerContext, rates: RateLimits) -> _Entered | Close | None:
    """Read the hello and answer it. Returns the reason to close instead if there is one; None when the client
    is gone.
    """
    hello = await _first_frame(websocket, context)
    if not isinstance(hello, Hello):
        return hello
    try:
        visit = await admit(hello, context)
    except UserRefused as error:
        await websocket.send_text(encode(error_frame(error.code, str(error))))
        return close_codes.USER_REFUSED
    except IdentityError as error:
        await websocket.send_text(encode(error_frame("token_invalid", str(error))))
        return close_codes.TOKEN_INVALID
    session = await context.sessions.open(visit.key, visit.customer, visit.credential)
    greeting = welcome(hello, visit, session, context)
    for frame in greeting.frames:
        await websocket.send_text(encode(frame))
    sender = FrameSender(
        websocket.send_text,
        session,
        greeting.projector,
        greeting.position,
        context.limits,
        send_sound=websocket.send_bytes,
    )
    audio = AudioChannel(session, sender, context, visit.customer.locale)
    allowance = rates.allowance(visit, websocket)
    handler = FrameHandler(
        session, sender, context, audio=audio, allowance=allowance, customer=visit.customer
    )
    notices = context.notices if hears_notices(hello, context) else Notices()
    had = hello.last_seq if greeting.frames[0]["resumed"] == "replay" else 0
    return _Entered(session, had, handler, sender, audio, allowance, notices)


def _send_notices(notices: Notices, sender: FrameSender) -> Callable[[], None]:
    """Send a client the current problem and every later notice; returns a function that stops it."""
    if notices.problem is not None:
        sender.reply(_notice_frame(Notice(problem=True, message=notices.problem)))
    return notices.listen(lambda notice: sender.reply(_notice_frame(notice)))


def _send_typing(typist: Typist, session: Session, sender: FrameSender) -> None:
    """Tell the customer that the agent types, as long as the agent has the conversation."""
    current = session.state.handoff
    if typist == "agent" and current is not None and current.state == "accepted":
        sender.reply({"type": "person.typing", "name": current.name})


def _notice_frame(notice: Notice) -> JsonFrame:
    return {"type": "notice", "problem": notice.problem, "message": notice.message}


async def _first_frame(websocket: WebSocket, context: ServerContext) -> Hello | Close | None:
    """The hello, or the reason to close without one."""
    try:
        async with context.clock.timeout(context.limits.hello_s):
            raw = await _read(websocket, context.limits)
    except TimeoutError:
        return close_codes.HELLO_LATE
    if raw is None or isinstance(raw, Close):
        return raw
    try:
        frame = parse(raw)
    except BadFrame as error:
        await websocket.send_text(encode(error_frame("bad_frame", str(error))))
        return close_codes.NO_HELLO
    if isinstance(frame, Hello):
        return frame
    problem = f"the first frame was {frame.type!r}; begin with 'hello'"
    await websocket.send_text(encode(error_frame("hello_expected", problem)))
    return close_codes.NO_HELLO


async def _both_ways(receive: Coroutine[Any, Any, Close | None], sender: FrameSender) -> Close | None:
    """Receive and send until either ends, or the client reads too slowly."""
    receiving, sending = asyncio.create_task(receive), asyncio.create_task(sender.run())
    try:
        await asyncio.wait({receiving, sending, sender.overrun}, return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()  # raises an error: it does not end normally
        return receiving.result() if receiving.done() else close_codes.TOO_SLOW
    finally:
        receiving.cancel()
        sending.cancel()
        await asyncio.gather(receiving, sending, return_exceptions=True)


async def _receive(websocket: WebSocket, entered: _Entered, limits: Limits) -> Close | None:
    """Handle one frame after the other, until the client is gone or must be disconnected."""
    while True:
        raw = await _read(websocket, limits)
        if raw is None or isinstance(raw, Close):
            return raw
        if isinstance(raw, bytes) and entered.audio.takes_sound:
            if (close := entered.audio.receive_audio(raw)) is not None:
                return close
            continue
        if not entered.allowance.frame():
            return close_codes.TOO_MANY
        try:
            frame = parse(raw)
        except BadFrame as error:
            entered.sender.reply(error_frame("bad_frame", str(error)))
        else:
            await entered.handler.handle_frame(frame)


async def _read(websocket: WebSocket, limits: Limits) -> str | bytes | Close | None:
    """The next frame, unparsed; None when the client is gone."""
    event: dict[str, Any] = dict(await websocket.receive())
    if event["type"] == "websocket.disconnect":
        return None
    raw: str | bytes = event["text"] if event.get("text") is not None else event["bytes"]
    size = len(raw) if isinstance(raw, bytes) else len(raw.encode())
    return raw if size <= limits.frame_bytes else close_codes.TOO_BIG
