"""The end of an answer that has said everything."""

import aiohttp

from assistant.ports import Clock

_REST_S = 0.1  # for the end of an answer whose last event has come


async def let_go(response: aiohttp.ClientResponse, clock: Clock) -> None:
    """Wait a moment for the answer's end: only then can its connection be used again."""
    try:
        async with clock.timeout(_REST_S):
            while not response.content.at_eof():
                await response.content.readany()
    except (TimeoutError, aiohttp.ClientError, OSError):
        pass
