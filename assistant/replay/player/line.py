"""A websocket without a network: what one side says lies at the other side's door at once."""

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from starlette.types import Message, Scope

from assistant.server.app import PATH
from assistant.server.frames.frame import Wire, encode
from assistant.server.websocket import SUBPROTOCOL

GONE = 1006
"""The close code of a line that was cut without a word."""


class Line:
    """One connection of a client to the door, as the web server would hand it over.

    Args:
        hear: takes every frame that the server sends, as it came.
        hung_up: is told why, when the server closes.
    """

    def __init__(self, hear: Callable[[str], None], hung_up: Callable[[str], None]) -> None:
        self._hear, self._hung_up = hear, hung_up
        self._to_server: asyncio.Queue[Message] = asyncio.Queue()
        self._to_server.put_nowait({"type": "websocket.connect"})
        self._up = True

    @property
    def scope(self) -> Scope:
        """What the web server tells of the connection: a page of this machine's own."""
        return {
            "type": "websocket",
            "path": PATH,
            "headers": [(b"host", b"localhost")],
            "subprotocols": [SUBPROTOCOL],
            "client": None,
        }

    def say(self, frame: Wire) -> None:
        """Send a frame to the server."""
        self._to_server.put_nowait({"type": "websocket.receive", "text": encode(frame)})

    def cut(self) -> None:
        """Break the connection: what the server has not been heard saying by now, nobody hears."""
        self._up = False
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": GONE})

    async def receive(self) -> Message:
        """What the server hears."""
        return await self._to_server.get()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """What the server says; lost when the line is cut."""
        if not self._up:
            return
        if message["type"] == "websocket.send":
            self._hear(message["text"])
        elif message["type"] == "websocket.close":
            self._hung_up(f"{message['code']} {message.get('reason')}")
