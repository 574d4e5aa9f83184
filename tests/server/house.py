"""A house behind the door for its tests: a session that says what it is told to, and clients for it."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson
import uvicorn
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from assistant.conversation.entries import CustomerSaid, Entry, Logged
from assistant.conversation.people import ConversationKey, Customer
from assistant.server.about import About
from assistant.server.door import Door
from assistant.server.identity import VisitorIdentity
from assistant.server.limits import Limits
from assistant.server.live import Listener
from assistant.server.server import build_server
from assistant.server.serving import serving
from assistant.server.tokens import Tokens

Frame: TypeAlias = dict[str, Any]

SECRET = b"a secret for tests that is long enough"
ANA = Customer(tenant="demo", id="ana", level="verified", name="Ana")
ABOUT = About(
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


class CountingIds:
    """id1, id2, ..."""

    def __init__(self) -> None:
        self._count = 0

    def new(self) -> str:
        self._count += 1
        return f"id{self._count}"


@dataclass(kw_only=True)
class FakeSession:
    """A conversation without a turn in it: entries come from the test."""

    key: ConversationKey
    customer: Customer
    epoch: str = "e1"
    entries: list[Logged] = field(default_factory=list[Logged])
    answer: Literal["accepted", "busy"] = "accepted"
    breaks: bool = False
    stopped: list[str | None] = field(default_factory=list[str | None])
    told: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    listeners: list[Listener] = field(default_factory=list[Listener])

    def listen(self, listener: Listener) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    async def say(
        self, *, client_message_id: str, text: str, locale: str, button: Literal["yes", "no"] | None = None
    ) -> Literal["accepted", "known", "busy"]:
        if self.breaks:
            raise RuntimeError("the log is full")
        said = (logged.entry for logged in self.entries)
        if any(isinstance(one, CustomerSaid) and one.client_message_id == client_message_id for one in said):
            return "known"
        if self.answer == "busy":
            return "busy"
        message_id = f"said-{client_message_id}"
        self.publish(
            CustomerSaid(
                message_id=message_id,
                client_message_id=client_message_id,
                text=text,
                locale=locale,
                button=button,
            )
        )
        return "accepted"

    async def stop(self, turn_id: str | None) -> None:
        self.stopped.append(turn_id)

    def tell(self, message_id: str, how: str, up_to: int) -> None:
        self.told.append((message_id, how, up_to))

    def publish(self, *entries: Entry, turn_id: str = "") -> None:
        """Make these entries durable, all at once."""
        batch = logged(entries, turn_id=turn_id, after=len(self.entries))
        self.entries.extend(batch)
        for listener in list(self.listeners):
            listener(batch)

    @property
    def customer_said(self) -> list[CustomerSaid]:
        return [one.entry for one in self.entries if isinstance(one.entry, CustomerSaid)]


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

    async def open(self, key: ConversationKey, customer: Customer) -> FakeSession:
        await self.ready.wait()
        return self.known.setdefault(key, FakeSession(key=key, customer=customer))

    @property
    def only(self) -> FakeSession:
        (session,) = self.known.values()
        return session


def hint(tool: str, locale: str) -> str:
    return f"{tool} ({locale})"


@dataclass(kw_only=True)
class House:
    """A door with everything behind it, and its address once it is open."""

    door: Door
    sessions: FakeSessions
    clock: ManualClock
    port: int = 0
    clients: list["Client"] = field(default_factory=list["Client"])

    @property
    def session(self) -> FakeSession:
        return self.sessions.only


def build_house() -> House:
    clock, ids, sessions = ManualClock(), CountingIds(), FakeSessions()
    tokens = Tokens(SECRET, clock)
    door = Door(
        sessions=sessions,
        identity=VisitorIdentity(tokens=tokens, ids=ids, demo_customer=ANA),
        tokens=tokens,
        clock=clock,
        ids=ids,
        about=ABOUT,
        hints=hint,
    )
    return House(door=door, sessions=sessions, clock=clock)


@contextlib.asynccontextmanager
async def opened(
    house: House,
    *,
    send_buffer: int | None = None,
    web_limits: Limits | None = None,
    web_dir: Path | None = None,
) -> AsyncGenerator[House, None]:
    """The house, served on a loopback port in this loop; closed without the server's own pauses."""
    # Named TCP outright: of others asyncio does not know that small pieces must not wait to be sent.
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        if send_buffer is not None:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
        config = serving(build_server(house.door, web_dir=web_dir), limits=web_limits or house.door.limits)
        server = uvicorn.Server(config)
        config.load()
        server.lifespan = config.lifespan_class(config)
        await server.startup(sockets=[listening])
        house.port = listening.getsockname()[1]
        try:
            yield house
        finally:
            for one in server.servers:
                one.close()
            for client in house.clients:
                await client.leave()
            await asyncio.gather(*server.server_state.tasks)
            while server.server_state.connections:  # noqa: ASYNC110 (no event tells of it)
                await asyncio.sleep(0)


