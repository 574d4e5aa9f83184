"""Keeps the servers connected: restarts a server that ended, and notices changes of its tools. Begin here."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from assistant.conversation.values import Effect, JsonObject
from assistant.errors import CredentialError, ToolError
from assistant.mcp.approval import Definition, changes
from assistant.mcp.config import TransportConfig
from assistant.mcp.status import ServerLogSink, SignInRefused, StatusLog, Unreachable, Unreadable
from assistant.mcp.tool import McpFolder
from assistant.ports import Clock
from assistant.resilience import Jitter
from assistant.tools.tool import ToolResult

if TYPE_CHECKING:
    from assistant.mcp.client import ServerConnection


_FIRST_S = 0.5
_LONGEST_S = 60.0


def pause_s(failures: int, jitter: float) -> float:
    """Returns the pause in seconds after this number of consecutive failures, at most a minute; ``jitter`` (0
    to 1) removes up to half.

    >>> [pause_s(failures, 0.0) for failures in (1, 2, 3, 8, 500)]
    [0.5, 1.0, 2.0, 60.0, 60.0]
    >>> pause_s(3, 0.5)
    1.5
    """
    return min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 16)) * (1 - jitter / 2)


_AWAY = "I can't reach that service just now"
_CHANGED = "that service has changed and is being checked"
_GONE = "that service does not offer this any more"
_BROKE = "the line to that service broke, so I can't say whether it was done"

_UNSURE = "what came back cannot be read, so I can't say whether it was done"

_STEADY_S = 60.0
"""After this time without a failure, earlier failures are forgotten."""

_CALM_S = 0.5
"""The least time between two requests for a list of tools that changes repeatedly."""

_CLOSING_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The dependencies of all servers: clock, random numbers, environment variables, message listener."""

    clock: Clock
    jitter: Jitter
    environment: Callable[[], Mapping[str, str]]
    tell: Callable[[str], None]


