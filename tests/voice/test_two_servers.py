"""A customer speaks in the browser, and the server of the socket ends: the conversation continues at another."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from assistant.conversation.customer import ConversationKey
from assistant.testing.script import says
from tests.server.phone.company import TENANT, Company
from tests.server.phone.two_servers import Servers
from tests.support.spoken_chat import silence, speech

PICK_UP = "You can pick them up at our shop in Park Street. "
HOURS = "We are there from dawn to dusk. "
BRING = "Please bring your order number with you."
HEARD = (("Are my glasses ready?",), ("On Saturdays, too?",))


class Page:
    """The widget without a page: it plays what it is sent, says so, and connects again as the widget does."""

    def __init__(self) -> None:
        self.token: str | None = None
        self.epoch, self.cursor = "", 0
        self.frames = list[dict[str, Any]]()
        self._ws: ClientConnection | None = None
        self._speaks = 0

    @asynccontextmanager
    async def connected(self, server: Company) -> AsyncGenerator["Page"]:
        """Connect to this server, say hello, and switch the microphone on."""
        address, protocol = f"ws://127.0.0.1:{server.port}/v1/ws", Subprotocol("meanwhile.v1")
        async with connect(address, subprotocols=[protocol], compression=None, proxy=None) as self._ws:
            self._clips: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
            known = {"token": self.token, "epoch": self.epoch, "last_seq": self.cursor} if self.token else {}
            await self.send(type="hello", **known)
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(self._read())
                others = [tasks.create_task(self._play()), tasks.create_task(self._listen())]
                await self.start()
                yield self
                await self._ws.close()
                for task in others:
                    task.cancel()
                await reading

    async def says(self, *, then_s: float) -> None:
        """Speak for half a second, and listen."""
        self._speaks = 5
        await asyncio.sleep(then_s)

    def conversation(self) -> ConversationKey:
        """The key of the conversation that this page shows."""
        welcome = next(frame for frame in self.frames if frame["type"] == "welcome")
        customer = welcome["customer"]["id"]
        return ConversationKey(tenant=TENANT, customer=customer, conversation=welcome["conversation_id"])

    @property
    def text(self) -> str:
        """What the assistant has written so far on the page."""
        return "".join(frame["text"] for frame in self.frames if frame["type"] == "message.delta")

    @property
    def heard(self) -> list[int]:
        """How far each message was heard, as the server says; without the beginnings."""
        told = (frame["up_to"] for frame in self.frames if frame["type"] == "message.heard")
        return [up_to for up_to in told if up_to]

    async def closed(self) -> int:
        """Wait until the server closes; gives the code."""
        await self._socket.wait_closed()
        return self._socket.close_code or 0

    @property
    def _socket(self) -> ClientConnection:
        assert self._ws is not None
        return self._ws

    async def start(self) -> None:
        """Switch the microphone on."""
        await self.send(type="audio.start", mode="hands_free", speak=True, tempo=1.0)

    async def send(self, **frame: object) -> None:
        """Send a frame."""
        await self._socket.send(orjson.dumps(frame).decode())

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for raw in self._socket:
                if isinstance(raw, str):
                    self._take(orjson.loads(raw))

    def _take(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        if frame["type"] == "welcome":
            self.token, self.epoch = frame["token"], frame["epoch"]
        elif "seq" in frame:
            self.cursor = max(self.cursor, frame["seq"])
        if frame["type"] == "audio.clip_end":
            self._clips.put_nowait(frame)

    async def _listen(self) -> None:
        """The microphone: a piece of sound every tenth of a second."""
        with suppress(ConnectionClosed):
            while True:
                await asyncio.sleep(0.1)
                self._speaks -= 1
                await self._socket.send(speech(0.1) if self._speaks >= 0 else silence(0.1))

    async def _play(self) -> None:
        with suppress(ConnectionClosed):
            while True:
                clip = await self._clips.get()
                await asyncio.sleep(clip["ms"] / 1_000)
                await self.send(type="audio.played", clip=clip["clip"], ms=clip["ms"], playing=False)


@pytest.fixture
def servers() -> Servers:
    return Servers()


async def test_a_spoken_conversation_of_a_stopped_server_continues_elsewhere(servers: Servers) -> None:
    answer, more, page = says(PICK_UP + HOURS + BRING), says("On Saturdays as well."), Page()
    async with servers.open((answer,), (more,), via="media", heard=HEARD) as (here, there):
        async with page.connected(here):
            await page.says(then_s=6.0)
            await here.stop()
            assert await page.closed() == 1012
        assert page.heard == [len(PICK_UP), len(PICK_UP + HOURS)]

        async with page.connected(there):
            await asyncio.sleep(5)
            assert there.text_to_speech.said == [BRING]
            assert page.heard[-1] == len(PICK_UP + HOURS + BRING)
            await page.says(then_s=6.0)
            assert there.text_to_speech.said[1:] == ["On Saturdays as well."]

        assert await servers.said(page.conversation()) == ["Are my glasses ready?", "On Saturdays, too?"]
        assert page.text == PICK_UP + HOURS + BRING + "On Saturdays as well."


async def test_a_spoken_conversation_of_a_dead_server_continues_elsewhere(servers: Servers) -> None:
    """Until the dead server's lease ends, the other one reads the conversation; then it writes it."""
    answer, more, page = says(PICK_UP + HOURS + BRING), says("On Saturdays as well."), Page()
    async with servers.open((answer,), (more,), via="media", heard=HEARD) as (here, there):
        async with page.connected(here):
            await page.says(then_s=6.0)
            await here.die()
            await page.closed()

        async with page.connected(there):
            assert await page.closed() == 1012
        async with page.connected(there):
            await page.says(then_s=6.0)
            assert there.text_to_speech.said == [BRING, "On Saturdays as well."]

        assert await servers.said(page.conversation()) == ["Are my glasses ready?", "On Saturdays, too?"]
        assert page.text == PICK_UP + HOURS + BRING + "On Saturdays as well."


async def test_a_spoken_question_to_a_dead_server_is_answered_aloud_elsewhere(servers: Servers) -> None:
    slow, answer, page = says(PICK_UP, first_s=60), says(HOURS), Page()
    async with servers.open((slow,), (answer,), via="media", heard=HEARD) as (here, there):
        async with page.connected(here):
            await page.says(then_s=2.0)
            await here.die()
            await page.closed()
        async with page.connected(there):
            await page.closed()
        async with page.connected(there):
            await asyncio.sleep(5)
        assert there.text_to_speech.said[-1] == HOURS.strip()
        assert page.heard[-1] == len(HOURS)


async def test_a_silenced_or_old_answer_is_not_continued(servers: Servers) -> None:
    answer, page = says(PICK_UP + HOURS + BRING), Page()
    async with servers.open((answer,), (), via="media", heard=HEARD) as (here, there):
        async with page.connected(here):
            await page.says(then_s=4.0)
            said = list(here.text_to_speech.said)
            await page.send(type="audio.stop")
            await asyncio.sleep(1)
            await page.start()
            await asyncio.sleep(10)
            assert here.text_to_speech.said == said
        await asyncio.sleep(61)
        async with page.connected(there):
            await asyncio.sleep(10)
        assert there.text_to_speech.said == []
