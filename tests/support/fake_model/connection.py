"""A fake provider server, and one HTTP connection of it."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, assert_never, cast

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


class FakeServer(ABC):
    """A server on loopback. Use it as a context manager; ``url`` is the base of its API.

    Args:
        clock: measures the pauses in replies.
        base: the path of its API.
    """

    def __init__(self, clock: Clock, base: str = "/v1") -> None:
        self.connections = 0
        self.signs = Signs()
        self._clock, self._base = clock, base
        self._open: list[Connection] = []

    @property
    def url(self) -> str:
        """The base URL of the API, with the free port that was taken. Only available inside the context."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}{self._base}"

    async def __aenter__(self) -> Self:
        self._server: asyncio.Server = await asyncio.get_running_loop().create_server(
            self._connect, "127.0.0.1", 0
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in self._open:
            connection.end()
        await self._server.wait_closed()

    def _connect(self) -> Connection:
        self.connections += 1
        connection = Connection(self._answer, self._clock, self.signs)
        self._open.append(connection)
        return connection

    @abstractmethod
    def _answer(self, request: Received) -> Reply:
        """Returns the reply to a request."""
