"""HTTP requests that come too slowly are ended; others are not disturbed."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from assistant.server.limits import Limits
from tests.server.client import Client
from tests.server.running_server import RunningServer, new_server, opened

HEAD = b"POST /v1/uploads?name=a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4000\r\n\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
IMPATIENT = Limits(headers_s=0.2, body_s=0.2, body_bytes_per_s=1_000)


@asynccontextmanager
async def connected(
    server: RunningServer,
) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def to_the_end(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(30):
        return await reader.read()


async def test_slowly_arriving_headers_are_answered_with_408() -> None:
    async with opened(new_server(), web_limits=IMPATIENT) as server, connected(server) as (reader, writer):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost:")
        answer = await to_the_end(reader)

    assert answer.startswith(b"HTTP/1.1 408 ")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head


async def test_a_silent_connection_is_closed() -> None:
    async with opened(new_server(), web_limits=IMPATIENT) as server, connected(server) as (reader, _):
        assert await to_the_end(reader) == b""


async def test_the_second_request_has_as_much_time_as_the_first() -> None:
    async with opened(new_server(), web_limits=IMPATIENT) as server, connected(server) as (reader, writer):
        writer.write(GET)
        first = await reader.readuntil(b"}")
        writer.write(b"GET /healthz")
        second = await to_the_end(reader)

    assert (first[:12], second[:12]) == (b"HTTP/1.1 200", b"HTTP/1.1 408")


async def test_a_slowly_arriving_body_is_ended() -> None:
    server = new_server()
    async with opened(server, web_limits=IMPATIENT), connected(server) as (reader, writer):
        # Refused at once, without its body: the connection is closed all the same.
        writer.write(HEAD + b"x")
        answer = await to_the_end(reader)

    assert answer.startswith(b"HTTP/1.1 404 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(("bytes_per_s", "ended"), [(1, False), (1_000_000, True)])
async def test_a_body_may_take_longer_while_it_arrives(bytes_per_s: int, ended: bool) -> None:
    limits = Limits(headers_s=0.2, body_s=0.2, body_bytes_per_s=bytes_per_s)
    async with opened(new_server(), web_limits=limits) as server, connected(server) as (reader, writer):
        writer.write(HEAD + b"x" * 1_000)
        await reader.readuntil(b"}")
        closed = asyncio.create_task(reader.read())
        done, _ = await asyncio.wait({closed}, timeout=1.0)
        closed.cancel()
        await asyncio.wait({closed})

    assert (closed in done) is ended


async def test_a_socket_stays_open_without_requests() -> None:
    async with opened(new_server(), web_limits=IMPATIENT) as server:
        ana = Client(server)
        await ana.enter()
        async with connected(server) as (reader, _):
            await to_the_end(reader)  # as long as a request may take
        assert await ana.hears_nothing_more()
