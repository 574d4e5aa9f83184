"""Serves the files of the pages: their types, their caching, and their content security policy."""

import os
import re
from collections.abc import Collection, Sequence
from html import escape
from os import PathLike, stat_result
from pathlib import Path, PurePath

from fastapi import Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.datastructures import Headers
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketClose

from assistant.server.origins import origin_allowed

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
"""Listed here, because a machine's own table may give ``.js`` a type that browsers refuse to run."""

_HASHED = re.compile(r"[-.]([0-9A-Z]{8}|[0-9a-f]{8,64})\.[a-z0-9]+$")
"""A file whose name contains the hash of its content, such as ``icons-0A1B2C3D.js``: it never changes."""

_HOST = re.compile(r"[A-Za-z0-9.\-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")


def content_security_policy(host: str, ancestors: Sequence[str] = ()) -> str:
    """The content security policy of a page: everything from this server, nothing inline, sockets to this
    host only.

    ``ancestors`` are other origins whose pages may show it in a frame.

    >>> content_security_policy("127.0.0.1:8000").partition("connect-src ")[2].partition(";")[0]
    "'self' ws://127.0.0.1:8000 wss://127.0.0.1:8000"
    """
    # Not every browser accepts 'self' for the websockets of the same host.
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
    shown_by = " ".join(("'self'", *ancestors))
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; frame-ancestors {shown_by}"
    )


def page_headers(host: str, ancestors: Sequence[str] = ()) -> dict[str, str]:
    """The headers of each page and file; the arguments are the same as those of the policy."""
    return {
        "Content-Security-Policy": content_security_policy(host, ancestors),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",  # cached, but validated: a new release is loaded immediately
    }


def folders(web: Path) -> Sequence[Path]:
    """The folders in which files are searched, in order: ``dist``, ``page``, and ``web`` if one of the two is not
    complete.
    """
    bundle, pages = web / "dist", web / "page"
    complete = (bundle / "meanwhile-chat.js").is_file() and (pages / "index.html").is_file()
    return [*filter(Path.is_dir, (bundle, pages)), *([] if complete else [web])]


class Pages(StaticFiles):
    """Serves the files of several folders under addresses without the folder; ``index.html`` is the page.

    Args:
        directories: at least one. A file is read from the first directory that has it.
        origins: web origins whose pages may load the widget's modules from here.
    """

    def __init__(self, directories: Sequence[Path], origins: Collection[str]) -> None:
        super().__init__(directory=directories[0], html=True)
        self.all_directories = list(directories)
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Websockets are refused, because they have another address."""
        if scope["type"] == "websocket":
            await WebSocketClose()(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def file_response(
        self, full_path: str | PathLike[str], stat_result: stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """One file with its type and policy; an empty response if the browser has it cached."""
        asked = Headers(scope=scope)
        kind = TYPES.get(PurePath(full_path).suffix.lower(), "application/octet-stream")
        response: Response = FileResponse(
            full_path, status_code=status_code, media_type=kind, stat_result=stat_result
        )
        response.headers.update(self._headers(asked))
        if _HASHED.search(os.fspath(full_path)):
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return NotModifiedResponse(response.headers) if self._known(response, asked) else response

    def _known(self, response: Response, asked: Headers) -> bool:
        return self.is_not_modified(response.headers, asked)

    def _headers(self, asked: Headers) -> dict[str, str]:
        host, origin = asked.get("host", ""), asked.get("origin")
        headers = page_headers(host) | {"Vary": "Origin"}
        if origin is not None and origin_allowed(origin, host, self._origins):
            headers["Access-Control-Allow-Origin"] = origin
        return headers


_NO_SITES = '<meta name="meanwhile-origins" content="">'


def frame_page(file: Path, host: str, origins: Collection[str]) -> HTMLResponse:
    """The page for iframes. Only listed sites may show it and send it messages.

    Args:
        file: the page as it was written; it allows no site to send it messages.
        host: the host name of the request.
        origins: the sites' origins, in the form that browsers send.
    """
    listed = sorted(origins)
    sites = f'<meta name="meanwhile-origins" content="{escape(" ".join(listed))}">'
    html = file.read_text(encoding="utf-8").replace(_NO_SITES, sites)
    return HTMLResponse(html, headers=page_headers(host, ancestors=listed))
