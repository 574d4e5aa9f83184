"""A fast model server in a process of its own, for measuring what is in front of it.

It speaks streamed chat completions on loopback. A request with tools that does not end with results gets a
decision, two calls without arguments; any other gets an answer. The model's name says how fast:
``fake-t300-i10-a150-n30`` is 300 ms to the first token, 10 ms between tokens, 150 ms between a call's name
and its arguments, 30 tokens; what the name leaves out is 0, and 30 tokens. What is not delayed comes in one
write, the kindest case; ``x1`` gives every event a write of its own.
"""

import argparse
import asyncio
import re
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import cast

import uvloop

from tests.support.fake_model import openai_events
from tests.support.fake_model.request_checks import read_request

TOOLS = ("list_upcoming_appointments", "get_open_invoices")
ANSWER = ("You have ", "an appointment ", "on Tuesday ", "at 2 pm, ", "and you ", "owe ", "$150. ")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

Write = tuple[float, bytes]
"""Seconds to wait, and what to write then."""


@contextmanager
def fake_model() -> Generator[str]:
    """Run the server beside this process; gives the base URL of its API."""
    command = [sys.executable, "-m", "benchmarks.fake_model"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        finally:
            server.terminate()


@lru_cache
def writes(model: str, *, decides: bool) -> tuple[Write, ...]:
    """What goes out for a model's name, from the head of the answer to its last byte."""
    says = {letter: int(number) for letter, number in re.findall(r"-([a-z])(\d+)", model)}
    first, between, thinks = (says.get(letter, 0) / 1000 for letter in "tia")
    timed: list[Write] = [
        (first, openai_events.delta({"role": "assistant", "content": None if decides else ""}))
    ]
    if decides:
        for index, tool in enumerate(TOOLS):
            name, arguments = openai_events.call(index, tool)
            timed += [(0.0, name), (thinks, arguments)]
    else:
        words = [ANSWER[n % len(ANSWER)] for n in range(says.get("n", 30))]
        timed += [(between if n else 0.0, word) for n, word in enumerate(openai_events.text(*words))]
    timed += [(0.0, event) for event in openai_events.ending("tool_calls" if decides else "stop")]
    framed = [(delay, b"%x\r\n%b\r\n" % (len(event), event)) for delay, event in timed]
    return tuple(_joined([(0.0, HEAD), *framed, (0.0, b"0\r\n\r\n")], apart=bool(says.get("x"))))


def _joined(timed: list[Write], *, apart: bool) -> Iterator[Write]:
    """Join what comes without a delay."""
    wait, held = timed[0]
    for delay, data in timed[1:]:
        if delay or apart:
            yield wait, held
            wait, held = delay, data
        else:
            held += data
    yield wait, held


def ends_with_results(messages: Sequence[Mapping[str, object]]) -> bool:
    """Whether the last messages are results. An assistant may add instructions after them, as a user or system."""
    roles = [message["role"] for message in messages if message["role"] not in ("user", "system")]
    return roles[-1:] == ["tool"]


class Connection(asyncio.Protocol):
    """Answers request after request of one client."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client came."""
        self._out = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client went."""
        if self._timer:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer, once the request is complete."""
        self._buffer += data
        request = read_request(self._buffer)
        if request is not None:
            body = request.body
            decides = "tools" in body and not ends_with_results(body["messages"])
            self._play(iter(writes(body["model"], decides=decides)))

    def _play(self, left: Iterator[Write]) -> None:
        for wait, data in left:
            if wait:
                self._timer = self._loop.call_later(wait, self._later, data, left)
                return
            self._out.write(data)

    def _later(self, data: bytes, left: Iterator[Write]) -> None:
        self._out.write(data)
        self._play(left)


async def serve(port: int, seconds: float) -> None:
    """Serve for so long; the port is printed once it is open."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(seconds)
    server.close()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, default=0, help="0: any that is free")
    options.add_argument("--seconds", type=float, default=600, help="how long to serve")
    chosen = options.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(chosen.port, chosen.seconds))
