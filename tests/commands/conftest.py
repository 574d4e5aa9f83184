"""The program as its operator runs it: as processes, with their own folders."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

Frame: TypeAlias = dict[str, Any]

ROOT = Path(__file__).parents[2]

SLOW_TOOL = '''
import asyncio
from pathlib import Path

from assistant import tool


@tool(waiting_hint="counting your points", narration="You have {{ value }} points.", examples=["count my points"])
async def count_points() -> int:
    """Count the points, once the file ``gate`` is there."""
    while not Path("gate").exists():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.3)  # longer than the web server takes to stop
    return 7
'''


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is ready."""

    process: Process
    port: int

    @asynccontextmanager
    async def visited(self, **hello: str | int) -> AsyncGenerator[ClientConnection]:
        """A client's socket, the hello said."""
        address = f"ws://127.0.0.1:{self.port}/v1/ws"
        protocol = [Subprotocol("meanwhile.v1")]
        async with connect(address, subprotocols=protocol, proxy=None, compression=None) as socket:
            await socket.send(orjson.dumps({"type": "hello", **hello}).decode())
            yield socket

    def tell(self, how: signal.Signals) -> None:
        """Send the process a signal."""
        self.process.send_signal(how)

    async def end(self) -> tuple[int, str]:
        """Its exit code, and what it wrote to standard error.

        Fails with the stacks of its threads if it does not end within a minute.
        """
        ending = asyncio.create_task(self.process.communicate())
        _, late = await asyncio.wait({ending}, timeout=60)
        if late:
            self.process.send_signal(signal.SIGABRT)  # faulthandler writes the stacks
        _, errors = await ending
        assert not late, errors.decode()
        assert self.process.returncode is not None
        return self.process.returncode, errors.decode()


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """A folder in which the program is started."""

    folder: Path

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    @property
    def gate(self) -> Path:
        """As long as this file is missing, the slow tool waits."""
        return self.folder / "gate"

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the tester's own settings, and no documents."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
        nothing = {"ASSISTANT_KNOWLEDGE_DIR": os.environ["ASSISTANT_KNOWLEDGE_DIR"]}
        return {
            **mine,
            **nothing,
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "200",
            "PYTHONFAULTHANDLER": "1",
            "ASSISTANT_NOW": "2026-11-21T10:00",
        }

    def with_the_slow_tool(self) -> "ProjectFolder":
        """Instead of the demo's tools."""
        (self.folder / "tools").mkdir()
        (self.folder / "tools" / "slow.py").write_text(SLOW_TOOL)
        return self

    async def start(self, *words: str, **settings: str) -> Process:
        """Run ``assistant`` with these words and settings."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "assistant", *words),
            cwd=self.folder,
            env={**self.environment, **settings},
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
        )

    async def run(self, *words: str, typed: str = "", **settings: str) -> tuple[int, str, str]:
        """Run it to its end: exit code, output, errors."""
        process = await self.start(*words, **settings)
        async with asyncio.timeout(60):
            output, errors = await process.communicate(typed.encode())
        assert process.returncode is not None
        return process.returncode, output.decode(), errors.decode()

    @asynccontextmanager
    async def serving(self, **settings: str) -> AsyncGenerator[Served]:
        """A server on any free port; killed in the end, if nothing else has stopped it."""
        process = await self.start("serve", "--port", "0", **settings)
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            async with asyncio.timeout(60):
                ready = (await process.stdout.readline()).decode()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", ready)
            assert found, (await process.stderr.read()).decode()
            yield Served(process, int(found[1]))
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            # The pipes belong to this loop: they must not outlive it.
            process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.fixture
def premises(tmp_path: Path) -> ProjectFolder:
    """An empty folder."""
    return ProjectFolder(tmp_path)


async def heard(socket: ClientConnection, kind: str) -> Frame:
    """The next frame of this kind."""
    async with asyncio.timeout(20):
        while True:
            frame: Frame = orjson.loads(await socket.recv())
            if frame["type"] == kind:
                return frame


@contextmanager
def signals_left_alone() -> Generator[None]:
    """Whatever the block does to the handlers of signals, it is as before afterwards."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
