"""Clients that break the protocol: each fault is one line in the log, and never a traceback."""

import asyncio
import logging
import socket
import struct
from collections.abc import Iterator

import orjson
import pytest
from structlog.testing import capture_logs

from tests.server.running_server import RunningServer

_HELLO = orjson.dumps({"type": "hello", "last_seq": 0, "locale": "en"})
_TEXT, _BINARY, _CLOSE, _PING = 1, 2, 8, 9


class RawClient:
    """A websocket client that sends what it is told, byte by byte."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    async def open(self, first: bytes = b"") -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        if first:
            self.writer.write(first)
            return
        self.writer.write(
            f"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:{self._server.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: meanwhile.v1\r\n\r\n".encode()
        )
        await self.reader.readuntil(b"\r\n\r\n")

    async def until_closed(self) -> bytes:
        """What the server still sends, until it closes the connection."""
        said = b""
        async with asyncio.timeout(20):
            try:
                while piece := await self.reader.read(65536):
                    said += piece
            except ConnectionError:
                pass
        self.writer.close()
        return said

    def reset(self) -> None:
        """End the connection without a word."""
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def frame(opcode: int, payload: bytes, *, fin: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    """A websocket frame, as broken as it should be."""
    size = len(payload)
    head = bytes([fin << 7 | reserved << 4 | opcode])
    mark = 0x80 if masked else 0
    if size < 126:
        head += bytes([mark | size])
    elif size < 65536:
        head += bytes([mark | 126]) + struct.pack(">H", size)
    else:
        head += bytes([mark | 127]) + struct.pack(">Q", size)
    if not masked:
        return head + payload
    key = b"mask"
    return head + key + bytes(byte ^ key[place % 4] for place, byte in enumerate(payload))


@pytest.fixture
def web_server_log() -> Iterator[list[logging.LogRecord]]:
    """What the web server logs in spite of the filter."""
    kept: list[logging.LogRecord] = []
    handler = logging.Handler()
    handler.emit = kept.append  # pyright: ignore[reportAttributeAccessIssue]
    logger = logging.getLogger("uvicorn.error")
    logger.addHandler(handler)
    yield kept
    logger.removeHandler(handler)


_BROKEN = {
    "oversized": [frame(_TEXT, b"x" * 70_000)],
    "oversized in fragments": [frame(_TEXT, b"x" * 50_000, fin=False), frame(0, b"x" * 50_000)],
    "oversized sound": [frame(_BINARY, b"x" * 70_000)],
    "announced as endless": [bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 40)],
    "no UTF-8": [frame(_TEXT, b"\xff\xfe")],
    "half a character": [frame(_TEXT, b'{"type":"ping","id":"\xc3"}')],
    "not masked": [frame(_TEXT, b"{}", masked=False)],
    "unknown opcode": [frame(3, b"{}")],
    "reserved bits": [frame(_TEXT, b"{}", reserved=4)],
    "continues nothing": [frame(0, b"{}")],
    "ping in fragments": [frame(_PING, b"x", fin=False)],
    "close of one byte": [frame(_CLOSE, b"x")],
    "close with a code that there is not": [frame(_CLOSE, struct.pack(">H", 999))],
    "close with a reason that is no UTF-8": [frame(_CLOSE, struct.pack(">H", 1000) + b"\xff")],
}


@pytest.mark.parametrize("greets", [True, False])
@pytest.mark.parametrize("case", _BROKEN)
async def test_a_broken_frame_causes_no_traceback(
    server: RunningServer, web_server_log: list[logging.LogRecord], case: str, greets: bool
) -> None:
    client = RawClient(server)
    with capture_logs() as lines:
        await client.open()
        for one in ([frame(_TEXT, _HELLO)] if greets else []) + _BROKEN[case]:
            client.writer.write(one)
        await client.until_closed()

    assert [line["event"] for line in lines if line["log_level"] != "info"] == []
    assert web_server_log == []


@pytest.mark.parametrize(
    "broken", [frame(_TEXT, b"x" * 70_000), frame(_TEXT, b"\xff")], ids=["oversized", "no UTF-8"]
)
async def test_a_broken_frame_while_an_answer_is_sent_causes_no_traceback(
    server: RunningServer, web_server_log: list[logging.LogRecord], broken: bytes
) -> None:
    client = RawClient(server)
    with capture_logs() as lines:
        await client.open()
        client.writer.write(frame(_TEXT, _HELLO))
        await client.reader.readexactly(2)
        # The server answers each of these; it has closed the connection before it sends the last answers.
        pings = b"".join(frame(_TEXT, b'{"type":"ping","id":"%d"}' % number) for number in range(50))
        client.writer.write(pings + broken + pings)
        await client.until_closed()

    assert [line["event"] for line in lines if line["log_level"] != "info"] == []
    assert web_server_log == []


async def test_a_client_that_is_silent_or_gone_causes_no_traceback(
    server: RunningServer, web_server_log: list[logging.LogRecord]
) -> None:
    half, gone = RawClient(server), RawClient(server)
    with capture_logs() as lines:
        for client in (half, gone):
            await client.open()
            client.writer.write(frame(_TEXT, _HELLO))
            await client.reader.readexactly(2)
        half.writer.write_eof()
        gone.reset()
        await half.until_closed()

    assert lines == []
    assert web_server_log == []


_HTTP = {
    "TLS on a plain port": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "no HTTP": b"HELO example\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "a length that is no number": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n",
    "a header with NUL": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX\x00: 1\r\n\r\n",
    "a broken chunk": b"POST /v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
    "an endless address": b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "an upgrade without a key": b"GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\r\n",
}


@pytest.mark.parametrize("case", _HTTP)
async def test_broken_http_causes_no_traceback(
    server: RunningServer, web_server_log: list[logging.LogRecord], case: str
) -> None:
    client = RawClient(server)
    with capture_logs() as lines:
        await client.open(_HTTP[case])
        await client.until_closed()

    assert [line["event"] for line in lines if line["log_level"] != "info"] == []
    assert web_server_log == []


async def test_a_fault_is_logged_in_one_line(server: RunningServer) -> None:
    client = RawClient(server)
    with capture_logs() as lines:
        await client.open(b"HELO example\r\n\r\n")
        await client.until_closed()

    assert lines == [
        {"event": "client at fault", "why": "Invalid HTTP request received", "log_level": "info"}
    ]
