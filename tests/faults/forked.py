"""Starts servers by copying a process that has already imported the program (``fork``).

A start takes a quarter of the processor's time then, so that a test can kill a server hundreds of times. A
copied process has no open connection, no thread and no event loop of another one: it starts as any server
does, only without reading the program's files.
"""

import asyncio
import json
import os
import select
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ctypes import CDLL
from importlib import import_module
from pathlib import Path

from assistant.prompts.book import PromptBook
from assistant.shipped import shipped

_LOOK_S = 0.01
_PR_SET_PDEATHSIG = 1
_PROGRAM = (
    "assistant.commands.serve",
    "assistant.store.postgres.job_worker",
    "assistant.store.postgres.storage",
    "assistant.store.sqlite.storage",
)


class ForkedProcess:
    """A server. Has what a test uses of a subprocess.

    ``returncode`` is None while it runs; after a signal it is the signal's number, negative.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()

    def end(self, code: int) -> None:
        """Remember that it has ended."""
        self.returncode = code
        self._ended.set()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def send_signal(self, how: signal.Signals) -> None:
        """Send it a signal; does nothing after its end."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, how)

    async def wait(self) -> int:
        """Wait for its end; gives the exit code."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode


class Launcher:
    """The process that is copied. Use ``open`` and ``close`` in one event loop."""

    def __init__(self) -> None:
        self._children: dict[int, ForkedProcess] = {}

    async def open(self, folder: Path, environment: Mapping[str, str]) -> None:
        """Start it in this folder, with this environment."""
        self._process: Process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.faults.forked"),
            cwd=folder,
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},  # a process with threads cannot be copied
            stdin=PIPE,
            stdout=PIPE,
        )
        self._started = asyncio.Queue[ForkedProcess]()
        self._one_at_a_time = asyncio.Lock()
        self._reading = asyncio.create_task(self._read())

    async def start(self, arguments: Sequence[str], output: Path, errors: Path) -> ForkedProcess:
        """Start a copy that runs the command ``assistant``; its output and errors are added to these files."""
        assert self._process.stdin is not None
        order = {"arguments": [*arguments], "output": str(output), "errors": str(errors)}
        async with self._one_at_a_time:
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            async with asyncio.timeout(60):
                return await self._started.get()

    async def close(self) -> None:
        """End it, and all copies with it."""
        self._reading.cancel()
        self._process.kill()
        await self._process.wait()
        # The pipes belong to this event loop and must be closed before the loop ends.
        self._process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            what, pid, code = line.decode().split()
            if what == "started":
                child = self._children[int(pid)] = ForkedProcess(int(pid))
                self._started.put_nowait(child)
            else:
                self._children.pop(int(pid)).end(int(code))


def launch() -> None:
    """Read orders from the standard input, one line of JSON each, until it is closed."""
    for name in _PROGRAM:
        import_module(name)
    PromptBook.load(shipped("prompts"))  # the compiled templates are kept
    while True:
        if select.select([0], [], [], _LOOK_S)[0]:
            line = _line()
            if not line:
                return
            order = json.loads(line)
            assert len([*Path("/proc/self/task").iterdir()]) == 1, "a process with threads cannot be copied"
            pid = os.fork()
            if pid == 0:
                _serve(order)
            print("started", pid, 0, flush=True)
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                print("ended", ended[0], os.waitstatus_to_exitcode(ended[1]), flush=True)


def _line() -> bytes:
    """One line of the standard input, without a buffer that ``select`` does not see."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return line


def _serve(order: Mapping[str, str | list[str]]) -> None:
    """Be a server, and end with this process."""
    CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for name, number in (("output", 1), ("errors", 2)):
        os.dup2(os.open(str(order[name]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    from assistant.cli import main

    sys.argv = ["assistant", *order["arguments"]]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    launch()
