"""Takes websockets in before the application's layers, which would stay for as long as each socket lives."""

from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.server.door import Door
from assistant.server.operators.socket import PATH as OPERATORS_PATH
from assistant.server.operators.socket import serve_operator
from assistant.server.rates import Rates
from assistant.server.socket import serve_socket

PATH = "/v1/ws"


class Sockets:
    """Answers ``/v1/ws`` and, where there are operators, ``/v1/operators/ws``; passes everything else on."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app, self._door = app, door
        self._rates = Rates(door.limits, door.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        place = scope["path"] if scope["type"] == "websocket" else ""
        operators = self._door.operators
        if place == PATH:
            await serve_socket(WebSocket(scope, receive, send), self._door, self._rates)
        elif place == OPERATORS_PATH and operators is not None:
            await serve_operator(WebSocket(scope, receive, send), self._door, operators)
        else:
            await self._app(scope, receive, send)
