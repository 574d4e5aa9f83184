"""A wire between browser and server that a test can cut."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class Relay:
    """Listens on loopback and passes every byte on to another port there, both ways."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: set[asyncio.StreamWriter] = set()
        self.port = 0

    @property
    def url(self) -> str:
        """Where the server is to be had through the wire."""
        return f"http://127.0.0.1:{self.port}/"

    def cut(self) -> None:
        """Lose everything that is connected; what connects afterwards gets through again."""
        for end in self._ends:
            end.transport.abort()

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
        await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))
        self._ends -= both


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
