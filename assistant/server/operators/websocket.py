"""One operator's websocket, from the first frame to the close."""

import asyncio
from contextlib import suppress

import structlog
from fastapi import WebSocket, WebSocketDisconnect
from fastapi.responses import PlainTextResponse
from pydantic import ValidationError

from assistant.errors import LogError
from assistant.server.client_faults import is_client_gone
from assistant.server.frames import close_codes
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.close_codes import Close
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.operators.access import Operators
from assistant.server.operators.operator_frames import (
    OPERATOR_FRAMES,
    AnyOperatorFrame,
    OperatorHello,
    OperatorPing,
    Read,
    Refused,
)
from assistant.server.operators.routes import change_frames, execute_command, summaries, transcript
from assistant.server.origins import origin_allowed
from assistant.server.server_context import ServerContext
from assistant.sessions.handoff_registry import HandoffUpdate

PATH = "/v1/operators/ws"
SUBPROTOCOL = "meanwhile.operators.v1"

MOST_WAITING = 1_000
"""The maximum number of frames that wait for an operator who does not read."""

log = structlog.get_logger(__name__)


async def serve_operator(websocket: WebSocket, context: ServerContext, operators: Operators) -> None:
    """Serve one operator until either side closes. No input raises an error out of this function."""
    headers = websocket.headers
    if not origin_allowed(headers.get("origin"), headers.get("host", ""), context.origins):
        await websocket.send_denial_response(PlainTextResponse("not from that page\n", status_code=403))
        return
    if SUBPROTOCOL not in websocket.scope["subprotocols"]:
        await websocket.send_denial_response(
            PlainTextResponse(f"Ask for the websocket subprotocol {SUBPROTOCOL}.\n", status_code=400)
        )
        return
    await websocket.accept(subprotocol=SUBPROTOCOL)
    try:
        close = await _Line(websocket, context, operators).talk()
    except WebSocketDisconnect:
        return
    except LogError as error:
        # No error here: the log reports its own problem, or a customer is being erased.
        log.warning("operator's socket is closed", why=str(error))
        close = close_codes.BROKEN
    except Exception as error:
        if is_client_gone(error):
            return
        log.exception("operator's socket broke")
        close = close_codes.BROKEN
    with suppress(WebSocketDisconnect, RuntimeError):
        await websocket.close(close.code, close.reason)


class _Line:
    """One operator's connection: runs their commands, and sends them events."""

    def __init__(self, websocket: WebSocket, context: ServerContext, operators: Operators) -> None:
        self._websocket, self._context, self._operators = websocket, context, operators
        self._waiting: asyncio.Queue[JsonFrame] = asyncio.Queue(MOST_WAITING)
        self._behind = asyncio.Event()

    async def talk(self) -> Close:
        """Everything after the hello; returns the reason to close. Raises ``WebSocketDisconnect``."""
        hello = await self._hello()
        if not isinstance(hello, OperatorHello):
            return hello
        tenant = self._operators.tenant
        ours = await self._operators.handoffs.all_of(tenant)
        self._tell({"type": "welcome", "name": hello.name, "conversations": list(summaries(ours))})
        stop = self._operators.handoffs.listen(tenant, self._hear)
        try:
            return await self._both_ways(hello.name)
        finally:
            stop()

    async def _both_ways(self, name: str) -> Close:
        receiving = asyncio.create_task(self._receive(name))
        sending, behind = asyncio.create_task(self._send()), asyncio.create_task(self._behind.wait())
        try:
            await asyncio.wait({receiving, sending, behind}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            return receiving.result() if receiving.done() else close_codes.TOO_SLOW
        finally:
            for task in (receiving, sending, behind):
                task.cancel()
            await asyncio.gather(receiving, sending, behind, return_exceptions=True)

    async def _hello(self) -> OperatorHello | Close:
        try:
            async with self._context.clock.timeout(self._context.limits.hello_s):
                frame = await self._frame()
        except TimeoutError:
            return close_codes.HELLO_LATE
        if not isinstance(frame, OperatorHello):
            return close_codes.NO_HELLO
        if self._operators.knows(frame.token):
            return frame
        return (
            close_codes.NOT_AN_OPERATOR
            if self._operators.may_guess(self._websocket)
            else close_codes.TOO_MANY
        )

    async def _receive(self, name: str) -> Close:
        while self._operators.may_go_on(self._websocket):
            match await self._frame():
                case OperatorHello():
                    self._refuse("hello comes once, as the first frame")
                case OperatorPing():
                    self._tell({"type": "pong"})
                case Read(conversation_id=conversation):
                    operators = self._operators
                    handoff = await operators.handoffs.open_handoff(operators.tenant, conversation)
                    if handoff is None:
                        self._refuse("no such conversation is open here", conversation)
                    else:
                        self._tell(transcript(handoff.session, self._operators.attachments))
                case str() as problem:
                    self._refuse(problem)
                case command:
                    if (refused := await execute_command(command, name, self._operators)) is not None:
                        self._tell(refused.model_dump())
        return close_codes.TOO_MANY

    async def _frame(self) -> AnyOperatorFrame | str:
        """The next frame, or its problem. Raises ``WebSocketDisconnect``."""
        raw = await self._websocket.receive_text()
        try:
            return OPERATOR_FRAMES.validate_json(raw)
        except ValidationError as error:
            return complaint(error)

    async def _send(self) -> None:
        while True:
            await self._websocket.send_text(encode(await self._waiting.get()))

    def _hear(self, heard: HandoffUpdate) -> None:
        session, batch = heard
        for frame in change_frames(session, batch, self._operators.attachments):
            self._tell(frame)

    def _refuse(self, problem: str, conversation: str | None = None) -> None:
        code = "bad_frame" if conversation is None else "unknown_conversation"
        refused = Refused(type="refused", code=code, conversation_id=conversation, message=problem)
        self._tell(refused.model_dump())

    def _tell(self, frame: JsonFrame) -> None:
        try:
            self._waiting.put_nowait(frame)
        except asyncio.QueueFull:
            self._behind.set()
