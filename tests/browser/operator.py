"""An operator's client for tests."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

TOKEN = "a-token-for-tests-that-is-long-enough"
Frame: TypeAlias = dict[str, Any]


class Operator:
    """Hears everything in order; ``hears`` gives the next frame of a type."""

    def __init__(self, ws: ClientConnection) -> None:
        self.ws = ws

    async def says(self, **frame: Any) -> None:
        await self.ws.send(orjson.dumps(frame).decode())

    async def hears(self, type_: str, **having: object) -> Frame:
        """The next frame of this type that has these values, at any depth of one."""
        async with asyncio.timeout(10):
            while True:
                frame: Frame = orjson.loads(await self.ws.recv())
                inside = (
                    {**frame, **frame.get("message", {}), **frame.get("conversation", {})}
                    if isinstance(frame.get("message", {}), dict)
                    else frame
                )
                if frame["type"] == type_ and all(
                    inside.get(name) == value for name, value in having.items()
                ):
                    return frame


@asynccontextmanager
async def sits_down(port: int, name: str, token: str = TOKEN) -> AsyncGenerator[Operator]:
    """An operator at the door of the server on this port."""
    address = f"ws://127.0.0.1:{port}/v1/operators/ws"
    async with connect(address, subprotocols=[Subprotocol("meanwhile.operators.v1")], proxy=None) as ws:
        operator = Operator(ws)
        await operator.says(type="hello", token=token, name=name)
        yield operator
