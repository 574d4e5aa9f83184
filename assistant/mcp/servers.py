"""All servers that are kept reachable, for as long as the process lives."""

import asyncio
from collections.abc import Callable, Mapping

from assistant.conversation.values import Effect, JsonObject
from assistant.errors import ToolError
from assistant.mcp.definition import Definition
from assistant.mcp.folder import McpFolder
from assistant.mcp.server import KeptServer, World
from assistant.ports import Clock
from assistant.resilience import Jitter
from assistant.tooling.tool import ToolResult

_NOT_HERE = "I can't reach that service just now"


class Servers:
    """The servers by name. There are none, and nothing is imported for any, until :meth:`use` names one.

    Args:
        clock: measures pauses and limits.
        jitter: makes pauses uneven.
        environment: gives what is set now; servers are given little of it.
    """

    def __init__(self, clock: Clock, jitter: Jitter, environment: Callable[[], Mapping[str, str]]) -> None:
        self._listeners: list[Callable[[str], None]] = []
        self._world = World(clock=clock, jitter=jitter, environment=environment, tell=self._tell)
        self._kept: dict[str, KeptServer] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    def listen(self, listener: Callable[[str], None]) -> None:
        """Hand every piece of news about servers from now on to ``listener``, in words for operators."""
        self._listeners.append(listener)

    def use(self, folder: McpFolder, only: str | None = None) -> None:
        """Keep the servers of this folder reachable from now on, and no others; waits for nothing.

        One that is reached as before stays as it is. For the running loop. ``only`` leaves out all others.
        """
        if self._closed:
            return
        wanted = {
            name: (folder.reach(name), one.start_s)
            for name, one in folder.written.servers.items()
            if only in (None, name)
        }
        for name, kept in list(self._kept.items()):
            if wanted.get(name) != (kept.reach, kept.start_s):
                self._end(self._kept.pop(name))
        for name, (reach, start_s) in wanted.items():
            approved = folder.approved.get(name, {})
            if name in self._kept:
                self._kept[name].approve(approved)
            else:
                self._kept[name] = KeptServer(name, reach, start_s=start_s, world=self._world)
                self._kept[name].open(approved)

    async def call(
        self, server: str, definition: Definition, arguments: JsonObject, effect: Effect, token: str = ""
    ) -> ToolResult:
        """Have a server do what was approved, and nothing else. Raises ``ToolError``."""
        kept = self._kept.get(server)
        if kept is None:
            raise ToolError(_NOT_HERE, for_model=f"There is no service {server!r} just now.")
        return await kept.call(definition, arguments, effect, token)

    async def offered(self, server: str) -> Mapping[str, Definition]:
        """What a server that is used offers now. Raises ``Unreachable``."""
        return await self._kept[server].offered()

    async def left_out(self, server: str) -> Mapping[str, str]:
        """Why each tool of a server that is used is left out, by name, once that is known."""
        return await self._kept[server].left_out()

    async def close(self) -> None:
        """End them all, within seconds."""
        self._closed = True
        for kept in self._kept.values():
            self._end(kept)
        self._kept.clear()
        await asyncio.gather(*self._ending)

    def _end(self, kept: KeptServer) -> None:
        ending = asyncio.create_task(kept.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _tell(self, news: str) -> None:
        for listener in self._listeners:
            listener(news)
