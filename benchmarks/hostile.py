"""What other customers notice of a model that writes without end: ``python -m benchmarks.hostile``.

A model server of its own streams far too much, in several shapes. One customer asks; another one, in the same
server, sends a ping every 110 ms. The figures are the pong that took longest and how long the turn took.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from benchmarks.load.running import served
from benchmarks.websocket import HOSTED
from tests.support.fake_model import openai_events
from tests.support.fake_model.request_checks import read_request

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
MIB = 2**20
SHAPES = {
    "words": "We have many frames. ",
    "one word": "x",
    "line ends": "\n",
    "claims": "I've cancelled it and I will ",
    "amounts": "It costs $12.50 on 24.11. at 2 pm, ",
    "tables": "| a | b |\n|---|---|\n",
    "brackets": "[({<**__",
}


def reply(model: str) -> Iterator[bytes]:
    """The stream that a model's name asks for: ``hostile.<shape>.<MiB>.<characters an event>``."""
    _, shape, size, each = model.split(".")
    if shape == "calls":
        for index in range(int(size) * 1000):
            yield b"".join(openai_events.call(index, "get_open_invoices"))
        return
    text = SHAPES[shape.replace("_", " ")]
    piece = (text * (int(each) // len(text) + 1))[: int(each)]
    (event,) = openai_events.text(piece)
    block = event * max(1, 65_536 // len(event))
    for _ in range(int(size) * MIB // (len(piece) * max(1, 65_536 // len(event))) + 1):
        yield block


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer one request, as fast as the client reads."""
    buffer = bytearray()
    while (request := read_request(buffer)) is None:
        buffer += await reader.read(65_536)
    writer.write(HEAD)
    try:
        for block in reply(request.body["model"]):
            writer.write(block)
            await writer.drain()
        for event in openai_events.ending("stop"):
            writer.write(event)
        await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def serve_model() -> None:
    """Serve for ten minutes at most; the port is printed once it is open."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.sleep(600)


@contextmanager
def hostile_model() -> Generator[str]:
    """Run the model server; gives the base URL of its API."""
    command = [sys.executable, "-m", "benchmarks.hostile", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.terminate()


async def client(url: str) -> ClientConnection:
    """One customer, welcomed."""
    socket = await connect(url, subprotocols=[Subprotocol("meanwhile.v1")], proxy=None, open_timeout=60)
    await socket.send('{"type":"hello"}')
    assert b'"welcome"' in await socket.recv(decode=False)
    return socket


async def longest_pong_ms(socket: ClientConnection, until: asyncio.Event) -> float:
    """Ping every 110 ms until the other customer's turn is over."""
    longest = 0.0
    while not until.is_set():
        began = time.perf_counter()
        await socket.send('{"type":"ping"}')
        while b'"pong"' not in await socket.recv(decode=False):
            pass
        longest = max(longest, time.perf_counter() - began)
        await asyncio.sleep(0.11)
    return longest * 1000


async def measure(model: str, base_url: str, folder: Path) -> None:
    """One shape: print the longest pong, the turn's time, and what the customer was shown."""
    # Without voice: its models are read in threads at the start, which keeps others waiting, too.
    settings = {
        **HOSTED,
        "ASSISTANT_MODEL": f"openai/{model}",
        "OPENAI_BASE_URL": base_url,
        "ASSISTANT_VOICE": "false",
    }
    with served(folder, **settings) as server:
        asks, pings = await client(server.url), await client(server.url)
        over = asyncio.Event()
        longest = asyncio.create_task(longest_pong_ms(pings, over))
        began, shown = time.perf_counter(), 0
        await asks.send('{"type":"message","id":"m1","text":"Tell me about your frames"}')
        async with asyncio.timeout(180):
            while b'"turn.completed"' not in (frame := await asks.recv(decode=False)):
                shown += len(frame)
        took = time.perf_counter() - began
        over.set()
        print(
            f"{model:28} turn {took:6.2f} s, longest pong {await longest:7.1f} ms, "
            f"{shown / 1024:7.0f} KiB of frames, {server.mib():5.0f} MiB"
        )
        await asks.close()
        await pings.close()


async def main(size: int) -> None:
    """Measure every shape, in small and in large events."""
    with hostile_model() as url, tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            for each in (20, 1_000_000):
                await measure(f"hostile.{shape.replace(' ', '_')}.{size}.{each}", url, Path(folder))
        await measure("hostile.calls.5.0", url, Path(folder))


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--serve", action="store_true", help="be the model server")
    options.add_argument("--mib", type=int, default=20, help="how much text each reply has")
    chosen = options.parse_args()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve_model() if chosen.serve else main(chosen.mib))
