"""A client that reconnects, to any server, until its message is answered, and keeps all that it was shown."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage
from websockets.typing import Subprotocol

_GONE = (ConnectionClosed, InvalidHandshake, InvalidMessage, OSError, TimeoutError)

ANSWER_S = 90.0
"""After this time without an answer, a test fails: the customer was forgotten."""


@dataclass(slots=True)
class Shown:
    """A message as the customer has seen it: the longest text, and whether it was complete."""

    text: str = ""
    complete: bool = False


@dataclass(slots=True)
class Client:
    """Keeps the same state as a widget.

    ``shown``: by message id. ``sent``: the texts of its own messages, by id; ``accepted``: those that the
    server has confirmed. ``started``: how many ``tool.started`` came, by call. ``silences``: the waiting time
    before each frame while it waited for an answer. ``faults``: frames that it should never have received.

    Args:
        name: prefix of its message ids.
        ports: gives the servers' ports; called before each connection.
        random: chooses a server.
        url: of a server, with ``{port}`` in it.
        options: for the connection, such as the certificate that is trusted.
    """

    name: str
    ports: Callable[[], Sequence[int]]
    random: Random
    url: str = "ws://127.0.0.1:{port}/v1/ws"
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    shown: dict[str, Shown] = field(default_factory=dict[str, Shown])
    sent: dict[str, str] = field(default_factory=dict[str, str])
    accepted: dict[str, int] = field(default_factory=dict[str, int])
    started: dict[str, int] = field(default_factory=dict[str, int])
    silences: list[float] = field(default_factory=list[float])
    faults: list[str] = field(default_factory=list[str])
    closed: list[int] = field(default_factory=list[int])
    errors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    conversation: str = ""
    answered: int = 0
    on_delta: Callable[[], None] = lambda: None
    token: str | None = None
    _epoch: str | None = None
    _cursor: int = 0
    _turns: dict[str, str] = field(default_factory=dict[str, str])
    _done: set[str] = field(default_factory=set[str])
    _open: str = ""
    _heard_at: float = 0.0

    async def talk(self, over: asyncio.Event) -> None:
        """Order one item after another, until ``over`` is set and the last order is answered."""
        number = 0
        while not over.is_set():
            number += 1
            message = f"{self.name}-{number}"
            self.sent[message] = f"Please order item {message}."
            async with asyncio.timeout(ANSWER_S):
                await self.answer_of(message)
            self.answered += 1
            await asyncio.sleep(0.2 * self.random.random())

    async def answer_of(self, message: str) -> None:
        """Send a message, again after each broken connection, until its turn is completed."""
        self._open, self._heard_at = message, asyncio.get_running_loop().time()
        while message not in self._done:
            try:
                await self._connected()
            except _GONE as error:
                if isinstance(error, ConnectionClosed) and error.rcvd is not None:
                    self.closed.append(error.rcvd.code)
                await asyncio.sleep(0.05 + 0.1 * self.random.random())

    async def _connected(self) -> None:
        port = self.random.choice([*self.ports()])
        async with connect(
            self.url.format(port=port),
            subprotocols=[Subprotocol("meanwhile.v1")],
            proxy=None,
            compression=None,
            open_timeout=5,
            close_timeout=0.2,
            **self.options,
        ) as socket:
            hello = {"type": "hello", "token": self.token, "epoch": self._epoch, "last_seq": self._cursor}
            await socket.send(orjson.dumps(hello).decode())
            # Do not wait for a server that hangs.
            welcome = orjson.loads(await asyncio.wait_for(socket.recv(), 10))
            self._welcome(welcome)
            said = {"type": "message", "id": self._open, "text": self.sent[self._open]}
            await socket.send(orjson.dumps(said).decode())
            await self._listen(socket)

    async def _listen(self, socket: ClientConnection) -> None:
        last = self._cursor
        while self._open not in self._done:
            frame: dict[str, Any] = orjson.loads(await asyncio.wait_for(socket.recv(), 20))
            self._hear()
            seq = frame.get("seq")
            if frame["type"] == "snapshot":
                self._draw(frame)
                last = seq
            elif (
                seq is not None and frame["type"] != "accepted"
            ):  # a repeated one has the number of the first
                if seq <= last:
                    self.faults.append(f"{self.name}: number {seq} came after {last}: {frame}")
                last = seq
            self._take(frame)
            if seq is not None:
                self._cursor = max(self._cursor, seq)

    async def heard_something(self) -> None:
        """Wait until a frame has come after a silence."""
        async with asyncio.timeout(ANSWER_S):
            while not self.silences:  # noqa: ASYNC110 - a moment more or less does not matter
                await asyncio.sleep(0.05)

    def _hear(self) -> None:
        now = asyncio.get_running_loop().time()
        self.silences.append(now - self._heard_at)
        self._heard_at = now

    def _welcome(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "error":
            self.errors.append(frame)
            raise TimeoutError(frame["message"])
        assert frame["type"] == "welcome", frame
        assert self.conversation in ("", frame["conversation_id"]), "another conversation"
        if frame["resumed"] == "new":
            if self.shown:
                self.faults.append(f"{self.name}: everything it was shown is gone")
            self._cursor = 0
            self._turns.clear()
        self.conversation = frame["conversation_id"]
        self.token, self._epoch = frame["token"], frame["epoch"]

    def _draw(self, frame: dict[str, Any]) -> None:
        """Everything that was shown must be in this frame again."""
        drawn = {one["message_id"]: Shown(one["text"], complete=True) for one in frame["messages"]}
        if (unfinished := frame["open_message"]) is not None:
            drawn[unfinished["message_id"]] = Shown(unfinished["text"])
        for message, shown in self.shown.items():
            again = drawn.get(message)
            if again is None and frame["omitted"]:
                continue
            if again is None or not again.text.startswith(shown.text):
                where = f"at {self._cursor}, in a snapshot at {frame['seq']}"
                self.faults.append(f"{self.name}: {shown} became {again} {where}")
        self.shown |= {message: shown for message, shown in drawn.items() if message not in self.sent}
        self._cursor = frame["seq"]
        self._turns.clear()
        place = [*drawn].index(self._open) if self._open in drawn else len(drawn)
        if frame["turn_id"] is not None and place < len(drawn):
            self._turns[frame["turn_id"]] = self._open
        elif place + 1 < len(drawn):
            self._done.add(self._open)

    def _take(self, frame: dict[str, Any]) -> None:
        match frame["type"]:
            case "accepted":
                known = self.accepted.setdefault(frame["id"], frame["seq"])
                if known != frame["seq"]:
                    self.faults.append(f"{frame['id']} is entry {known} and {frame['seq']}")
            case "turn.started" if frame["client_id"] is not None:
                self._turns[frame["turn_id"]] = frame["client_id"]
            case "turn.completed":
                if (message := self._turns.get(frame["turn_id"])) is not None:
                    self._done.add(message)
            case "message.started":
                self.shown.setdefault(frame["message_id"], Shown())
            case "message.delta":
                self.shown.setdefault(frame["message_id"], Shown()).text += frame["text"]
                self.on_delta()
            case "message.completed":
                shown = self.shown.setdefault(frame["message_id"], Shown())
                if not frame["text"].startswith(shown.text):
                    self.faults.append(f"{self.name}: {shown} became {frame['text']!r}")
                shown.text, shown.complete = frame["text"], True
            case "tool.started":
                self.started[frame["call_id"]] = self.started.get(frame["call_id"], 0) + 1
            case "error":
                self.errors.append(frame)
            case "rejected":
                raise TimeoutError(frame["code"])  # it tries again later
            case _:
                pass
