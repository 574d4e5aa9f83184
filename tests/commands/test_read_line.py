"""Lines from the keyboard."""

import asyncio
import io
import os
import sys
import threading

import pytest

from assistant.commands.chat import read_line


def keyboard(monkeypatch: pytest.MonkeyPatch, typed: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))


async def test_lines_come_one_by_one_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard(monkeypatch, b"hello\r\n\n  hej p\xc3\xa5 dig")

    assert [await read_line() for _ in range(4)] == ["hello", "", "  hej på dig", None]


async def test_invalid_bytes_end_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard(monkeypatch, b"\xff\n")

    assert await read_line() == "\ufffd"


async def test_no_more_is_read_from_a_pipe_than_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin, os.fdopen(writing, "wb", buffering=0) as typing:
        monkeypatch.setattr(sys, "stdin", stdin)
        line = asyncio.ensure_future(read_line())
        typing.write(b"yes\nno\n")

        assert await line == "yes"
        assert os.read(reading, 10) == b"no\n"


async def test_a_cancelled_caller_gets_no_line() -> None:
    here = threading.Event()

    def read() -> bytes:
        here.wait()
        return b"too late\n"

    line = asyncio.ensure_future(read_line(read))
    await asyncio.sleep(0)
    (keyboards,) = [thread for thread in threading.enumerate() if thread.name == "keyboard"]
    line.cancel()
    here.set()
    await asyncio.to_thread(keyboards.join)
    await asyncio.sleep(0)

    assert line.cancelled()
    assert keyboards.daemon


def test_a_line_after_the_end_is_dropped() -> None:
    here = threading.Event()

    def read() -> bytes:
        here.wait()
        return b"too late\n"

    async def leave() -> None:
        line = asyncio.ensure_future(read_line(read))
        await asyncio.sleep(0)
        line.cancel()

    asyncio.run(leave())
    here.set()
    for thread in threading.enumerate():
        if thread.name == "keyboard":
            thread.join()
