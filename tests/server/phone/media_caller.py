"""A caller over a media stream: plays the sound that it receives, and reports it with marks."""

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection

from assistant.audio import encode_mulaw
from tests.server.phone.company import Company
from tests.server.phone.twilio import CALL, Frame, Socket, asked, parameters

RATE = 8_000
_FRAME_S = 0.1
_LOUD = (9_000).to_bytes(2, "little") * round(RATE * _FRAME_S)
_QUIET = bytes(len(_LOUD))


class MediaCaller(Socket):
    """A telephone and its caller. ``played_s`` seconds of sound have come out of it."""

    def __init__(
        self, ws: ClientConnection, company: Company, call: str, shown: Mapping[str, str], **format_: object
    ) -> None:
        super().__init__(ws)
        self.company, self.call, self.parameters = company, call, shown
        self.format = {"encoding": "audio/x-mulaw", "sampleRate": RATE, "channels": 1, **format_}
        self.stream = "MZ00000000000000000000000000000001"
        self.played_s = 0.0
        self.cleared = 0
        self.marks = True
        self._waiting: list[bytes | str] = []
        self._news = asyncio.Event()
        self._speaks = 0.0
        self._tasks = [asyncio.create_task(self._play()), asyncio.create_task(self._microphone())]

    def take(self, frame: Frame) -> None:
        """Sound and marks wait in a row, and are forgotten when they are cleared."""
        super().take(frame)
        match frame["event"]:
            case "media":
                self._waiting.append(b64decode(frame["media"]["payload"]))
            case "mark":
                self._waiting.append(str(frame["mark"]["name"]))
            case "clear":
                marks, self._waiting = [one for one in self._waiting if isinstance(one, str)], []
                self.cleared += 1
                for name in marks:
                    self._tasks.append(asyncio.create_task(self._mark(name)))
            case other:
                raise AssertionError(f"Twilio knows no {other!r}")
        self._news.set()

    @property
    def ahead_s(self) -> float:
        """How much sound waits."""
        return sum(len(one) for one in self._waiting if isinstance(one, bytes)) / RATE

    async def begins(self) -> None:
        await self.send(event="connected", protocol="Call", version="1.0.0")
        await self.send(
            event="start",
            sequenceNumber="1",
            streamSid=self.stream,
            start={
                "accountSid": "AC00000000000000000000000000000000",
                "streamSid": self.stream,
                "callSid": self.call,
                "tracks": ["inbound"],
                "customParameters": dict(self.parameters),
                "mediaFormat": self.format,
            },
        )

    async def speaks(self, seconds: float = 1.0, *, then_s: float = 0.0) -> None:
        """Speak for this time, then listen for the same time."""
        self._speaks = seconds
        await asyncio.sleep(seconds + then_s)

    async def presses(self, keys: str) -> None:
        for key in keys:
            await self.send(
                event="dtmf",
                streamSid=self.stream,
                sequenceNumber="5",
                dtmf={"track": "inbound_track", "digit": key},
            )

    async def hang_up(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().hang_up()
        await asyncio.sleep(1)

    async def _play(self) -> None:
        while True:
            while not self._waiting:
                self._news.clear()
                await self._news.wait()
            first = self._waiting[0]
            if isinstance(first, str):
                self._waiting.pop(0)
                await self._mark(first)
                continue
            # A little at a time: it may be cleared meanwhile.
            some, left = first[:400], first[400:]
            self._waiting[:1] = [left] if left else []
            await asyncio.sleep(len(some) / RATE)
            self.played_s += len(some) / RATE

    async def _mark(self, name: str) -> None:
        if self.marks:
            await self.send(event="mark", sequenceNumber="4", streamSid=self.stream, mark={"name": name})

    async def _microphone(self) -> None:
        chunk = 0
        while True:
            await asyncio.sleep(_FRAME_S)
            loud = self._speaks > 0
            self._speaks -= _FRAME_S
            chunk += 1
            await self.send(
                event="media",
                sequenceNumber=str(chunk + 1),
                streamSid=self.stream,
                media={
                    "track": "inbound",
                    "chunk": str(chunk),
                    "timestamp": str(chunk * 100),
                    "payload": b64encode(encode_mulaw(_LOUD if loud else _QUIET)).decode(),
                },
            )


@asynccontextmanager
async def calling(
    company: Company,
    *,
    call: str = CALL,
    address: str = "/v1/phone/incoming",
    told_by: Company | None = None,
    sound: Mapping[str, object] | None = None,
    **form: str,
) -> AsyncGenerator[MediaCaller]:
    """Call: Twilio asks what to do, opens the stream that it is told to, and says which call it is.

    ``told_by`` is the server that Twilio asks, if the proxy passes the stream on to another.
    """
    response = await asked(told_by or company, address, CallSid=call, **form)
    stream = response.find("Connect/Stream")
    assert stream is not None
    ws = await Socket.connected(company, str(stream.get("url")))
    caller = MediaCaller(ws, company, call, parameters(stream), **(sound or {}))
    await caller.begins()
    try:
        yield caller
    finally:
        await caller.hang_up()
