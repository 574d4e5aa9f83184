"""The connections to the systems that tools ask, opened at the first request."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp


class Connections:
    """One pool of kept-alive connections, for all tools that were given it.

    Belongs to the event loop in which it is used first. Whoever made it may close it; else it is closed with
    that loop, or when the last tool that has it is forgotten.
    """

    __slots__ = ("_held", "_session")

    def __init__(self) -> None:
        self._held: AsyncGenerator[aiohttp.ClientSession] | None = None
        self._session: aiohttp.ClientSession | None = None

    async def session(self) -> "aiohttp.ClientSession":
        """The open session."""
        if self._session is None or self._session.closed:
            # Loops close the generators that were begun in them: tools have no end of their own to close it at.
            self._held = _held()
            self._session = await anext(self._held)
        return self._session

    async def close(self) -> None:
        """Give the connections back. They are opened anew if somebody asks again."""
        held, self._held, self._session = self._held, None, None
        if held is not None:
            await held.aclose()


async def _held() -> "AsyncGenerator[aiohttp.ClientSession]":
    import aiohttp

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(keepalive_timeout=30.0, ttl_dns_cache=300),
        timeout=aiohttp.ClientTimeout(total=None),  # Time-outs are ours: see the Clock.
        cookie_jar=aiohttp.DummyCookieJar(),
        skip_auto_headers=("User-Agent",),
    )
    try:
        yield session
    finally:
        await session.close()
