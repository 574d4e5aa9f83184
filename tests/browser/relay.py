"""A connection between browser and server that a test can cut."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager


class Relay:
    """Listens on loopback and passes every byte on to another port there, both ways."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: set[asyncio.StreamWriter] = set()
        self._fuses: Iterator[int] = iter(())
        self._fuse: int | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """Where the server is to be had through the wire."""
        return f"http://127.0.0.1:{self.port}/"

    def cut(self) -> None:
        """Lose everything that is connected; what connects afterwards gets through again."""
        for end in self._ends:
            end.transport.abort()

    def cut_after(self, fuses: Iterator[int]) -> None:
        """Cut the connection after each next number of bytes from the server, until there is no next number."""
        self._fuses = fuses
        self._fuse = next(fuses, None)

    def _burn(self, length: int) -> None:
        if self._fuse is None:
            return
        self._fuse -= length
        if self._fuse <= 0:
            self._fuse = next(self._fuses, None)
            self.cut()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Relay"]:
        """Relay for as long as the block runs."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        async with server:
            self.port = int(server.sockets[0].getsockname()[1])
            yield self
            server.close()
            self.cut()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        both = {writer, far_writer}
        self._ends |= both
        await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer, self._burn))
        self._ends -= both


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passed: Callable[[int], None] = lambda _: None
) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
            passed(len(data))
    except ConnectionError:
        pass
    finally:
        writer.close()
