"""A server for the tests of the websocket, with a session that the test controls."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import uvicorn

from assistant.assembly.health import log_findings
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    CustomerMessage,
    DeliveryReceipt,
    Entry,
    Logged,
    MessageClosed,
    Rated,
    Rating,
)
from assistant.conversation.sharing import Typist
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.prompts.book import PromptBook, shipped_book
from assistant.server.app import build_server, uvicorn_config
from assistant.server.auth import VisitorIdentity, VisitorTokens
from assistant.server.frames.frame import Hints
from assistant.server.limits import Limits
from assistant.server.proxies import ProxyHeaders
from assistant.server.readiness import Readiness
from assistant.server.server_context import AssistantInfo, ServerContext, Sessions
from assistant.sessions.session import Listener
from assistant.sessions.typing_signals import TypingSignals
from assistant.store.memory_log import MemoryLog
from assistant.testing.counted_ids import CountedIds

SECRET = b"a secret for tests that is long enough"
ANA = Customer(tenant="demo", id="ana", level="verified", name="Ana")
ABOUT = AssistantInfo(
    name="Mia",
    greeting="Hello!",
    disclosure="You are talking to an automated assistant.",
    starters=("Check my billing",),
    note="Demo model, English only",
    model="offline",
    demo=True,
)


class ManualClock:
    """Time that moves when a test says so."""

    def __init__(self) -> None:
        self.at_s = 1_800_000_000.0
        self._waiting: list[tuple[float, asyncio.Timeout]] = []

    def advance(self, seconds: float) -> None:
        self.at_s += seconds
        for due, timeout in self._waiting:
            if due <= self.at_s:
                with contextlib.suppress(RuntimeError):  # it was left in time
                    timeout.reschedule(0)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.at_s, UTC)

    def now_ms(self) -> int:
        return int(self.at_s * 1000)

    def monotonic(self) -> float:
        return self.at_s

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError

    def timeout(self, seconds: float | None) -> asyncio.Timeout:
        timeout = asyncio.timeout(None)
        if seconds is not None:
            self._waiting.append((self.at_s + seconds, timeout))
        return timeout


class CountingIds(CountedIds):
    """id1, id2, ..."""

    def __init__(self) -> None:
        super().__init__("id")


def hint(tool: str, locale: str) -> str:
    return f"{tool} ({locale})"


@dataclass(kw_only=True)
class FakeSession:
    """A conversation without a turn in it: entries come from the test."""

    key: ConversationKey
    customer: Customer
    epoch: str = "e1"
    entries: list[Logged] = field(default_factory=list[Logged])
    answer: Literal["accepted", "busy"] = "accepted"
    breaks: bool = False
    failure: LogError | None = None
    stopped: list[str | None] = field(default_factory=list[str | None])
    typed: int = 0
    visits: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    told: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    listeners: list[Listener] = field(default_factory=list[Listener])
    doing: Hints = hint
    book: PromptBook = field(default_factory=shipped_book)
    credential: CustomerCredential | None = None
    wants_credential: bool = False
    state: ConversationState = field(default_factory=lambda: ConversationState(()))
    typing_signals: TypingSignals = field(default_factory=lambda: TypingSignals(SystemClock(), None))

    async def take_credential(self, credential: CustomerCredential) -> None:
        self.credential = credential

    def listen(self, listener: Listener) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Literal["yes", "no"] | None = None,
        attachments: tuple[Attached, ...] = (),
        spoken: bool = False,
    ) -> Literal["accepted", "known", "busy"]:
        if self.breaks:
            raise RuntimeError("the log is full")
        said = (logged.entry for logged in self.entries)
        if any(
            isinstance(one, CustomerMessage) and one.client_message_id == client_message_id for one in said
        ):
            return "known"
        if self.answer == "busy":
            return "busy"
        message_id = f"said-{client_message_id}"
        self.publish(
            CustomerMessage(
                message_id=message_id,
                client_message_id=client_message_id,
                text=text,
                locale=locale,
                button=button,
                attachments=attachments,
                spoken=spoken,
            )
        )
        return "accepted"

    async def stop(self, turn_id: str | None) -> None:
        self.stopped.append(turn_id)

    async def rate(self, message_id: str, rating: Rating | None, text: str = "") -> bool:
        closed = (logged.entry for logged in self.entries)
        if not any(isinstance(one, MessageClosed) and one.message_id == message_id for one in closed):
            return False
        self.publish(Rated(message_id=message_id, rating=rating, text=text))
        return True

    async def heard(self, message_id: str, up_to: int) -> None:
        self.publish(DeliveryReceipt(message_id=message_id, how="heard", up_to=up_to))

    def report_delivery(self, message_id: str, how: str, up_to: int) -> None:
        self.told.append((message_id, how, up_to))

    def typing(self) -> None:
        self.typed += 1

    def note_typist(self, typist: Typist) -> None:
        self.typing_signals.note_elsewhere(typist)

    def came(self, last_seq: int) -> None:
        self.visits.append(("came", last_seq))

    def left(self, last_seq: int) -> None:
        self.visits.append(("left", last_seq))

    def publish(self, *entries: Entry, turn_id: str = "") -> None:
        """Make these entries durable, all at once."""
        batch = logged(entries, turn_id=turn_id, after=len(self.entries))
        self.entries.extend(batch)
        for listener in list(self.listeners):
            listener(batch)

    @property
    def customer_said(self) -> list[CustomerMessage]:
        return [one.entry for one in self.entries if isinstance(one.entry, CustomerMessage)]


def logged(entries: Sequence[Entry], *, turn_id: str = "t1", after: int = 0) -> list[Logged]:
    """Entries with their places in the log."""
    return [
        Logged(seq=seq, at_ms=1_000 * seq, turn_id=turn_id, entry=entry)
        for seq, entry in enumerate(entries, after + 1)
    ]


class FakeSessions:
    """Conversations that come into being when they are opened."""

    def __init__(self) -> None:
        self.known: dict[ConversationKey, FakeSession] = {}
        self.ready = asyncio.Event()
        self.ready.set()

    async def open(
        self, key: ConversationKey, customer: Customer, credential: CustomerCredential | None = None
    ) -> FakeSession:
        await self.ready.wait()
        session = self.known.setdefault(key, FakeSession(key=key, customer=customer))
        session.credential = credential or session.credential
        return session

    @property
    def only(self) -> FakeSession:
        (session,) = self.known.values()
        return session


class OpenClient(Protocol):
    """The clients that are still connected when the server is closed."""

    async def leave(self) -> None: ...


@dataclass(kw_only=True)
class RunningServer:
    """A server's context, and its address once it is open."""

    context: ServerContext
    sessions: FakeSessions
    clock: ManualClock
    port: int = 0
    trusted_proxies: tuple[str, ...] = ()
    guests: list["OpenClient"] = field(default_factory=list["OpenClient"])

    @property
    def session(self) -> FakeSession:
        return self.sessions.only


