"""The server of a replay, in memory: the real websocket protocol and sessions, but no network."""

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import replace
from functools import partial
from typing import Any, cast

from starlette.types import Message, Scope
from starlette.websockets import WebSocket

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import CustomerMessage, ForwardedToAgent, Logged, TurnEnded
from assistant.conversation.turn_state import TurnState
from assistant.replay.cassette import Turn
from assistant.replay.played import heard_up_to
from assistant.replay.player.environment import ReplayEnvironment
from assistant.server.app import PATH
from assistant.server.auth import VisitorTokens
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.limits import Limits, RateLimits
from assistant.server.server_context import ServerContext, assistant_info
from assistant.server.websocket import SUBPROTOCOL, serve_socket
from assistant.sessions.config_version import ConfigVersion, FixedConfig
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.store.memory_log import MemoryLog
from assistant.testing.counted_ids import CountedIds
from assistant.turn.context import TurnDependencies

GONE = 1006
"""The close code of a connection that broke without a close frame."""


class MemoryConnection:
    """A client's connection to the server, with the messages that the web server would send.

    Args:
        hear: called with each frame that the server sends, as text.
        hung_up: called with the reason if the server closes the connection.
    """

    def __init__(self, hear: Callable[[str], None], hung_up: Callable[[str], None]) -> None:
        self._hear, self._hung_up = hear, hung_up
        self._to_server: asyncio.Queue[Message] = asyncio.Queue()
        self._to_server.put_nowait({"type": "websocket.connect"})
        self._up = True

    @property
    def scope(self) -> Scope:
        """The ASGI scope of the connection, from a page on this machine."""
        return {
            "type": "websocket",
            "path": PATH,
            "headers": [(b"host", b"localhost")],
            "subprotocols": [SUBPROTOCOL],
            "client": None,
        }

    def say(self, frame: JsonFrame) -> None:
        """Send a frame to the server."""
        self._to_server.put_nowait({"type": "websocket.receive", "text": encode(frame)})

    def cut(self) -> None:
        """Break the connection. Later messages of the server are lost."""
        self._up = False
        self._to_server.put_nowait({"type": "websocket.disconnect", "code": GONE})

    async def receive(self) -> Message:
        """Returns the next message for the server."""
        return await self._to_server.get()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a server's message. It is lost if the connection is broken."""
        if not self._up:
            return
        if message["type"] == "websocket.send":
            self._hear(message["text"])
        elif message["type"] == "websocket.close":
            self._hung_up(f"{message['code']} {message.get('reason')}")


_EPOCH = "1"
_SECRET = b"every replayed conversation has this secret"
_PLENTY = 1_000_000
"""No limit is reached: a script may send more in a minute than a customer could."""


class FixedIdentity:
    """The identity port, for the cassette's customer."""

    def __init__(self, customer: Customer) -> None:
        self._customer = customer

    async def identify(self, token: str | None, locale: str) -> Customer:  # noqa: ARG002 - the customer is always the same
        """Returns the cassette's customer, with the language of the page."""
        return replace(self._customer, locale=locale)


