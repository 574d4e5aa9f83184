"""Puts the door together: the websocket, the health check, the page."""

from pathlib import Path

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp

from assistant.errors import LogError
from assistant.server.attachments.routes import attachment_routes
from assistant.server.documents.for_customers import upload_routes
from assistant.server.documents.for_operators import archive_routes
from assistant.server.door import Door
from assistant.server.frame import frame_page
from assistant.server.handoff_hook import handoff_hook
from assistant.server.hosts import KnownHosts
from assistant.server.operators.customers import customer_routes
from assistant.server.operators.requests import operator_requests
from assistant.server.pages import Pages, folders
from assistant.server.phone.exchange import exchange_of
from assistant.server.phone.routes import phone_routes
from assistant.server.sockets import Sockets

log = structlog.get_logger(__name__)


def build_server(door: Door, *, web_dir: Path | None = None) -> ASGIApp:
    """The application.

    ``web_dir`` holds the widget's bundle (``dist``) and the pages (``page``); None serves neither.
    """
    # Sockets stand before everything that a framework keeps beside each request: they stay for hours.
    whole = Sockets(_requests(door, web_dir), door)
    return whole if door.hosts is None else KnownHosts(whole, door.hosts)


def _requests(door: Door, web_dir: Path | None) -> FastAPI:
    app = FastAPI(title="Meanwhile", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_exception_handler(RequestValidationError, _unfit)
    app.add_exception_handler(LogError, _not_recorded)

    @app.get("/healthz")
    async def healthz() -> dict[str, str | bool]:  # pyright: ignore[reportUnusedFunction]
        about = door.about("en")
        return {"status": "ok", "model": about.model, "demo": about.demo}

    if door.attachments is not None:
        app.include_router(attachment_routes(door.attachments))
    app.include_router(upload_routes(door))
    if door.operators is not None:
        app.include_router(operator_requests(door.operators))
        if door.archive is not None:
            app.include_router(archive_routes(door.archive, door.operators))
        if door.customers is not None:
            app.include_router(customer_routes(door.customers, door.operators))
    if door.phone is not None:
        app.include_router(phone_routes(exchange_of(door, door.phone)))
    if door.hook is not None:
        app.include_router(handoff_hook(door.hook))
    if web_dir is not None:
        _add_frame(app, web_dir / "page" / "frame.html", door)
        app.mount("/", Pages(folders(web_dir), door.origins))
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


def _add_frame(app: FastAPI, file: Path, door: Door) -> None:
    if not file.is_file():
        return

    @app.get("/frame")
    def frame(request: Request) -> HTMLResponse:  # pyright: ignore[reportUnusedFunction]
        return frame_page(file, request.headers.get("host", ""), door.origins)
