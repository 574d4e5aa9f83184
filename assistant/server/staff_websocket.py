"""The handshake, the waiting frames and the close of the websockets of staff: of the console and of operators."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any

import structlog
from fastapi import WebSocket, WebSocketDisconnect

from assistant.errors import LogError
from assistant.server.client_faults import is_client_gone
from assistant.server.frames import close_codes
from assistant.server.frames.close_codes import Close
from assistant.server.frames.frame import JsonFrame, encode

MOST_WAITING = 1_000
"""The maximum number of frames that wait for a client that does not read."""

log = structlog.get_logger(__name__)


async def serve_staff(websocket: WebSocket, subprotocol: str, talk: Callable[[], Awaitable[Close]]) -> None:
    """Accept a websocket, talk, and close it with the reason that ``talk`` returns. Raises no error."""
    try:
        await websocket.accept(subprotocol=subprotocol)
        close = await talk()
    except WebSocketDisconnect:
        return
    except LogError as error:
        # No error here: the log reports its own problem, or a customer is being erased.
        log.warning("socket of staff is closed", why=str(error), path=websocket.url.path)
        close = close_codes.BROKEN
    except Exception as error:
        if is_client_gone(error):
            return
        log.exception("socket of staff broke", path=websocket.url.path)
        close = close_codes.BROKEN
    with suppress(WebSocketDisconnect, RuntimeError):
        await websocket.close(close.code, close.reason)


class WaitingFrames:
    """The frames that wait for one client. Adding one never waits: a client that does not read is closed."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket
        self._waiting: asyncio.Queue[JsonFrame] = asyncio.Queue(MOST_WAITING)
        self._too_many = asyncio.Event()

    def add(self, frame: JsonFrame) -> None:
        """Send it after those that wait."""
        try:
            self._waiting.put_nowait(frame)
        except asyncio.QueueFull:
            self._too_many.set()

    async def send_while(self, *work: Coroutine[Any, Any, Close]) -> Close:
        """Send what is added until one of these returns a reason to close, or too many frames wait."""
        working = [asyncio.create_task(one) for one in work]
        sending, too_many = asyncio.create_task(self._send()), asyncio.create_task(self._too_many.wait())
        tasks = (*working, sending, too_many)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            for one in working:
                if one.done():
                    return one.result()
            return close_codes.TOO_SLOW
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)
            await asyncio.gather(sending, too_many, return_exceptions=True)

    async def _send(self) -> None:
        while True:
            await self._websocket.send_text(encode(await self._waiting.get()))
