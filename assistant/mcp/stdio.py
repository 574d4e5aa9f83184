"""Messages to and from a server's process, line by line. Needs the SDK: imported only where a server is."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from assistant.mcp.child import running
from assistant.mcp.incoming import unreadable_answer
from assistant.mcp.lines import Lines, TooLong
from assistant.mcp.murmur import Murmur
from assistant.mcp.reach import Child
from assistant.mcp.streams import Streams
from assistant.ports import Clock

_CHUNK = 64 * 1024
_LONGEST_MESSAGE = 12_000_000
_LONGEST_MURMUR = 4_000

_END = 512
"""So many bytes at either end of an answer tell whose it is."""

_LAST_WORDS_S = 0.3

_UNSENT = 1000
"""So many messages may wait for a server that does not read; a caller must not have to wait for it, too."""


@asynccontextmanager
async def over_stdio(
    child: Child, ours: Mapping[str, str], murmur: Murmur, clock: Clock
) -> AsyncGenerator[Streams]:
    """Start the process, and speak with it. Raises ``Unreachable`` when it cannot be started."""
    async with running(child, ours, clock) as process:
        assert process.stdin is not None  # noqa: S101 - pipes were asked for
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, out_of = anyio.create_memory_object_stream[SessionMessage](_UNSENT)
        gone = asyncio.Event()
        overhearing = asyncio.create_task(_overhear(process.stderr, murmur))
        pumps = [
            asyncio.create_task(_hear(process.stdout, into, murmur, gone)),
            asyncio.create_task(_tell(process.stdin, out_of, gone)),
            overhearing,
        ]
        try:
            yield Streams(read=read, write=write, gone=gone)
        finally:
            if gone.is_set():
                # What a process says while it dies is why it does.
                await asyncio.wait({overhearing}, timeout=_LAST_WORDS_S)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for stream in (into, read, write, out_of):
                stream.close()
            murmur.close()


async def _hear(
    stdout: StreamReader,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    murmur: Murmur,
    gone: asyncio.Event,
) -> None:
    lines = Lines(_LONGEST_MESSAGE)
    try:
        async with into:
            while chunk := await stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    if (message := _heard(line, murmur)) is not None:
                        await into.send(message)
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # it has broken off, or nobody listens any more
    finally:
        gone.set()


async def _tell(
    stdin: StreamWriter, out_of: MemoryObjectReceiveStream[SessionMessage], gone: asyncio.Event
) -> None:
    try:
        async with out_of:
            async for session_message in out_of:
                written = session_message.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(f"{written}\n".encode())
                await stdin.drain()
    except OSError:
        pass  # it does not read any more
    finally:
        gone.set()


async def _overhear(stderr: StreamReader, murmur: Murmur) -> None:
    lines = Lines(_LONGEST_MURMUR)
    while chunk := await stderr.read(_CHUNK):
        for line in lines.feed(chunk):
            if not isinstance(line, TooLong) and line.strip():
                murmur.note("mcp server says", line)


def _heard(line: bytes | TooLong, murmur: Murmur) -> SessionMessage | None:
    """The message; for an answer that cannot be read an error in its place, so that no call waits for it."""
    if isinstance(line, TooLong):
        if not line.tail:
            murmur.note("mcp server said too much at once", b"more than %d bytes" % _LONGEST_MESSAGE)
        return unreadable_answer(line.head, line.tail, f"the answer is longer than {_LONGEST_MESSAGE} bytes")
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        if line.strip():
            murmur.note("mcp server said something that is no message", line)
        why = str(error.errors(include_url=False, include_input=False)[0]["msg"])
        return unreadable_answer(line[:_END], line[-_END:], f"the answer is no message: {why[:200]}")
