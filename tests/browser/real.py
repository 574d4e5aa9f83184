"""The real assistant, served as an operator would."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

ROOT = Path(__file__).resolve().parents[2]
START_S = 60.0
_LOOKS_S = 0.5


@asynccontextmanager
async def served(data: Path, **settings: str) -> AsyncGenerator[int]:
    """Serve for as long as the block runs; gives the port that was free. ``settings`` are environment variables.

    A first visitor has been answered already. The embedded model is loaded behind a server that is ready, and
    who comes before it is there is told to wait: rightly, but that is not what these tests are about.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "serve", "--port", "0"),
        cwd=ROOT,
        env=os.environ | {"ASSISTANT_DATA_DIR": str(data)} | settings,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        ready = (await asyncio.wait_for(process.stdout.readline(), START_S)).decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", ready)
        assert found, f"the assistant did not say where it is: {ready!r}"
        port = int(found[1])
        async with asyncio.timeout(START_S):
            await _answered(port, "When are you open?")
        yield port
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def can_speak(port: int) -> None:
    """Switch a microphone on, and wait until the speech models are loaded."""
    address, protocol = f"ws://127.0.0.1:{port}/v1/ws", [Subprotocol("meanwhile.v1")]
    async with asyncio.timeout(START_S), connect(address, subprotocols=protocol, proxy=None) as socket:
        await socket.send(orjson.dumps({"type": "hello"}).decode())
        await socket.send(orjson.dumps({"type": "audio.start"}).decode())
        while (frame := orjson.loads(await socket.recv()))["type"] != "audio.ready":
            assert frame["type"] != "error", frame


async def _answered(port: int, text: str) -> None:
    """A visitor without a browser says this, and stays until the turn is over."""
    address, protocol = f"ws://127.0.0.1:{port}/v1/ws", [Subprotocol("meanwhile.v1")]
    async with connect(address, subprotocols=protocol, proxy=None) as socket:
        await socket.send(orjson.dumps({"type": "hello"}).decode())
        await socket.send(orjson.dumps({"type": "message", "id": "m1", "text": text}).decode())
        while orjson.loads(await socket.recv())["type"] != "turn.completed":
            pass
