"""Puts the door together: the websocket, the health check, the page."""

from pathlib import Path

from fastapi import FastAPI, WebSocket

from assistant.server.door import Door
from assistant.server.pages import Pages, folders
from assistant.server.socket import serve_socket


def build_server(door: Door, *, web_dir: Path | None = None) -> FastAPI:
    """The application.

    ``web_dir`` holds the widget's bundle (``dist``) and the pages (``page``); None serves neither.
    """
    app = FastAPI(title=door.about.name, docs_url=None, redoc_url=None, openapi_url=None)

    @app.websocket("/v1/ws")
    async def socket(websocket: WebSocket) -> None:  # pyright: ignore[reportUnusedFunction]
        await serve_socket(websocket, door)

    @app.get("/healthz")
    async def healthz() -> dict[str, str | bool]:  # pyright: ignore[reportUnusedFunction]
        return {"status": "ok", "model": door.about.model, "demo": door.about.demo}

    if web_dir is not None:
        app.mount("/", Pages(folders(web_dir), door.origins))
    return app
