"""``/metrics`` for Prometheus, and the count of open websockets."""

import hmac
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.server.operators.access import bearer

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry

METRICS_PATH = "/metrics"

_BY_WEB_SERVER = (1002, 1007, 1009)
"""Codes with which the web server itself closes: after a malformed frame, invalid UTF-8, an oversized frame."""

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class MetricsRoute:
    """Answers ``/metrics``, and passes all other requests on.

    Args:
        scrape: returns the metrics in Prometheus' text format.
        token: without it, requests are answered with 401; None: anyone who reaches this address may read them.
        app: answers other requests; None: there are none (404).
    """

    def __init__(
        self, scrape: Callable[[], Awaitable[bytes]], token: str | None, app: ASGIApp | None = None
    ) -> None:
        self._scrape, self._token, self._app = scrape, token, app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["path"] == METRICS_PATH:
            response = await self._metrics(scope)
        elif self._app is not None:
            await self._app(scope, receive, send)
            return
        else:
            response = PlainTextResponse(f"Only {METRICS_PATH} is served here.\n", HTTPStatus.NOT_FOUND)
        await response(scope, receive, send)

    async def _metrics(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Use GET.\n", HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "GET, HEAD"})
        given = bearer(Headers(scope=scope).get("authorization"))
        if self._token is not None and not hmac.compare_digest(given.encode(), self._token.encode()):
            return PlainTextResponse(
                "Send the token of ASSISTANT_METRICS_TOKEN: 'Authorization: Bearer TOKEN'.\n",
                HTTPStatus.UNAUTHORIZED,
                {"WWW-Authenticate": "Bearer"},
            )
        return Response(await self._scrape(), media_type=_TYPE, headers={"Cache-Control": "no-store"})


async def counted_socket(
    serve: Callable[[WebSocket], Awaitable[None]],
    websocket: tuple[Scope, Receive, Send],
    route: str,
    telemetry: "TenantTelemetry",
) -> None:
    """Serve one websocket, and count it as one of this route."""
    scope, receive, send = websocket
    accepted, code = False, None

    async def heard() -> Message:
        nonlocal code
        message = await receive()
        if message["type"] == "websocket.disconnect" and message.get("code") in _BY_WEB_SERVER:
            code = code or int(message["code"])
        return message

    async def watched(message: Message) -> None:
        nonlocal accepted, code
        if message["type"] == "websocket.accept":
            accepted = True
            telemetry.socket_accepted(route)
        elif message["type"] == "websocket.close":
            code = int(message.get("code", 1000))
        await send(message)

    try:
        await serve(WebSocket(scope, heard, watched))
    finally:
        if accepted:
            telemetry.socket_closed(route, code)
        else:
            telemetry.socket_refused(route)
