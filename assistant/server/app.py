"""The application: its routes, the websocket, and the pages."""

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.errors import LogError
from assistant.server.attachments import attachment_routes
from assistant.server.client_faults import is_worth_logging
from assistant.server.console.live import FRAMES_PER_MINUTE as CONSOLE_FRAMES
from assistant.server.console.live import PATH as CONSOLE_PATH
from assistant.server.console.live import serve_console_page
from assistant.server.console.pages import add_console_pages
from assistant.server.console.routes import console_routes
from assistant.server.limits import Limits, RateLimits, TokenBuckets, WrongTokens
from assistant.server.metrics_route import counted_socket
from assistant.server.operators.handoff_events import handoff_event_routes
from assistant.server.operators.routes import operator_routes
from assistant.server.operators.stored_data import archive_routes, customer_routes
from assistant.server.operators.websocket import PATH as OPERATORS_PATH
from assistant.server.operators.websocket import serve_operator
from assistant.server.origins import HostCheck
from assistant.server.pages import Pages, folders, frame_page
from assistant.server.phone.routes import SOCKETS, connector_of, phone_routes
from assistant.server.phone.websocket import serve_call
from assistant.server.readiness import readiness_routes
from assistant.server.server_context import ServerContext
from assistant.server.slow_requests import bounded_http
from assistant.server.uploads import upload_routes
from assistant.server.websocket import serve_socket

if TYPE_CHECKING:
    import uvicorn


def uvicorn_config(
    app: ASGIApp, *, host: str = "127.0.0.1", port: int = 8000, limits: Limits | None = None
) -> "uvicorn.Config":
    """The web server's configuration. ``uvicorn.Server(serving(app)).serve()`` runs it."""
    import uvicorn

    logging.getLogger("uvicorn.error").addFilter(is_worth_logging)
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=(limits or Limits()).frame_bytes,
        ws_per_message_deflate=False,  # needs 33 KiB for each connection, and saves little on small frames
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # we use our own in assistant.server.proxies
        http=bounded_http(limits or Limits()),
        timeout_graceful_shutdown=5,
    )


PATH = "/v1/ws"

_ROUTES = {PATH: "chat", OPERATORS_PATH: "operators", CONSOLE_PATH: "console"}
"""The names of sockets in metrics; those of the phone have several paths."""


class WebSocketRoutes:
    """Serves ``/v1/ws``, and the websockets of operators, console and phone if they are on.

    Passes all other requests on.

    ``sockets`` has the handler of each path.
    """

    def __init__(self, app: ASGIApp, context: ServerContext) -> None:
        self._app, self._telemetry = app, context.telemetry
        self.sockets: dict[str, Callable[[WebSocket], Awaitable[None]]] = {
            PATH: partial(
                serve_socket, context=context, rates=RateLimits(context.limits, context.clock, context.rates)
            )
        }
        if (operators := context.operators) is not None:
            self.sockets[OPERATORS_PATH] = partial(serve_operator, context=context, operators=operators)
        if (console := context.console) is not None:
            self.sockets[CONSOLE_PATH] = partial(
                serve_console_page, console=console, frames=TokenBuckets(CONSOLE_FRAMES, console.clock)
            )
        if (phone := context.phone) is not None:
            self.sockets[SOCKETS[phone.via]] = partial(
                serve_call, context=context, phone=phone, wrong_signatures=WrongTokens(context.clock)
            )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"]
        serve = self.sockets.get(path) if scope["type"] == "websocket" else None
        if serve is not None and self._telemetry is not None:
            route = _ROUTES.get(path, "phone")
            await counted_socket(serve, (scope, receive, send), route, self._telemetry)
        elif serve is not None:
            await serve(WebSocket(scope, receive, send))
        else:
            await self._app(scope, receive, send)


log = structlog.get_logger(__name__)


def build_server(context: ServerContext, *, web_dir: Path | None = None) -> ASGIApp:
    """Build the web application.

    ``web_dir`` holds the widget's bundle (``dist``) and the pages (``page``). With None neither is served.
    """
    # Websockets are handled before the framework's layers, which would keep objects for each of them for hours.
    whole = WebSocketRoutes(_requests(context, web_dir), context)
    return whole if context.hosts is None else HostCheck(whole, context.hosts)


def _requests(context: ServerContext, web_dir: Path | None) -> FastAPI:
    app = FastAPI(title="Meanwhile", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(LogError, _not_recorded)

    @app.get("/healthz")
    async def healthz() -> dict[str, str | bool]:  # pyright: ignore[reportUnusedFunction]
        about = context.about("en")
        return {"status": "ok", "model": about.model, "demo": about.demo}

    if context.readiness is not None:
        _add(app, readiness_routes(context.readiness))
    if context.attachments is not None:
        _add(app, attachment_routes(context.attachments))
    _add(
        app,
        upload_routes(
            context.uploads,
            context.tokens,
            origins=context.origins,
            limits=context.limits,
            clock=context.clock,
            rates=context.rates,
        ),
    )
    if context.operators is not None:
        _add(app, operator_routes(context.operators))
        if context.archive is not None:
            _add(app, archive_routes(context.archive, context.operators))
        if context.customers is not None:
            _add(app, customer_routes(context.customers, context.operators))
    if context.phone is not None:
        _add(app, phone_routes(connector_of(context, context.phone)))
    if context.hook is not None:
        _add(app, handoff_event_routes(context.hook))
    if context.console is not None:
        _add(app, console_routes(context.console))
    if web_dir is not None:
        add_console_pages(app, web_dir / "dist" / "console", on=context.console is not None)
        _add_frame(app, web_dir / "page" / "frame.html", context)
        app.mount("/", Pages(folders(web_dir), context.origins))
    return app


def _add(app: FastAPI, router: APIRouter) -> None:
    """Add a router's routes. ``include_router`` would analyse each of them again, at the first request."""
    app.router.routes += router.routes


async def _unfit(_: Request, error: Exception) -> JSONResponse:
    """The errors of a request without its values: half a character or NaN in them cannot be sent back as JSON."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - it is registered for no other
    detail = [
        {"type": one["type"], "loc": [_writable(part) for part in one["loc"]], "msg": _writable(one["msg"])}
        for one in error.errors()
    ]
    return JSONResponse({"detail": detail}, 422)


def _writable(part: int | str) -> int | str:
    return part.encode("utf-8", "replace").decode() if isinstance(part, str) else part


async def _not_recorded(_: Request, error: Exception) -> JSONResponse:
    log.warning("a request could not be followed", why=str(error))
    return JSONResponse({"code": "busy", "message": str(error)}, 503, {"Retry-After": "5"})


def _add_frame(app: FastAPI, file: Path, context: ServerContext) -> None:
    if not file.is_file():
        return

    @app.get("/frame")
    def frame(request: Request) -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return frame_page(file, request.headers.get("host", ""), context.origins)