def new_server() -> RunningServer:
    shipped_book()  # loaded before any client waits for a frame
    clock, ids, sessions = ManualClock(), CountingIds(), FakeSessions()
    tokens = VisitorTokens(SECRET, clock)
    context = ServerContext(
        readiness=Readiness([("log", partial(log_findings, MemoryLog()))], clock),
        sessions=cast("Sessions", sessions),
        identity=VisitorIdentity(tokens=tokens, ids=ids, demo_customer=ANA),
        tokens=tokens,
        clock=clock,
        ids=ids,
        about=lambda locale: ABOUT,
    )
    return RunningServer(context=context, sessions=sessions, clock=clock)


@contextlib.asynccontextmanager
async def opened(
    running: RunningServer,
    *,
    send_buffer: int | None = None,
    web_limits: Limits | None = None,
    web_dir: Path | None = None,
) -> AsyncGenerator[RunningServer, None]:
    """The assistant, served on a loopback port in this loop, and closed without the server's own pauses."""
    # Named TCP outright: of others asyncio does not know that small pieces must not wait to be sent.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        if send_buffer is not None:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        app = ProxyHeaders(build_server(running.context, web_dir=web_dir), running.trusted_proxies)
        config = uvicorn_config(app, limits=web_limits or running.context.limits)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listening])
        running.port = listening.getsockname()[1]
        try:
            yield running
        finally:
            for one in server.servers:
                one.close()
            for guest in running.guests:
                await guest.leave()
            await asyncio.gather(*server.server_state.tasks)
            while server.server_state.connections:  # noqa: ASYNC110 (no event tells of it)
                await asyncio.sleep(0)


def with_limits(running: RunningServer, **limits: Any) -> RunningServer:
    running.context = replace(running.context, limits=replace(running.context.limits, **limits))
    return running
