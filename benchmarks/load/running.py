"""Starts the server in a process of its own, and looks at that process from outside."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import psutil

TOOLS = '''"""Two tools that answer at once."""

from assistant import Customer, tool


@tool(waiting_hint="looking up your appointments")
async def list_upcoming_appointments(customer: Customer) -> dict[str, object]:
    """List the customer's appointments."""
    return {"appointments": [{"id": "a-17", "when": "2026-12-01T14:00", "with": "Dr. Lee"}]}


@tool(waiting_hint="checking your billing")
async def get_open_invoices(customer: Customer) -> dict[str, object]:
    """List the customer's unpaid invoices."""
    return {"invoices": [{"id": "i-301", "amount": "150.00", "due": "2026-11-30"}]}
'''


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is ready. ``ready_s``: from its start to its ready line, in seconds."""

    process: psutil.Process
    url: str
    ready_s: float
    output: IO[str]

    def cpu_s(self) -> float:
        """The CPU time it has used so far, all threads."""
        times = self.process.cpu_times()
        return times.user + times.system

    def mib(self) -> float:
        """Its resident memory."""
        return self.process.memory_info().rss / 2**20

    def forget_stalls(self) -> None:
        """Begin a new measure of its loop."""
        self.process.send_signal(signal.SIGUSR1)

    def stalls(self) -> Mapping[str, float]:
        """``looks``, ``p999`` and ``longest`` since then, in ms."""
        self.process.send_signal(signal.SIGUSR2)
        while not (line := self.output.readline()).startswith("{"):  # the server prints a console link, too
            if not line:
                raise EOFError("the server has ended")
        return json.loads(line)


@contextmanager
def served(folder: Path, **settings: str) -> Generator[Served]:
    """Run the server in this folder, which gets a data folder and, once, two tools of its own."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "bench.py").write_text(TOOLS, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
    environment |= {"ASSISTANT_DATA_DIR": str(folder / "data"), "ASSISTANT_TOOLS_DIR": str(tools)}
    environment |= {"PYTHONPATH": str(Path(__file__).parents[2])} | settings
    command = [sys.executable, "-m", "benchmarks.load.served"]
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment, cwd=folder
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            ready_s = time.perf_counter() - began
            (port,) = re.findall(
                r"http://\S+:(\d+)", line
            )  # of several tenants, each has a host name of its own
            url = f"ws://127.0.0.1:{port}/v1/ws"
            yield Served(psutil.Process(process.pid), url, ready_s, process.stdout)
        finally:
            process.terminate()
