"""The web server, which leaves it to its caller when to stop."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn


class WebServer(uvicorn.Server):
    """Serves until ``should_exit`` is set; then clients are told to come back (1012), and ``serve`` returns.

    ``ready`` is set once it listens. By itself the web server would hear the process's signals in our place,
    and end the process with them before anything else is closed.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say so."""
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave the process's signals alone."""
        yield
