"""A network between servers and their database that can be cut, slowed, or closed in one direction."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class Proxy:
    """Connects a port on loopback with a socket in the file system, in both directions.

    Args:
        path: the path of that socket.
    """

    path: str
    port: int = 0
    delay_s: float = 0.0
    _pairs: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = field(
        default_factory=list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]]
    )
    _tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["Proxy"]:
        """Listen for the duration of the block."""
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self.cut()

    def cut(self) -> None:
        """Close all connections."""
        for both in self._pairs:
            for writer in both:
                writer.transport.abort()
        self._pairs.clear()

    def close_towards_servers(self) -> None:
        """Close the database's side of all connections; what servers send still arrives."""
        for towards_server, _ in self._pairs:
            with suppress(OSError, RuntimeError):
                towards_server.write_eof()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            back, on = await asyncio.open_unix_connection(self.path)
        except OSError:
            writer.transport.abort()
            return
        self._pairs.append((writer, on))
        for source, sink in ((reader, on), (back, writer)):
            task = asyncio.create_task(self._pass_on(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pass_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError, RuntimeError):
            while data := await source.read(65536):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                sink.write(data)
                await sink.drain()
        sink.close()
