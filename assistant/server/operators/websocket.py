"""One operator's websocket, from the first frame to the close."""

from fastapi import WebSocket
from pydantic import ValidationError

from assistant.server.frames import close_codes
from assistant.server.frames.client_frames import complaint
from assistant.server.frames.close_codes import Close
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
from assistant.server.server_context import ServerContext
from assistant.server.staff_websocket import WaitingFrames, serve_staff
from assistant.server.websocket import refusal
from assistant.sessions.handoff_registry import HandoffUpdate

PATH = "/v1/operators/ws"
SUBPROTOCOL = "meanwhile.operators.v1"


async def serve_operator(websocket: WebSocket, context: ServerContext, operators: Operators) -> None:
    """Serve one operator until either side closes. No input raises an error out of this function."""
    refused = refusal(websocket, SUBPROTOCOL, context.origins)
    if refused is not None:
        await websocket.send_denial_response(refused)
        return
    await serve_staff(websocket, SUBPROTOCOL, _Line(websocket, context, operators).talk)


class _Line:
    """One operator's connection: runs their commands, and sends them events."""

    def __init__(self, websocket: WebSocket, context: ServerContext, operators: Operators) -> None:
        self._websocket, self._context, self._operators = websocket, context, operators
        self._waiting = WaitingFrames(websocket)

    async def talk(self) -> Close:
        """Everything after the hello; returns the reason to close. Raises ``WebSocketDisconnect``."""
        hello = await self._hello()
        if not isinstance(hello, OperatorHello):
            return hello
        tenant = self._operators.tenant
        ours = await self._operators.handoffs.all_of(tenant)
        self._waiting.add({"type": "welcome", "name": hello.name, "conversations": list(summaries(ours))})
        stop = self._operators.handoffs.listen(tenant, self._hear)
        try:
            return await self._waiting.send_while(self._receive(hello.name))
        finally:
            stop()

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
                    self._waiting.add({"type": "pong"})
                case Read(conversation_id=conversation):
                    operators = self._operators
                    handoff = await operators.handoffs.open_handoff(operators.tenant, conversation)
                    if handoff is None:
                        self._refuse("no such conversation is open here", conversation)
                    else:
                        self._waiting.add(transcript(handoff.session, self._operators.attachments))
                case str() as problem:
                    self._refuse(problem)
                case command:
                    if (refused := await execute_command(command, name, self._operators)) is not None:
                        self._waiting.add(refused.model_dump())
        return close_codes.TOO_MANY

    async def _frame(self) -> AnyOperatorFrame | str:
        """The next frame, or its problem. Raises ``WebSocketDisconnect``."""
        raw = await self._websocket.receive_text()
        try:
            return OPERATOR_FRAMES.validate_json(raw)
        except ValidationError as error:
            return complaint(error)

    def _hear(self, heard: HandoffUpdate) -> None:
        session, batch = heard
        for frame in change_frames(session, batch, self._operators.attachments):
            self._waiting.add(frame)

    def _refuse(self, problem: str, conversation: str | None = None) -> None:
        code = "bad_frame" if conversation is None else "unknown_conversation"
        refused = Refused(type="refused", code=code, conversation_id=conversation, message=problem)
        self._waiting.add(refused.model_dump())
