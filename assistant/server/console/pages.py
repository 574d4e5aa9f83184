"""The console's page and its files, under ``/console``."""

import os
from pathlib import Path, PurePath
from stat import S_ISREG

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse
from starlette.datastructures import Headers
from starlette.types import Scope

from assistant.server.console.access import PREFIX_KEY
from assistant.server.pages import TYPES, Pages, page_headers

_OFF = "The console is switched off on this server (ASSISTANT_CONSOLE=false).\n"
_NOT_BUILT = "This installation has no pages for the console: its files were not built. Run `make web`.\n"


class ConsolePages(Pages):
    """The files of the console's bundle. A path that is no file is a view, which the page itself shows.

    Args:
        folder: the bundle.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__([folder], ())
        self._page = folder / "index.html"

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or the page."""
        _, found = self.lookup_path(path)
        if found is not None and S_ISREG(found.st_mode):
            return await super().get_response(path, scope)
        if PurePath(path).suffix in TYPES:
            raise HTTPException(404)
        # Under another path than its own, the page's files are there, too.
        html = self._page.read_text(encoding="utf-8").replace(
            '"/console/', f'"{scope.get(PREFIX_KEY, "")}/console/'
        )
        return HTMLResponse(html, headers=self._headers(Headers(scope=scope)))

    def _headers(self, asked: Headers) -> dict[str, str]:
        """No other page may show the console in a frame, or keep a reference to its window."""
        headers = page_headers(asked.get("host", ""))
        policy = headers["Content-Security-Policy"].replace(
            "frame-ancestors 'self'", "frame-ancestors 'none'"
        )
        return headers | {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin"}


def add_console_pages(app: FastAPI, folder: Path, *, on: bool) -> None:
    """Serve the console's page; if it is off, or without its bundle, say so."""
    pages = ConsolePages(folder) if on and (folder / "index.html").is_file() else None

    @app.api_route("/console", methods=["GET", "HEAD"])
    @app.api_route("/console/{path:path}", methods=["GET", "HEAD"])
    async def page(request: Request, path: str = "") -> Response:  # pyright: ignore[reportUnusedFunction]
        if path == "api" or path.startswith("api/"):
            raise HTTPException(404)
        if pages is None:
            return PlainTextResponse(_NOT_BUILT if on else _OFF, 404)
        return await pages.get_response(os.path.normpath(path), request.scope)
