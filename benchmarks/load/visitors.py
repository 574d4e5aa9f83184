"""Customers over the websocket, as many as one likes."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

QUESTION = "Show me my appointments and billing, please."


@dataclass(frozen=True, slots=True)
class Answered:
    """When things came, in ms after the message: the first words, and the end of the turn."""

    words_ms: float
    total_ms: float


class Visitor:
    """One customer in one conversation."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._said = 0

    @classmethod
    async def comes(cls, url: str) -> "Visitor":
        """Open a new conversation."""
        socket = await connect(
            url,
            subprotocols=[Subprotocol("meanwhile.v1")],
            compression=None,
            proxy=None,
            ping_interval=None,
            open_timeout=60,
        )
        await socket.send('{"type":"hello"}')
        assert b'"welcome"' in await socket.recv(decode=False)
        return cls(socket)

    async def asks(self, *, answered: bool = True) -> Answered:
        """Ask the question and hear the whole answer; ``answered``: it must be none that only apologises."""
        self._said += 1
        frame = {"type": "message", "id": f"m{self._said}", "text": QUESTION}
        began = time.perf_counter()
        await self._socket.send(orjson.dumps(frame).decode())
        words: float | None = None
        while True:
            heard = await self._socket.recv(decode=False)
            now = (time.perf_counter() - began) * 1000
            if words is None and b'"message.delta"' in heard:
                words = now
            if b'"turn.completed"' in heard:
                assert b'"answered"' in heard or not answered, heard
                return Answered(words or now, now)
            assert b'"rejected"' not in heard, heard

    async def leaves(self) -> None:
        """Close the socket."""
        await self._socket.close()


async def come(url: str, number: int) -> list[Visitor]:
    """So many visitors, a few at a time."""
    visitors: list[Visitor] = []
    while len(visitors) < number:
        some = min(50, number - len(visitors))
        visitors += await asyncio.gather(*(Visitor.comes(url) for _ in range(some)))
    return visitors


async def ask(visitors: Sequence[Visitor], at_once: int) -> list[Answered]:
    """Each asks once; so many turns run at the same time."""
    gate = asyncio.Semaphore(at_once)

    async def one(visitor: Visitor) -> Answered:
        async with gate:
            return await visitor.asks()

    return await asyncio.gather(*(one(visitor) for visitor in visitors))


async def leave(visitors: Sequence[Visitor]) -> None:
    """All of them."""
    await asyncio.gather(*(visitor.leaves() for visitor in visitors))
