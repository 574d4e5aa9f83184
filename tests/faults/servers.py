"""Servers of one installation, each a process that a test can kill, freeze and start again."""

import asyncio
import os
import re
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.forked import ForkedProcess, Launcher

ROOT = Path(__file__).parents[2]
_READY = re.compile(r"http://127\.0\.0\.1:(\d+)")

# A side effect that can be counted: one line each time it happens.
_TOOL = '''
import asyncio
import os

from assistant import ToolContext, tool


@tool(
    effect="write",
    trusted=True,
    waiting_hint="placing your order",
    narration="It is ordered.",
    examples=["order item 7"],
)
async def place_order(item: str, context: ToolContext) -> str:
    """Place an order.

    Args:
        item: what is ordered
    """
    line = f"{context.key} {item} {os.getpid()}\\n"
    with open("effects", "a") as effects:
        effects.write(line)
    await asyncio.sleep(0.1)
    return item
'''


@dataclass(frozen=True, slots=True)
class Effect:
    """A side effect: in which call, what was ordered, in which process."""

    key: str
    item: str
    process: int


@dataclass(slots=True)
class Server:
    """One server. ``port`` is that of its newest process."""

    name: str
    port: int = 0
    process: Process | ForkedProcess | None = None

    @property
    def pid(self) -> int:
        """The id of its newest process."""
        assert self.process is not None
        return self.process.pid

    async def kill(self) -> None:
        """End the process with SIGKILL, so that it cannot clean up."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    def tell(self, how: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process is not None
        self.process.send_signal(how)

    async def ended(self, within_s: float) -> int:
        """Wait for its end; gives the exit code. Raises ``TimeoutError`` if it does not end in time."""
        assert self.process is not None
        async with asyncio.timeout(within_s):
            return await self.process.wait()


@dataclass(slots=True)
class Installation:
    """A project folder, and the servers that run in it.

    Args:
        folder: an empty folder.
        settings: environment variables of each server.
        changes: folders with a ``sitecustomize.py`` that introduces a fault into the program.
        many_starts: servers are copies of one process, for tests that start hundreds of them.
    """

    folder: Path
    settings: dict[str, str]
    changes: list[Path] = field(default_factory=list[Path])
    many_starts: bool = False
    servers: list[Server] = field(default_factory=list[Server])
    _launcher: Launcher | None = None

    def __post_init__(self) -> None:
        (self.folder / "tools").mkdir()
        (self.folder / "knowledge").mkdir()
        (self.folder / "tools" / "orders.py").write_text(_TOOL)

    def effects(self) -> list[Effect]:
        """The side effects so far."""
        file = self.folder / "effects"
        lines = [line.split() for line in file.read_text().splitlines()] if file.exists() else []
        return [Effect(key, item, int(process)) for key, item, process in lines]

    def told(self, server: Server) -> str:
        """What a server has written to its standard error so far."""
        return (self.folder / f"{server.name}.log").read_text()

    async def start(self, server: Server) -> None:
        """Start it, also again after its end, and wait until it is ready."""
        if self._launcher is not None:
            await self._start_copy(server, self._launcher)
            return
        command = [sys.executable, "-m", "assistant", "serve", "--port", "0"]
        if (setpriv := shutil.which("setpriv")) is not None:  # so that it ends with the tests in any case
            command = [setpriv, "--pdeathsig", "KILL", *command]
        with (self.folder / f"{server.name}.log").open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self.folder,
                env=self._environment(),
                stdout=PIPE,
                stderr=errors,
            )
        server.process = process
        async with asyncio.timeout(120):
            assert process.stdout is not None
            ready = (await process.stdout.readline()).decode()
        found = _READY.search(ready)
        assert found, self.told(server)
        server.port = int(found[1])

    async def _start_copy(self, server: Server, launcher: Launcher) -> None:
        output = self.folder / f"{server.name}.out"
        output.unlink(missing_ok=True)
        serve = ("serve", "--port", "0")
        server.process = await launcher.start(serve, output, self.folder / f"{server.name}.log")
        async with asyncio.timeout(120):
            while (found := _READY.search(output.read_text() if output.exists() else "")) is None:
                assert server.process.returncode is None, self.told(server)
                await asyncio.sleep(0.02)
        server.port = int(found[1])

    async def run(self, *arguments: str) -> str:
        """Run a command in the project folder; returns what it prints. It must succeed."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "assistant", *arguments),
            cwd=self.folder,
            env=self._environment(),
            stdout=PIPE,
            stderr=STDOUT,
        )
        printed, _ = await process.communicate()
        assert process.returncode == 0, printed.decode()
        return printed.decode()

    def _environment(self) -> dict[str, str]:
        mine = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
        return {
            **mine,
            "PYTHONPATH": os.pathsep.join([*map(str, self.changes), str(ROOT)]),
            "COLUMNS": "200",
            "PYTHONFAULTHANDLER": "1",
            "ASSISTANT_VOICE": "false",
            "ASSISTANT_KNOWLEDGE_DIR": "knowledge",
            "ASSISTANT_MESSAGES_PER_MINUTE": "10000",
            **self.settings,
        }

    @asynccontextmanager
    async def running(self, number: int) -> AsyncGenerator[list[Server]]:
        """Run this number of servers, and kill them at the end, also processes that were started later."""
        self.servers = [Server(f"server-{one}") for one in range(number)]
        if self.many_starts:
            self._launcher = Launcher()
            await self._launcher.open(self.folder, self._environment())
        try:
            async with asyncio.TaskGroup() as starts:
                for server in self.servers:
                    starts.create_task(self.start(server))
            yield self.servers
        finally:
            for server in self.servers:
                if server.process is None:
                    continue
                await server.kill()
                if isinstance(server.process, Process):
                    # The pipe belongs to this event loop and must be closed before the loop ends.
                    server.process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            if self._launcher is not None:
                await self._launcher.close()
                self._launcher = None
