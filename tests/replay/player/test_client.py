"""The customer's client, tested against a server that a test plays."""

import asyncio
from typing import Any

import orjson

from assistant.replay.player.client import Client
from assistant.replay.player.server import MemoryConnection
from assistant.server.frames.frame import JsonFrame, encode
from assistant.testing.virtual_time import VirtualClock, run_virtually

WELCOME: JsonFrame = {"type": "welcome", "token": "t", "epoch": "1", "seq": 0, "resumed": "new"}


class Server:
    """Keeps what it is told on each line, and says what a test wants."""

    def __init__(self) -> None:
        self.lines: list[MemoryConnection] = []
        self.told: list[list[dict[str, Any]]] = []
        self.failures: list[str] = []
        self.client = Client("en", VirtualClock(), self.serve, self.failures.append)

    async def serve(self, line: MemoryConnection) -> None:
        heard: list[dict[str, Any]] = []
        self.lines.append(line)
        self.told.append(heard)
        while (message := await line.receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                heard.append(orjson.loads(message["text"]))

    async def says(self, frame: JsonFrame) -> None:
        await self.lines[-1].send({"type": "websocket.send", "text": encode(frame)})
        await asyncio.sleep(0)

    async def hears(self) -> list[str]:
        """The types of what came on the newest line."""
        await asyncio.sleep(0.01)
        return [frame["type"] for frame in self.told[-1]]


def test_messages_before_the_welcome_wait_for_it_on_each_connection() -> None:
    async def scene() -> None:
        server = Server()
        client = server.client
        for _ in range(2):
            client.connect()
            client.send_message("m1", "Hello", None)
            assert not client.send("cancel")
            assert await server.hears() == ["hello"]
            await server.says(WELCOME)
            assert await server.hears() == ["hello", "message"]
            client.disconnect()
            await client.wait_until_disconnected()

    run_virtually(scene())


def test_it_reconnects_with_its_state_and_repeats_unaccepted_messages() -> None:
    async def scene() -> None:
        server = Server()
        client = server.client
        client.connect()
        await server.hears()
        await server.says(WELCOME)
        client.send_message("m1", "One", "de")
        client.send_message("m2", "Two", None)
        await server.says({"type": "accepted", "seq": 7, "id": "m1", "text": "One", "at": 0})
        await server.says({"type": "accepted", "seq": 3, "id": "m0", "text": "Zero", "at": 0})
        client.disconnect()
        client.connect()
        await server.hears()
        await server.says(WELCOME)
        await server.hears()

        hello, again = server.told[-1]
        assert hello == {"type": "hello", "locale": "en", "token": "t", "epoch": "1", "last_seq": 7}
        assert again == {"type": "message", "id": "m2", "text": "Two", "locale": None}
        client.disconnect()
        await client.wait_until_disconnected()

    run_virtually(scene())


def test_nothing_is_received_on_a_cut_connection() -> None:
    async def scene() -> None:
        server = Server()
        server.client.connect()
        await server.hears()
        assert server.client.disconnect()
        assert not server.client.disconnect()
        await server.says(WELCOME)
        await server.lines[-1].send({"type": "websocket.close", "code": 1011, "reason": "broken"})
        await server.client.receive_rest()
        await server.client.wait_until_disconnected()

        assert server.client.frames == []
        assert server.failures == []

    run_virtually(scene())


def test_it_waits_for_frames_in_transit_without_showing_how() -> None:
    async def scene() -> None:
        server = Server()
        server.client.connect()
        await server.hears()
        await server.says(WELCOME)
        waiting = asyncio.create_task(server.client.receive_rest())
        assert await server.hears() == ["hello", "ping"]
        await server.says({"type": "turn.completed", "seq": 9, "turn_id": "t1", "how": "answered"})
        assert not waiting.done()
        await server.says({"type": "pong", "id": "end"})
        await waiting

        assert [heard.frame["type"] for heard in server.client.frames] == ["welcome", "turn.completed"]
        server.client.disconnect()
        await server.client.wait_until_disconnected()

    run_virtually(scene())


def test_waiting_for_a_missing_client_ends() -> None:
    async def scene() -> None:
        client = Server().client
        await client.wait_until_disconnected()
        assert not client.disconnect()

    run_virtually(scene())
