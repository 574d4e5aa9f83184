"""The customer's client in a replayed conversation. It does what the web client does, without a page."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast

import orjson

from assistant.conversation.values import JsonObject
from assistant.ports import Clock
from assistant.replay.played import ReceivedFrame
from assistant.replay.player.server import MemoryConnection
from assistant.server.frames.frame import JsonFrame

LONGEST_S = 3600.0
"""The client stops waiting for an answer after this time."""

_PING = "end"


class Client:
    """Sends messages, records all received frames, and can reconnect.

    It sends each message again, with the same id, until the message is accepted or rejected.

    Args:
        locale: the page's language.
        clock: the times of frames.
        serve: serves a connection until it is lost.
        report: called if the server closes the connection or answers with an error.
    """

    def __init__(
        self,
        locale: str,
        clock: Clock,
        serve: Callable[[MemoryConnection], Awaitable[None]],
        report: Callable[[str], None],
    ) -> None:
        self.frames: list[ReceivedFrame] = []
        self.view = ClientView()
        self.rejected: set[str] = set()
        self._clock, self._serve, self._report = clock, serve, report
        self._hello: JsonFrame = {"type": "hello", "locale": locale}
        self._began_ms = clock.now_ms()
        self._connection: MemoryConnection | None = None
        self._served: asyncio.Future[None] | None = None
        self._welcomed = False
        self._unsent: dict[str, JsonFrame] = {}
        self._news = asyncio.Event()
        self._ponged = False

    @property
    def cursor(self) -> int:
        """The number of the last received frame."""
        return cast("int", self._hello.get("last_seq", 0))

    def connect(self) -> None:
        """Connect, and send ``hello`` with the client's state."""
        line = self._connection = MemoryConnection(self._hear, self._lost)
        self._welcomed = False
        line.say(self._hello)
        self._served = asyncio.ensure_future(self._serve(line))

    def disconnect(self) -> bool:
        """Drop the connection immediately. Returns False if there was none."""
        line, self._connection = self._connection, None
        if line is not None:
            line.cut()
        return line is not None

    async def wait_until_disconnected(self) -> None:
        """Wait until the server has noticed the disconnection."""
        # A connection without a welcome may be waiting for the server that is about to start.
        if self._served is not None and self._welcomed:
            await asyncio.wait({self._served}, timeout=LONGEST_S)

    def send_message(self, client_id: str, text: str, locale: str | None) -> None:
        """Send a message."""
        self._say(client_id, {"type": "message", "id": client_id, "text": text, "locale": locale})

    def answer_question(self, client_id: str, answer: Literal["yes", "no"], label: str) -> bool:
        """Press a button of the last question. Returns False if there was no question yet."""
        if self.view.question is None:
            return False
        frame: JsonFrame = {"type": "confirm", "id": client_id, "confirmation_id": self.view.question}
        self._say(client_id, {**frame, "answer": answer, "label": label})
        return True

    def send(self, type_: str) -> bool:
        """Send a frame of this type without fields. Returns False if the client is not connected."""
        return self._send({"type": type_})

    async def receive_rest(self) -> None:
        """Wait until all frames so far have been received."""
        self._ponged = False
        if self._connection is not None:
            self._connection.say({"type": "ping", "id": _PING})
            await self.wait_until(lambda: self._ponged)

    def recheck(self) -> None:
        """Test the condition of :meth:`wait_until` again, because something has changed without a frame."""
        self._news.set()

    async def wait_until(self, so: Callable[[], bool]) -> None:
        """Wait until a frame or :meth:`recheck` makes the condition true.

        Raises ``TimeoutError`` after ``LONGEST_S``.
        """
        async with self._clock.timeout(LONGEST_S):
            while not so():
                self._news.clear()
                await self._news.wait()

    def _say(self, client_id: str, frame: JsonFrame) -> None:
        self._unsent[client_id] = frame
        self._send(frame)

    def _send(self, frame: JsonFrame) -> bool:
        """Send a frame, if the client is connected."""
        if self._connection is None or not self._welcomed:
            return False
        self._connection.say(frame)
        return True

    def _lost(self, why: str) -> None:
        self._connection = None
        self._report(f"the server hung up: {why}")

    def _hear(self, raw: str) -> None:
        frame: dict[str, Any] = orjson.loads(raw)
        if frame["type"] == "pong":
            self._ponged = True
        else:
            self._keep(frame)
            self._follow(frame)
        self._news.set()

    def _keep(self, frame: Mapping[str, Any]) -> None:
        kept: JsonObject = {name: value for name, value in frame.items() if name != "token"}
        self.frames.append(ReceivedFrame(self._clock.now_ms() - self._began_ms, kept))

    def _follow(self, frame: Mapping[str, Any]) -> None:
        match frame["type"]:
            case "welcome":
                self._hello |= {"token": frame["token"], "epoch": frame["epoch"]}
                self._welcomed = True
                for unsent in list(self._unsent.values()):
                    self._send(unsent)
            case "accepted" | "rejected" as answer:
                self._unsent.pop(frame["id"], None)
                if answer == "rejected":
                    self.rejected.add(frame["id"])
            case "error":
                self._report(f"the server answered {frame['code']}: {frame['message']}")
            case _:
                pass
        if frame["type"] != "welcome" and "seq" in frame:
            self._hello["last_seq"] = max(self.cursor, frame["seq"])
        self.view.show(frame)


class ClientView:
    """The assistant's messages by turn, as far as they were received, and the last question with buttons.

    ``question`` stays after it is answered or expires, because a customer may press an old button.
    """

    def __init__(self) -> None:
        self.question: str | None = None
        self._texts: dict[str, str] = {}
        self._turns: dict[str, str] = {}
        self._watches: list[tuple[Callable[[], str | None], str, Callable[[], None]]] = []

    def show(self, frame: Mapping[str, Any]) -> None:
        """Apply a frame. Callbacks that wait for words in the frame run first."""
        match frame["type"]:
            case "snapshot":
                self._redraw(frame)
            case "message.started":
                self._put(frame, "")
            case "message.delta":
                self._texts[frame["message_id"]] += frame["text"]
            case "confirmation.requested":
                self.question = frame["confirmation_id"]
            case _:
                return
        self._call_watches()

    def when(self, turn: Callable[[], str | None], words: str, then: Callable[[], None]) -> None:
        """Call ``then`` once, as soon as these words are in a message of the turn with this id."""
        self._watches.append((turn, words, then))

    def _redraw(self, snapshot: Mapping[str, Any]) -> None:
        for message in snapshot["messages"]:
            if message["from"] == "assistant":
                self._put(message, message["text"])
        if (begun := snapshot["open_message"]) is not None:
            self._put(begun, begun["text"])
        if (question := snapshot["confirmation"]) is not None:
            self.question = question["confirmation_id"]

    def _put(self, message: Mapping[str, Any], text: str) -> None:
        self._texts[message["message_id"]] = text
        self._turns[message["message_id"]] = message["turn_id"]

    def _call_watches(self) -> None:
        due = [watch for watch in self._watches if self._shows(watch[0](), watch[1])]
        for watch in due:
            self._watches.remove(watch)
            watch[2]()

    def _shows(self, turn: str | None, words: str) -> bool:
        return any(words in text for message, text in self._texts.items() if self._turns[message] == turn)
