"""The connections to providers, opened at first use and shared by all models that were given them."""

from typing import TYPE_CHECKING

from assistant.models.http.watch import Watch
from assistant.ports import Clock

if TYPE_CHECKING:
    import aiohttp


class Connections:
    """One pool of kept-alive connections, and the ``watch`` over what streams through them.

    Belongs to the event loop in which it is first used.
    """

    def __init__(self, clock: Clock) -> None:
        self.watch = Watch(clock)
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> "aiohttp.ClientSession":
        """The open session. Call it within the running loop."""
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=None),  # Time-outs are ours: see the Clock.
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent",),
            )
        return self._session

    async def close(self) -> None:
        """Give the connections back. They are opened anew if somebody asks again."""
        self.watch.close()
        session, self._session = self._session, None
        if session is not None:
            await session.close()
