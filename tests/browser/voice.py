"""A customer who speaks: their actions, and the server's answers."""

import asyncio

from playwright.async_api import Locator, expect

from tests.browser.fake_server import FakeServer, Frame, Line, Value
from tests.browser.sound import tone
from tests.browser.visitor import Visitor

RATE = 24_000

KEEP_TRACK = """() => {
    const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async wishes => {
        const stream = await ask(wishes);
        [window.track] = stream.getAudioTracks();
        return stream;
    };
}"""
"""Keeps the microphone's track where a test can look at it."""


def sound(seconds: float) -> bytes:
    """Something to be played."""
    return tone(440, seconds=seconds, rate=RATE, loud=0.2)


def ready(mode: str = "hands_free", tempo: float = 1.0) -> Frame:
    """The server listens."""
    # As JSON, the number is one like any other.
    return {"type": "audio.ready", "mode": mode, "speak": True, "tempo": int(tempo)}


def activity(what: str) -> Frame:
    """What goes on."""
    return {"type": "audio.activity", "activity": what}


def heard(up_to: int) -> dict[str, Value]:
    """The fields of ``message.heard`` for the message of these tests."""
    return {"message_id": "m1", "up_to": up_to}


async def opened(ben: Visitor, server: FakeServer, resumed: str = "new") -> Line:
    """The chat, where one can speak."""
    await ben.opens_chat()
    line = await server.welcomed(resumed, voice={"ready": True, "problem": None})
    await expect(microphone(ben)).to_be_visible()
    return line


async def speaking(ben: Visitor, server: FakeServer) -> Line:
    """The chat with the microphone on, and a server that listens."""
    line = await opened(ben, server)
    await microphone(ben).click()
    start = await line.hears("audio.start")
    await line.says(ready(str(start["mode"])), activity("listening"))
    await expect(doing(ben)).to_have_text("Ready" if start["mode"] == "push_to_talk" else "Listening")
    return line


def microphone(ben: Visitor) -> Locator:
    """The button that switches it on and off."""
    return ben.button("Speak")


def doing(ben: Visitor) -> Locator:
    """What is said to go on."""
    return ben.panel.locator(".doing")


async def played(line: Line, clip: int, *, past_ms: int = 0) -> Frame:
    """The first report that at least this much of the clip was heard; reports about other clips are skipped."""
    while True:
        frame = await line.hears("audio.played")
        ms = frame["ms"]
        assert isinstance(ms, int)
        if frame["clip"] == clip and ms >= past_ms:
            return frame


async def silent(line: Line, clip: int) -> int:
    """How much of this clip had been heard when it fell silent, in milliseconds."""
    while True:
        frame = await played(line, clip)
        if not frame["playing"]:
            ms = frame["ms"]
            assert isinstance(ms, int)
            return ms


async def all_of(line: Line, clip: int) -> list[int]:
    """All reports of how much of this clip was heard, until it has ended."""
    told: list[int] = []
    async with asyncio.timeout(10):
        while True:
            frame = await played(line, clip)
            ms = frame["ms"]
            assert isinstance(ms, int)
            told.append(ms)
            if not frame["playing"]:
                return told