class ReplayServer:
    """One conversation's server, which can stop and start again.

    ``session`` is the open conversation; None before the client has connected. ``on_change`` is called after
    an entry has been written.
    """

    def __init__(
        self,
        environment: ReplayEnvironment,
        deps: TurnDependencies,
        customer: Customer,
        handoffs: HandoffRegistry | None = None,
        name: str = "id-",
    ) -> None:
        self.session: Session | None = None
        self.on_change: Callable[[], None] = lambda: None
        self._handoffs, self._credential = handoffs, customer.credential
        self._configs = FixedConfig(deps)
        self._configs.newest = ConfigVersion(bundle=environment.bundle, deps=deps)
        self._log = MemoryLog()
        self._sessions = self._new_sessions()
        self._context = ServerContext(
            sessions=cast("SessionRegistry", self),  # the websocket only needs ``open``
            identity=FixedIdentity(customer),
            tokens=VisitorTokens(_SECRET, deps.clock),
            clock=deps.clock,
            ids=CountedIds(name),
            about=partial(assistant_info, environment.book),
            locale_of=lambda said: environment.book.locale_for(said, otherwise=environment.locale),
            handoffs=handoffs,
            limits=Limits(messages_per_minute=_PLENTY, frames_per_minute=_PLENTY),
        )
        self._locale = self._context.locale_of(customer.locale)
        self._rates = RateLimits(self._context.limits, deps.clock)
        self._running = asyncio.Event()
        self._running.set()

    async def serve(self, line: MemoryConnection) -> None:
        """Serve the client, from the server's start until the connection is lost."""
        await self._running.wait()
        await serve_socket(WebSocket(line.scope, line.receive, line.send), self._context, self._rates)

    async def open(
        self, key: ConversationKey, customer: Customer | None, credential: CustomerCredential | None = None
    ) -> Session:
        """Return the live conversation; the websocket calls this."""
        session = await self._sessions.open(key, customer, credential or self._credential)
        if session is not self.session:
            # Some entries lead to no frame for the client.
            session.listen(lambda _: self.on_change())
        self.session = session
        return session

    @property
    def entries(self) -> tuple[Logged, ...]:
        """The log so far."""
        return tuple(self.session.entries) if self.session is not None else ()

    @property
    def ending(self) -> bool:
        """Whether the server is stopping, or has stopped and not started again."""
        return not self._running.is_set()

    @property
    def turn_now(self) -> int:
        """The number of the message that is being answered, from 1; 0 before the first."""
        turns = self.session.state.turns if self.session is not None else ()
        return int(turns[-1].message.client_message_id[1:]) if turns else 0

    def turn(self, client_id: str) -> TurnState | None:
        """Returns the turn for the message with this client id, or None before the turn begins."""
        turns = self.session.state.turns if self.session is not None else ()
        return next((turn for turn in turns if turn.message.client_message_id == client_id), None)

    def is_answered(self, client_id: str, heard: int) -> bool:
        """Whether a message is answered or forwarded to an agent, as far as a client with the frames up to
        ``heard`` knows.
        """
        turn = self.turn(client_id)
        if turn is None:
            return self._is_forwarded(client_id)
        if turn.how is None or self.session is None:
            return False
        return any(
            isinstance(logged.entry, TurnEnded) and logged.turn_id == turn.id
            for logged in reversed(self.session.entries[:heard])
        )

    @property
    def handoff(self) -> SessionHandoff | None:
        """The conversation's handoff; None if there are no agents, or before the session has begun."""
        if self._handoffs is None or self.session is None:
            return None
        return self._handoffs.find_handoff(self.session.key.tenant, self.session.key.conversation)

    async def mark_heard(self, words: str, client_id: str | None = None, number: int | None = None) -> bool:
        """Record that the customer has heard up to these words. Returns False if no message contains them.

        ``client_id``: in the answer to this message. ``number``: in the answer's message with this number,
        from 1.
        """
        session = self.session
        turns = session.state.turns if session is not None else ()
        asked = [turn for turn in turns if client_id in (None, turn.message.client_message_id)]
        found = heard_up_to(asked, words, number)
        if session is None or found is None:
            return False
        await session.heard(*found)
        return True

    async def say_aloud(self, client_id: str, turn: Turn, *, stops: bool) -> bool:
        """Handle a spoken message like a voice session. Returns False if it is refused.

        ``stops`` is True if the customer interrupts the running message.
        """
        session = self.session
        assert session is not None  # noqa: S101 - the client has connected
        if stops:
            await session.stop()
        taken = await session.say(
            client_message_id=client_id,
            text=turn.customer,
            locale=self._context.locale_of(turn.locale) if turn.locale else self._locale,
            button=turn.button,
            spoken=True,
        )
        return taken != "busy"

    def awaits_agent(self) -> bool:
        """Whether an agent was requested and has neither accepted nor declined."""
        current = self.handoff.current if self.handoff is not None else None
        return current is not None and current.state in ("requested", "queued")

    def _is_forwarded(self, client_id: str) -> bool:
        entries = [logged.entry for logged in self.entries]
        forwarded = {entry.message_id for entry in entries if isinstance(entry, ForwardedToAgent)}
        return any(
            isinstance(entry, CustomerMessage)
            and entry.client_message_id == client_id
            and entry.message_id in forwarded
            for entry in entries
        )

    def refuse_connections(self) -> None:
        """Accept no connection until the server starts again."""
        self._running.clear()

    async def stop(self) -> None:
        """Stop during the turn, as a server does on a signal."""
        self.refuse_connections()
        if self._handoffs is not None:
            await self._handoffs.close()
        await self._sessions.close(0)

    async def start(self) -> None:
        """Start again with the same log, and continue unfinished work."""
        self._sessions = self._new_sessions()
        for key in await self._log.unfinished():
            await self.open(key, None)
        self._running.set()

    async def wait_until_idle(self) -> None:
        """Wait until no work is running, including calls that no turn waits for."""
        if self.session is not None:
            await self.session.at_rest()

    def _new_sessions(self) -> SessionRegistry:
        attach = self._handoffs.attach if self._handoffs is not None else None
        return SessionRegistry(self._configs, self._log, _EPOCH, takeover=attach)