class SupervisedServer:
    """One server. :meth:`open` starts to connect and returns immediately; only calls wait for the connection."""

    def __init__(self, name: str, reach: TransportConfig, *, start_s: float, world: Environment) -> None:
        self.reach, self.start_s = reach, start_s
        self._name, self._world = name, world
        self._approved: Mapping[str, Definition] = {}
        self._line: ServerConnection | None = None
        self._offered: Mapping[str, Definition] = {}
        self._left_out: Mapping[str, str] = {}
        self._known, self._changed, self._closing = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._news = StatusLog(name, world.tell)
        self._keeping: asyncio.Task[None] | None = None

    def open(self, approved: Mapping[str, Definition]) -> None:
        """Start to keep the server connected."""
        self._approved = approved
        self._keeping = asyncio.create_task(self._keep())

    def approve(self, approved: Mapping[str, Definition]) -> None:
        """Replace the approved definitions."""
        self._approved = approved
        if self._line is not None:
            self._news.waits(changes(approved, self._offered))

    async def close(self) -> None:
        """Stop the server: gracefully if possible, and within seconds in any case."""
        self._closing.set()
        if self._keeping is None:
            return
        if self._line is None:
            self._keeping.cancel()  # it is connecting, or pausing before the next attempt
        _, late = await asyncio.wait({self._keeping}, timeout=_CLOSING_S)
        for task in late:
            task.cancel()
        await asyncio.wait({self._keeping})

    @property
    def away(self) -> str | None:
        """The reason why the server cannot be used now, or None if it can be used."""
        return None if self._line is not None else self._news.away or "is being connected"

    async def offered(self) -> Mapping[str, Definition]:
        """Waits until the server's current tools are known, and returns them. Raises ``Unreachable``."""
        await self._known.wait()
        if self._line is None:
            raise Unreachable(self._news.away or "is closed")
        return self._offered

    async def left_out(self) -> Mapping[str, str]:
        """Returns the server's tools that cannot be used, by name, with the reason; waits until they are
        known.
        """
        await self._known.wait()
        return self._left_out

    async def call(
        self, definition: Definition, arguments: JsonObject, effect: Effect, token: str = ""
    ) -> ToolResult:
        """Call an approved tool that has not changed since the approval. Raises ``ToolError``.

        A call with a customer's ``token`` has a connection of its own, which ends with the call, so that two
        customers never share a session at the server.
        """
        await self._known.wait()
        if self._line is None:
            raise ToolError(_AWAY, for_model="The service behind this tool is not there.", temporary=True)
        _must_be_as_approved(definition, self._offered, self._left_out)
        try:
            if token:
                return await self._call_for_customer(definition, arguments, token)
            return await self._line.call(definition, arguments)
        except Unreachable as error:
            # The server may have made a change before the connection broke, so do not say that the call
            # failed.
            say = _AWAY if effect == "read" else _BROKE
            told = "The line to the service broke before it had answered."
            raise ToolError(say, for_model=told, temporary=True) from error
        except Unreadable as error:
            say = error.say if effect == "read" else _UNSURE
            raise ToolError(say, for_model=str(error)) from error

    async def _call_for_customer(
        self, definition: Definition, arguments: JsonObject, token: str
    ) -> ToolResult:
        ours = self._world.environment()
        log_sink, asked = ServerLogSink(self._name, [token], self._world.clock), False
        try:
            async with _sdk()(
                self.reach,
                ours,
                log_sink=log_sink,
                start_s=self.start_s,
                changed=lambda: None,
                clock=self._world.clock,
                token=token,
            ) as line:
                # A server may offer different tools with the same name to different customers.
                _must_be_as_approved(definition, await line.tools(), line.left_out)
                asked = True
                return await line.call(definition, arguments)
        except Exception as error:
            reason = _reason(error)
            if isinstance(reason, SignInRefused):
                raise CredentialError from None
            if isinstance(reason, Unreachable) and not asked:
                told = "The service behind this tool is not there; nothing was done."
                raise ToolError(_AWAY, for_model=told, temporary=True) from None
            raise reason from None

    async def _keep(self) -> None:
        failures = 0
        while not self._closing.is_set():
            began = self._world.clock.monotonic()
            why = await self._attempt()
            if self._closing.is_set():
                return
            failures = 1 if self._world.clock.monotonic() - began > _STEADY_S else failures + 1
            self._news.is_away(why)
            await self._pause(pause_s(failures, self._world.jitter()))

    async def _attempt(self) -> str:
        """Connect, and stay connected until the connection ends. Returns the reason of the end."""
        log_sink: ServerLogSink | None = None
        try:
            ours = self._world.environment()
            secrets = [ours.get(name, "") for name in self.reach.names]
            log_sink = ServerLogSink(self._name, secrets, self._world.clock)
            await self._once(ours, log_sink)
            why = "has ended"
        except Exception as error:
            why = _reason_text(error)
        finally:
            self._line, self._offered, self._left_out = None, {}, {}
            self._known.set()
        return f"{why}; its last words: {log_sink.last}" if log_sink and log_sink.last else why

    async def _once(self, ours: Mapping[str, str], log_sink: ServerLogSink) -> None:
        missing = [name for name in self.reach.names if name not in ours]
        if missing:
            raise Unreachable(f"needs {', '.join(missing)}; set it in the environment or in .env")
        connected = await asyncio.to_thread(_sdk)
        self._changed.clear()
        async with connected(
            self.reach,
            ours,
            log_sink=log_sink,
            start_s=self.start_s,
            changed=self._list_changes,
            clock=self._world.clock,
        ) as line:
            await self._look(line)
            while await self._first_of(line.gone) == "changed":
                self._changed.clear()
                await self._look(line)
                await self._pause(_CALM_S)

    def _list_changes(self) -> None:
        # No tool is called until the changes are known.
        self._known.clear()
        self._changed.set()

    async def _look(self, line: "ServerConnection") -> None:
        async with self._world.clock.timeout(self.start_s):
            self._offered = await line.tools()
        self._left_out = line.left_out
        self._line = line
        self._known.set()
        self._news.is_back()
        self._news.leaves_out(self._left_out)
        self._news.waits(changes(self._approved, self._offered))

    async def _first_of(self, gone: asyncio.Event) -> str:
        """Wait for the first of three events: "gone", "changed" or "closing"."""
        events = {"closing": self._closing, "gone": gone, "changed": self._changed}
        waiting = [asyncio.ensure_future(event.wait()) for event in events.values()]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
        return next(name for name, event in events.items() if event.is_set())

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with self._world.clock.timeout(seconds):
                await self._closing.wait()


