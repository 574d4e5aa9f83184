"""Starts Temporal's development server for the duration of a test, on a free port of loopback."""

import asyncio
import shutil
import socket
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from temporalio.client import Client

START_S = 60.0


@dataclass(slots=True)
class TemporalServer:
    """A server that can be stopped and started; ``folder`` keeps the work that it has accepted."""

    folder: Path
    port: int
    process: Process | None = None

    @property
    def address(self) -> str:
        """The value for ``ASSISTANT_TEMPORAL``."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        program = Path(sys.executable).with_name("temporal")
        command = [str(program), "server", "start-dev", "--headless", "--ip", "127.0.0.1"]
        command += ["--port", str(self.port), "--db-filename", str(self.folder / "temporal.db")]
        command += ["--log-level", "error"]
        if (setpriv := shutil.which("setpriv")) is not None:  # so that it ends with the tests in any case
            command = [setpriv, "--pdeathsig", "KILL", *command]
        self.process = await asyncio.create_subprocess_exec(*command, stdout=DEVNULL, stderr=DEVNULL)
        async with asyncio.timeout(START_S):
            while True:
                try:
                    await Client.connect(self.address)
                except RuntimeError:
                    await asyncio.sleep(0.2)
                else:
                    return

    async def stop(self) -> None:
        """End it immediately."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


def free_port() -> int:
    """A port that is free at this moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@asynccontextmanager
async def temporal_server(folder: Path, *, started: bool = True) -> AsyncGenerator[TemporalServer]:
    """Run a server and stop it at the end."""
    server = TemporalServer(folder, free_port())
    try:
        if started:
            await server.start()
        yield server
    finally:
        await server.stop()