class Client:
    """A widget without a page: keeps the cursor, the token and what it heard."""

    def __init__(self, house: House) -> None:
        self._house = house
        house.clients.append(self)
        self._ws: ClientConnection | None = None
        self.token: str | None = None
        self.epoch: str | None = None
        self.cursor = 0
        self.heard: list[Frame] = []

    @property
    def ws(self) -> ClientConnection:
        assert self._ws is not None
        return self._ws

    async def dial(self, **options: Any) -> None:
        """Open the socket and say nothing."""
        options = {"subprotocols": [Subprotocol("meanwhile.v1")], "max_queue": None, **options}
        self._ws = await connect(
            f"ws://127.0.0.1:{self._house.port}/v1/ws", compression=None, proxy=None, **options
        )

    async def enter(self, **hello: Any) -> Frame:
        """Say hello as a client does that has been here before, if it has; returns the welcome."""
        await self.dial()
        known = {"token": self.token, "epoch": self.epoch, "last_seq": self.cursor}
        await self.say(type="hello", **{**known, **hello})
        welcome = await self.hear()
        assert welcome["type"] == "welcome", welcome
        self.token, self.epoch = welcome["token"], welcome["epoch"]
        return welcome

    async def say(self, **frame: Any) -> None:
        await self.ws.send(orjson.dumps(frame).decode())

    async def says(self, id_: str, text: str = "Hello") -> None:
        await self.say(type="message", id=id_, text=text)

    async def hear(self) -> Frame:
        async with asyncio.timeout(5):
            frame: Frame = orjson.loads(await self.ws.recv())
        if "seq" in frame and frame["type"] != "welcome":
            self.cursor = max(self.cursor, frame["seq"])
        self.heard.append(frame)
        return frame

    async def hears(self, count: int) -> list[Frame]:
        return [await self.hear() for _ in range(count)]

    async def hears_until(self, type_: str) -> list[Frame]:
        """What it hears up to the first frame of this type, which is the last."""
        frames = [await self.hear()]
        while frames[-1]["type"] != type_:
            frames.append(await self.hear())
        return frames

    async def hears_nothing_more(self) -> bool:
        """Whether the answer to a ping is the next thing it hears."""
        await self.say(type="ping", id="end")
        return await self.hear() == {"type": "pong", "id": "end"}

    async def leave(self) -> None:
        if self._ws is not None:
            await self._ws.close()

    async def reads_to_the_end(self) -> int:
        """Hear everything that was still sent; the close code."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self.hear()
        return await self.is_shown_out()

    async def is_shown_out(self) -> int:
        """Read to the end; the close code."""
        async with asyncio.timeout(5):
            await self.ws.wait_closed()
        assert self.ws.close_code is not None
        return self.ws.close_code


def with_limits(house: House, **limits: Any) -> House:
    house.door = replace(house.door, limits=replace(house.door.limits, **limits))
    return house


def bare(frame: Mapping[str, Any]) -> Frame:
    """A frame without its number and time."""
    return {name: value for name, value in frame.items() if name not in {"seq", "at"}}
