"""A client for the server's tests: a widget without a page."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any, TypeAlias

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from tests.server.running_server import RunningServer

Frame: TypeAlias = dict[str, Any]


class Client:
    """A widget without a page: keeps the cursor, the token and what it heard."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server
        server.guests.append(self)
        self._ws: ClientConnection | None = None
        self.token: str | None = None
        self.epoch: str | None = None
        self.cursor = 0
        self.heard: list[Frame] = []

    @property
    def ws(self) -> ClientConnection:
        assert self._ws is not None
        return self._ws

    async def dial(self, **options: Any) -> None:
        """Open a new socket in place of the previous one, and send nothing."""
        await self.leave()
        options = {"subprotocols": [Subprotocol("meanwhile.v1")], "max_queue": None, **options}
        address = options.pop("uri", f"ws://127.0.0.1:{self._server.port}/v1/ws")
        self._ws = await connect(address, compression=None, proxy=None, **options)

    async def enter(self, **hello: Any) -> Frame:
        """Say hello as a client does that has been here before, if it has; returns the welcome."""
        await self.dial()
        known = {"token": self.token, "epoch": self.epoch, "last_seq": self.cursor}
        await self.say(type="hello", **{**known, **hello})
        welcome = await self.hear()
        assert welcome["type"] == "welcome", welcome
        self.token, self.epoch = welcome["token"], welcome["epoch"]
        return welcome

    async def say(self, **frame: Any) -> None:
        await self.ws.send(orjson.dumps(frame).decode())

    async def says(self, id_: str, text: str = "Hello") -> None:
        await self.say(type="message", id=id_, text=text)

    async def hear(self) -> Frame:
        async with asyncio.timeout(60):
            frame: Frame = orjson.loads(await self.ws.recv())
        if "seq" in frame and frame["type"] != "welcome":
            self.cursor = max(self.cursor, frame["seq"])
        self.heard.append(frame)
        return frame

    async def hears(self, count: int) -> list[Frame]:
        return [await self.hear() for _ in range(count)]

    async def hears_until(self, type_: str) -> list[Frame]:
        """What it hears up to the first frame of this type, which is the last."""
        frames = [await self.hear()]
        while frames[-1]["type"] != type_:
            frames.append(await self.hear())
        return frames

    async def hears_nothing_more(self) -> bool:
        """Whether the answer to a ping is the next thing it hears."""
        await self.say(type="ping", id="end")
        return await self.hear() == {"type": "pong", "id": "end"}

    async def leave(self) -> None:
        if self._ws is not None:
            await self._ws.close()

    async def reads_to_the_end(self) -> int:
        """Hear everything that was still sent; the close code."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.hear()
        return await self.is_shown_out()

    async def is_shown_out(self) -> int:
        """Read to the end; the close code."""
        async with asyncio.timeout(60):
            await self.ws.wait_closed()
        assert self.ws.close_code is not None
        return self.ws.close_code


def bare(frame: Mapping[str, Any]) -> Frame:
    """A frame without its number and time."""
    return {name: value for name, value in frame.items() if name not in {"seq", "at"}}