def _must_be_as_approved(
    definition: Definition, offered: Mapping[str, Definition], left_out: Mapping[str, str]
) -> None:
    now = offered.get(definition.name)
    if now is None and definition.name in left_out:
        raise ToolError(_CHANGED, for_model="This tool has changed and cannot be used as it is now.")
    if now is None:
        raise ToolError(_GONE, for_model="Its service has taken this tool away.")
    if now.fingerprint != definition.fingerprint:
        raise ToolError(_CHANGED, for_model="This tool has changed, and nobody has approved that yet.")


def _reason(error: BaseException) -> ToolError | Unreachable | Unreadable:
    """Returns the first relevant exception in an exception group."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    if isinstance(error, ToolError | Unreachable | Unreadable):
        return error
    return Unreachable(type(error).__name__)


def _sdk():
    """Returns the module that connects. Importing it takes a second."""
    from assistant.mcp.client import connect

    return connect


def _reason_text(error: BaseException) -> str:
    """Returns the reason of a failure, for operators, taken from an exception group if necessary."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    if isinstance(error, Unreachable):
        return str(error)
    return (
        "has not answered in time" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
    )


_NOT_HERE = "I can't reach that service just now"


class McpServers:
    """The servers by name. Until :meth:`use` names one, there are none and the SDK is not imported.

    Args:
        clock: measures pauses and time limits.
        jitter: randomises pauses.
        environment: returns the current environment variables; servers get only a few of them.
    """

    def __init__(self, clock: Clock, jitter: Jitter, environment: Callable[[], Mapping[str, str]]) -> None:
        self._listeners: list[Callable[[str], None]] = []
        self._world = Environment(clock=clock, jitter=jitter, environment=environment, tell=self._tell)
        self._kept: dict[str, SupervisedServer] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    def listen(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with each later message about servers; messages are texts for operators."""
        self._listeners.append(listener)

    def use(self, folder: McpFolder, only: str | None = None) -> None:
        """Connect to the servers of this folder, and stop all others. Returns immediately.

        A server whose settings have not changed stays connected. Call it on the event loop. With ``only``, no
        other server than this one is used.
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
                self._kept[name] = SupervisedServer(name, reach, start_s=start_s, world=self._world)
                self._kept[name].open(approved)

    async def call(
        self, server: str, definition: Definition, arguments: JsonObject, effect: Effect, token: str = ""
    ) -> ToolResult:
        """Call an approved tool of a server that has not changed since the approval. Raises ``ToolError``."""
        kept = self._kept.get(server)
        if kept is None:
            raise ToolError(_NOT_HERE, for_model=f"There is no service {server!r} just now.")
        return await kept.call(definition, arguments, effect, token)

    async def offered(self, server: str) -> Mapping[str, Definition]:
        """Returns the current tools of a connected server. Raises ``Unreachable``."""
        return await self._kept[server].offered()

    async def left_out(self, server: str) -> Mapping[str, str]:
        """Returns the tools of a connected server that cannot be used, by name, with the reason."""
        return await self._kept[server].left_out()

    async def close(self) -> None:
        """Stop all servers, within seconds."""
        self._closed = True
        for kept in self._kept.values():
            self._end(kept)
        self._kept.clear()
        await asyncio.gather(*self._ending)

    def _end(self, kept: SupervisedServer) -> None:
        ending = asyncio.create_task(kept.close())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)

    def _tell(self, news: str) -> None:
        for listener in self._listeners:
            listener(news)
