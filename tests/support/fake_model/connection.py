"""One HTTP connection of a fake provider server."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import assert_never, cast

from assistant.ports import Clock
from tests.support.fake_model.replies import Fault, Refuses, Reply, Streams, Wait
from tests.support.fake_model.request_checks import Received, read_request


@dataclass
class Signs:
    """Events that a test can wait for."""

    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)


class Connection(asyncio.Protocol):
    """Answers one request after another, until the client or a reply closes the connection."""

    def __init__(self, answer: Callable[[Received], Reply], clock: Clock, signs: Signs) -> None:
        self._answer = answer
        self._clock = clock
        self._signs = signs
        self._buffer = bytearray()
        self._playing: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note the new connection."""
        self._out = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Collect the bytes of a request, and answer it once it is complete."""
        self._buffer += data
        if self._playing is None and (request := read_request(self._buffer)) is not None:
            self._playing = asyncio.ensure_future(self._play(self._answer(request)))

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the client or the server closed the connection."""
        if self._playing is not None:
            self._playing.cancel()
            self._signs.hung_up.set()

    def end(self) -> None:
        """Close the connection from the server's side."""
        if self._playing is not None:
            self._playing.cancel()
            self._playing = None
        self._out.abort()

    async def _play(self, reply: Reply) -> None:
        match reply:
            case Streams():
                await self._stream(reply)
            case Refuses():
                await self._refuse(reply)
            case _:
                assert_never(reply)
        self._playing = None
        self.data_received(b"")

    async def _stream(self, reply: Streams) -> None:
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {reply.content_type}\r\ntransfer-encoding: chunked\r\n\r\n"
        self._out.write(head.encode())
        for step in reply.steps:
            match step:
                case bytes():
                    self._out.write(b"%x\r\n%b\r\n" % (len(step), step))
                    await self._clock.sleep(0)
                case Wait(seconds=seconds):
                    await self._clock.sleep(seconds)
                case Fault.STALL:
                    await self._stall()
                case Fault.CUT:
                    self._playing = None
                    self._out.abort()
                    return
                case _:
                    assert_never(step)
        if not reply.ends:
            await self._stall()
        self._out.write(b"0\r\n\r\n")

    async def _refuse(self, reply: Refuses) -> None:
        body = reply.body or b""
        length = len(body) if reply.body is not None else 100
        headers = {"content-type": "application/json", "content-length": str(length), **reply.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._out.write(f"HTTP/1.1 {reply.status} Refused\r\n{lines}\r\n".encode() + body)
        if reply.body is None:
            await self._stall()

    async def _stall(self) -> None:
        self._signs.stalled.set()
        await asyncio.Event().wait()
