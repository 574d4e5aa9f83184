"""A server controlled by the test: the page's files, and frames over the websocket."""

import asyncio
import json
import mimetypes
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from pathlib import Path
from typing import TypeAlias, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

WEB = Path(__file__).resolve().parents[2] / "web"
FOLDERS = (WEB / "dist", WEB / "page", WEB)
PATIENCE_S = 5.0
HEARD_RATE = 16_000
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"

Value: TypeAlias = "str | int | bool | list[Value] | dict[str, Value] | None"
Frame: TypeAlias = dict[str, Value]

ASSISTANT: Frame = {
    "name": "Robin",
    "greeting": "Hello, this is Robin. What can I do for you?",
    "starters": ["Check my appointments and billing", "When are you open?"],
    "disclosure": "You are talking to an automated assistant.",
    "note": "demo model, English only",
}


class Line:
    """One websocket, seen from the server's end of it."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket
        self.sound: list[bytes] = []
        """The frames of the page's microphone that this server has received."""

    async def hears(self, type_: str) -> Frame:
        """The next frame from the page, which must be of this type; what may come at any time is passed over."""
        while True:
            frame = json.loads(await self._text())
            if frame["type"] in {"ping", "seen"} - {type_}:
                continue
            assert frame["type"] == type_, f"expected {type_}, heard {frame}"
            return frame

    async def says(self, *frames: Frame) -> None:
        """Send these frames, in order."""
        for frame in frames:
            await self._socket.send(json.dumps(frame))

    async def listens(self, seconds: float) -> bytes:
        """So much of what the microphone hears from now on; nothing else may be said meanwhile."""
        heard = b""
        while len(heard) < seconds * 2 * HEARD_RATE:
            told = await asyncio.wait_for(self._socket.recv(), PATIENCE_S)
            assert isinstance(told, bytes), f"expected sound, heard {told}"
            heard += told
        return heard

    async def speaks(self, number: int, sound: bytes, *, rate: int = 24_000, **about: Value) -> None:
        """Send a clip in pieces of a tenth of a second; ``about`` says what of which message it says."""
        clip: Frame = {"type": "audio.clip", "clip": number, "rate": rate, "message_id": None}
        await self.says(clip | {"start": 0, "end": 0} | about)
        piece = rate // 10 * 2
        for at in range(0, len(sound), piece):
            await self._socket.send(number.to_bytes(4, "little") + sound[at : at + piece])
        await self.says({"type": "audio.clip_end", "clip": number, "ms": len(sound) * 500 // rate})

    async def is_closed(self) -> int:
        """Wait until the page hangs up; the close code."""
        await asyncio.wait_for(self._socket.wait_closed(), PATIENCE_S)
        return self._socket.close_code or 0

    async def says_raw(self, text: str) -> None:
        """Send what may be no frame at all."""
        await self._socket.send(text)

    async def hears_but(self, passed_over: str, type_: str) -> Frame:
        """The next frame, which must be of this type or of the one that is passed over."""
        while True:
            frame = json.loads(await self._text())
            if frame["type"] != passed_over:
                assert frame["type"] == type_, f"expected {type_}, heard {frame}"
                return frame

    async def says_bytes(self, sound: bytes) -> None:
        """Send what may be no sound at all."""
        await self._socket.send(sound)

    async def _text(self) -> str:
        """The next that is no sound; that is kept."""
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(told := await self._socket.recv(), bytes):
                self.sound.append(told)
        return told

    def cut(self) -> None:
        """Lose the connection without a word."""
        self._socket.transport.abort()

    async def close(self, code: int) -> None:
        """Close with a code."""
        await self._socket.close(code)


class FakeServer:
    """Listens on loopback. Each websocket that opens becomes a `Line` for the test to play."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[Line] = asyncio.Queue()
        self._done = asyncio.Event()
        self.port = 0
        self.away = False
        """Refuse websockets, as a server does that is being restarted."""
        self.asked: list[str] = []
        """What was fetched, in order: addresses without their queries."""
        self.hosts: dict[str, tuple[str, str]] = {}
        """Pages of another web site: for each path, its HTML and its content security policy."""

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def waiting(self) -> int:
        """How many websockets have opened that no test has asked for."""
        return self._lines.qsize()

    async def line(self) -> Line:
        """The next websocket that opens."""
        return await asyncio.wait_for(self._lines.get(), PATIENCE_S)

    async def welcomed(self, resumed: str = "new", **changes: Value) -> Line:
        """The next websocket, greeted with a hello and a welcome."""
        line = await self.line()
        await line.hears("hello")
        await line.says(welcome(resumed, **changes))
        return line

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["FakeServer"]:
        """Serve for as long as the block runs."""
        async with serve(
            self._play,
            "127.0.0.1",
            0,
            process_request=self._answer,
            subprotocols=[Subprotocol("meanwhile.v1")],
            compression=None,
            close_timeout=1,
        ) as server:
            self.port = _port(server)
            yield self
            self._done.set()
            # Browsers open connections in advance, and may send nothing over them; no one else would close those.
            for silent in [one for one in server.all_connections if one.state is State.CONNECTING]:
                silent.transport.abort()

    async def _play(self, socket: ServerConnection) -> None:
        assert socket.subprotocol == "meanwhile.v1"
        await self._lines.put(Line(socket))
        done = asyncio.ensure_future(self._done.wait())
        gone = asyncio.ensure_future(socket.wait_closed())
        await asyncio.wait({done, gone}, return_when=asyncio.FIRST_COMPLETED)
        done.cancel()
        await socket.close()
        await gone

    def _answer(self, _socket: ServerConnection, request: Request) -> Response | None:
        path = request.path.split("?")[0]
        self.asked.append(path)
        if path == "/v1/ws":
            return _response(HTTPStatus.SERVICE_UNAVAILABLE, b"", "text/plain") if self.away else None
        if path in self.hosts:
            html, policy = self.hosts[path]
            return _response(HTTPStatus.OK, html.encode(), "text/html", policy)
        name = path.lstrip("/") or "index.html"
        for file in (folder / name for folder in FOLDERS):
            if file.is_file():
                mime = mimetypes.guess_type(file.name)[0] or "text/plain"
                return _response(HTTPStatus.OK, file.read_bytes(), mime)
        return _response(HTTPStatus.NOT_FOUND, b"", "text/plain")


def welcome(resumed: str = "new", **changes: Value) -> Frame:
    """A welcome to conversation ``k1`` in epoch ``e1``."""
    frame: Frame = {
        "type": "welcome",
        "conversation_id": "k1",
        "token": "t1",
        "expires_at": 1_800_000_000_000,
        "customer": {"id": "v1", "level": "anonymous", "name": None},
        "epoch": "e1",
        "seq": 0,
        "resumed": resumed,
        "developer": False,
        "notices": False,
        "max_text": 4000,
        "assistant": ASSISTANT,
    }
    return frame | changes


def _port(server: Server) -> int:
    sockets = list(server.sockets)
    return cast("int", sockets[0].getsockname()[1])


def _response(status: HTTPStatus, body: bytes, mime: str, policy: str = POLICY) -> Response:
    headers = Headers()
    headers["Content-Type"] = f"{mime}; charset=utf-8" if mime.startswith("text/") else mime
    headers["Content-Length"] = str(len(body))
    headers["Content-Security-Policy"] = policy
    headers["Access-Control-Allow-Origin"] = "*"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)
