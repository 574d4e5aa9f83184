"""Takes websockets in before the application's layers, which would stay for as long as each socket lives."""

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.server.door import Door
from assistant.server.operators.socket import PATH as OPERATORS_PATH
from assistant.server.operators.socket import serve_operator
from assistant.server.phone.socket import serve_call
from assistant.server.phone.twiml import SOCKETS
from assistant.server.rates import Rates
from assistant.server.socket import serve_socket

PATH = "/v1/ws"


class Sockets:
    """Answers ``/v1/ws``; where there are operators or a phone, theirs, too; passes everything else on."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door
        self._rates = Rates(door.limits, door.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        place = scope["path"] if scope["type"] == "websocket" else ""
        operators, phone = self._door.operators, self._door.phone
        if place == PATH:
            await serve_socket(WebSocket(scope, receive, send), self._door, self._rates)
        elif place == OPERATORS_PATH and operators is not None:
            await serve_operator(WebSocket(scope, receive, send), self._door, operators)
        elif phone is not None and place == SOCKETS[phone.via]:
            await serve_call(WebSocket(scope, receive, send), self._door, phone)
        else:
            await self._app(scope, receive, send)
