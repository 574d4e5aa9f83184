"""The web application: websockets, health check, routes, pages, and how it is served."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from assistant.errors import LogError
from assistant.server.attachments import attachment_routes
from assistant.server.limits import Limits, RateLimits
from assistant.server.operators.customers import customer_routes
from assistant.server.operators.documents import archive_routes
from assistant.server.operators.handoff_events import handoff_event_routes
from assistant.server.operators.routes import operator_routes
from assistant.server.operators.websocket import PATH as OPERATORS_PATH
from assistant.server.operators.websocket import serve_operator
from assistant.server.origins import HostCheck
from assistant.server.pages import Pages, folders, frame_page
from assistant.server.phone.routes import SOCKETS, connector_of, phone_routes
from assistant.server.phone.websocket import serve_call
from assistant.server.server_context import ServerContext
from assistant.server.uploads import upload_routes
from assistant.server.websocket import serve_socket

if TYPE_CHECKING:
    import uvicorn


def uvicorn_config(
    app: ASGIApp, *, host: str = "127.0.0.1", port: int = 8000, limits: Limits | None = None
) -> "uvicorn.Config":
    """The web server's configuration. ``uvicorn.Server(serving(app)).serve()`` runs it."""
    import uvicorn

    logging.getLogger("uvicorn.error").addFilter(_is_true)
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        ws="websockets-sansio",
        ws_max_size=(limits or Limits()).frame_bytes,
        ws_per_message_deflate=False,  # costs 33 KiB a connection, and gains little on small frames
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )


def _is_true(record: logging.LogRecord) -> bool:
    """Whether the web server complains with reason: a socket that was refused with an answer is complete."""
    return "without completing handshake" not in str(record.msg)


PATH = "/v1/ws"


class WebSocketRoutes:
    """Answers ``/v1/ws``; where there are operators or a phone, theirs, too; passes everything else on."""

    def __init__(self, app: ASGIApp, context: ServerContext) -> None:
        self._app, self._context = app, context
        self._rates = RateLimits(context.limits, context.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        place = scope["path"] if scope["type"] == "websocket" else ""
        operators, phone = self._context.operators, self._context.phone
        if place == PATH:
            await serve_socket(WebSocket(scope, receive, send), self._context, self._rates)
        elif place == OPERATORS_PATH and operators is not None:
            await serve_operator(WebSocket(scope, receive, send), self._context, operators)
        elif phone is not None and place == SOCKETS[phone.via]:
            await serve_call(WebSocket(scope, receive, send), self._context, phone)
        else:
            await self._app(scope, receive, send)


log = structlog.get_logger(__name__)


def build_server(context: ServerContext, *, web_dir: Path | None = None) -> ASGIApp:
    """The application.

    ``web_dir`` holds the widget's bundle (``dist``) and the pages (``page``); None serves neither.
    """
    # Websockets are taken before the framework's layers, which would be kept for each: they stay open for hours.
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

    if context.attachments is not None:
        app.include_router(attachment_routes(context.attachments))
    app.include_router(
        upload_routes(
            context.uploads,
            context.tokens,
            origins=context.origins,
            limits=context.limits,
            clock=context.clock,
        )
    )
    if context.operators is not None:
        app.include_router(operator_routes(context.operators))
        if context.archive is not None:
            app.include_router(archive_routes(context.archive, context.operators))
        if context.customers is not None:
            app.include_router(customer_routes(context.customers, context.operators))
    if context.phone is not None:
        app.include_router(phone_routes(connector_of(context, context.phone)))
    if context.hook is not None:
        app.include_router(handoff_event_routes(context.hook))
    if web_dir is not None:
        _add_frame(app, web_dir / "page" / "frame.html", context)
        app.mount("/", Pages(folders(web_dir), context.origins))
    return app


async def _unfit(_: Request, error: Exception) -> JSONResponse:
    """What does not fit, without what was sent: half a character or NaN in it cannot be sent back as JSON."""
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
