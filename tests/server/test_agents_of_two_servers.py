"""Two real servers on one database: agents, limits and messages of customers who are connected to either."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.faults.servers import Installation, Server

TOKEN = "operators-of-the-shop-0123456789abcdef"


@pytest.fixture
def installation(tmp_path: Path, database: str) -> Installation:
    settings = {
        "ASSISTANT_DATABASE": database,
        "ASSISTANT_OPERATOR_TOKEN": TOKEN,
        "ASSISTANT_MESSAGES_PER_MINUTE": "6",
    }
    return Installation(tmp_path, settings)


class Page:
    """One websocket, and all frames that have come over it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self.frames = socket, list[dict[str, Any]]()

    async def send(self, **frame: str) -> None:
        await self._socket.send(orjson.dumps(frame).decode())

    async def until(self, **wanted: object) -> dict[str, Any]:
        """The next frame with these fields."""
        while True:
            frame: dict[str, Any] = orjson.loads(await self._socket.recv())
            self.frames.append(frame)
            if all(frame.get(name) == value for name, value in wanted.items()):
                return frame


@asynccontextmanager
async def customer(server: Server, token: str | None = None) -> AsyncGenerator[tuple[Page, str]]:
    address, protocol = f"ws://127.0.0.1:{server.port}/v1/ws", Subprotocol("meanwhile.v1")
    async with connect(address, subprotocols=[protocol], proxy=None) as socket:
        page = Page(socket)
        hello = {"type": "hello", "token": token}
        await socket.send(orjson.dumps({name: value for name, value in hello.items() if value}).decode())
        welcome = await page.until(type="welcome")
        yield page, welcome["token"]


@asynccontextmanager
async def agent(server: Server, name: str) -> AsyncGenerator[Page]:
    address, protocol = f"ws://127.0.0.1:{server.port}/v1/operators/ws", Subprotocol("meanwhile.operators.v1")
    async with connect(address, subprotocols=[protocol], proxy=None) as socket:
        page = Page(socket)
        await page.send(type="hello", token=TOKEN, name=name)
        yield page


@pytest.mark.slow
async def test_agents_and_limits_work_across_servers(installation: Installation) -> None:
    async with installation.running(2) as (here, elsewhere), customer(here) as (ana, token):
        async with agent(elsewhere, "Lea") as lea:
            assert (await lea.until(type="welcome"))["conversations"] == []
            await ana.send(type="message", id="m1", text="I want to talk to a person")
            waiting = await lea.until(type="conversation")
            while waiting["conversation"]["state"] != "queued":
                waiting = await lea.until(type="conversation")
            which = waiting["conversation"]["conversation_id"]
            assert waiting["conversation"]["last_text"] == "I want to talk to a person"

            await lea.send(type="accept", conversation_id=which)
            await ana.until(type="handoff.updated", state="accepted")
            await lea.send(type="say", conversation_id=which, id="a1", text="Hello, this is Lea.")
            said = await ana.until(type="person.message")
            assert said["text"] == "Hello, this is Lea."
            await ana.send(type="message", id="m2", text="Thank you, Lea")
            heard = await lea.until(type="message")
            while heard["message"]["from"] != "customer" or heard["message"]["message_id"] != "m2":
                heard = await lea.until(type="message")
            assert heard["message"]["text"] == "Thank you, Lea"

            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
                address = f"http://127.0.0.1:{elsewhere.port}/v1/operators/conversations"
                listed = await (await http.get(address)).json()
                assert [one["name"] for one in listed["conversations"]] == ["Lea"]
            await lea.send(type="end", conversation_id=which)
            await ana.until(type="handoff.updated", state="ended")

        # Two of six messages are said. She says four more through the other server, and no seventh anywhere.
        async with customer(elsewhere, token) as (again, _):
            for number in range(3, 7):
                await again.send(type="message", id=f"m{number}", text="What are your opening hours?")
                await again.until(type="accepted", id=f"m{number}")
                await again.until(type="turn.completed")
            await ana.send(type="message", id="m7", text="And on Sundays?")
            refused = await ana.until(type="rejected", id="m7")
            assert refused["code"] == "rate_limited"
