"""A line from the keyboard, without keeping anybody who wants to leave."""

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import cast


async def typed_line(read: "Callable[[], bytes] | None" = None) -> str | None:
    """The next line of the standard input, without its end; None when there is none any more.

    Cancelled, it leaves a thread behind that waits for the line and does not keep the process from ending.

    Args:
        read: blocks until there is a line, and gives it with its end.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def give(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def wait() -> None:
        line = (read or _read)()
        with suppress(RuntimeError):  # the loop is closed: nobody is there to hear it
            loop.call_soon_threadsafe(give, line)

    threading.Thread(target=wait, name="keyboard", daemon=True).start()
    line = await typed
    return line.decode(errors="replace").rstrip("\r\n") if line else None


def _read() -> bytes:
    # Unbuffered: who waits in a buffered read holds its lock, which the end of the process needs.
    raw = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
    return cast("bytes", raw.readline())
