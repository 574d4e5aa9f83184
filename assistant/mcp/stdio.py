"""A server as a child process: started with little of our environment, spoken to line by line, always ended.

Needs the SDK: import it only where a server runs.
"""

import asyncio
import os
import signal
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from assistant.mcp.config import ProcessTransport
from assistant.mcp.messages import MessageStreams, unreadable_answer
from assistant.mcp.status import ServerLogSink, Unreachable
from assistant.ports import Clock

_END_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """The ends of a line that is too long to be kept; ``tail`` is empty as long as the line has not ended."""

    head: bytes
    tail: bytes = b""


class LineSplitter:
    r"""Takes bytes as they come, gives whole lines; of one that is longer than ``longest`` bytes, only its ends.

    Such a line is given twice: as soon as it is too long, and when it has ended.

    >>> lines = LineSplitter(longest=5)
    >>> [*lines.feed(b"one\ntw")], [*lines.feed(b"o\nmuch too")]
    ([b'one'], [b'two', LineTooLong(head=b'much too', tail=b'')])
    >>> [*lines.feed(b" long\n3\n")]
    [LineTooLong(head=b'much too', tail=b'much too long'), b'3']
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._too_long: LineTooLong | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | LineTooLong]:
        """The lines that end in this chunk, without their ends."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield from self._add(part)
            if self._too_long is None:
                yield bytes(self._begun)
            else:
                yield self._too_long
            self._begun.clear()
            self._too_long = None
        yield from self._add(rest)

    def _add(self, part: bytes) -> Iterator[LineTooLong]:
        if self._too_long is not None:
            tail = (self._too_long.tail + part)[-_END_BYTES:]
            self._too_long = LineTooLong(self._too_long.head, tail)
            return
        self._begun += part
        if len(self._begun) > self._longest:
            head, tail = bytes(self._begun[:_END_BYTES]), bytes(self._begun[-_END_BYTES:])
            self._begun.clear()
            yield LineTooLong(head)
            self._too_long = LineTooLong(head, tail)


_BASICS = (
    *("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "PATHEXT", "SYSTEMROOT", "TEMP", "USERPROFILE"),
)
"""What a program needs to run at all; nothing of ours is secret in it."""

_PATIENCE_S = 1.0
"""So long it may take to end by itself, and again so long when it is asked to."""

_LOOK_S = 0.02


def environment_of(child: ProcessTransport, ours: Mapping[str, str]) -> dict[str, str]:
    """All that the process is given: basics, what is set for it, and the variables it is named for.

    >>> from pathlib import Path
    >>> child = ProcessTransport(command="crm", env=("CRM_TOKEN",), plain=(("REGION", "eu"),), folder=Path())
    >>> environment_of(child, {"CRM_TOKEN": "abc", "OPENAI_API_KEY": "sk-1", "HOME": "/root"})
    {'HOME': '/root', 'REGION': 'eu', 'CRM_TOKEN': 'abc'}
    """
    basics = {name: ours[name] for name in _BASICS if name in ours}
    return {**basics, **dict(child.plain), **{name: ours[name] for name in child.env}}


@asynccontextmanager
async def running_process(
    child: ProcessTransport, ours: Mapping[str, str], clock: Clock
) -> AsyncGenerator[Process]:
    """The process, ended in the end whatever happens: asked by its closed input, then told, then killed.

    Raises ``Unreachable`` when it cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            child.command,
            *child.args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment_of(child, ours),
            cwd=child.folder,
            # A group of its own: Ctrl-C is for us to pass on, and what it starts itself is ended with it.
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        what = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise Unreachable(f"cannot be started: {child.command!r}: {what}") from error
    try:
        yield process
    finally:
        try:
            await _end(process, clock)
        finally:
            # Whatever interrupted us, and whatever it has left behind.
            _signal(process, signal.SIGKILL)


async def _end(process: Process, clock: Clock) -> None:
    if process.stdin is not None:
        process.stdin.close()
    if not await _ended(process, clock):
        _signal(process, signal.SIGTERM)
        if not await _ended(process, clock):
            _signal(process, signal.SIGKILL)
            await _ended(process, clock)


async def _ended(process: Process, clock: Clock) -> bool:
    """Whether it ends within our patience. Its pipes may stay open: what it started can hold them."""
    until = clock.monotonic() + _PATIENCE_S
    while process.returncode is None:
        if clock.monotonic() >= until:
            return False
        await clock.sleep(_LOOK_S)
    return True


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


_CHUNK = 64 * 1024
_LONGEST_MESSAGE = 12_000_000
_LONGEST_MURMUR = 4_000

_END = 512
"""So many bytes at either end of an answer tell whose it is."""

_LAST_WORDS_S = 0.3

_UNSENT = 1000
"""So many messages may wait for a server that does not read; a caller must not have to wait for it, too."""


@asynccontextmanager
async def open_stdio(
    child: ProcessTransport, ours: Mapping[str, str], murmur: ServerLogSink, clock: Clock
) -> AsyncGenerator[MessageStreams]:
    """Start the process, and speak with it. Raises ``Unreachable`` when it cannot be started."""
    async with running_process(child, ours, clock) as process:
        assert process.stdin is not None  # noqa: S101 - pipes were asked for
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, out_of = anyio.create_memory_object_stream[SessionMessage](_UNSENT)
        gone = asyncio.Event()
        overhearing = asyncio.create_task(_log_stderr(process.stderr, murmur))
        pumps = [
            asyncio.create_task(_read_stdout(process.stdout, into, murmur, gone)),
            asyncio.create_task(_write_stdin(process.stdin, out_of, gone)),
            overhearing,
        ]
        try:
            yield MessageStreams(read=read, write=write, gone=gone)
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


async def _read_stdout(
    stdout: StreamReader,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    murmur: ServerLogSink,
    gone: asyncio.Event,
) -> None:
    lines = LineSplitter(_LONGEST_MESSAGE)
    try:
        async with into:
            while chunk := await stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    if (message := _parse_line(line, murmur)) is not None:
                        await into.send(message)
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # it has broken off, or nobody listens any more
    finally:
        gone.set()


async def _write_stdin(
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


async def _log_stderr(stderr: StreamReader, murmur: ServerLogSink) -> None:
    lines = LineSplitter(_LONGEST_MURMUR)
    while chunk := await stderr.read(_CHUNK):
        for line in lines.feed(chunk):
            if not isinstance(line, LineTooLong) and line.strip():
                murmur.note("mcp server says", line)


def _parse_line(line: bytes | LineTooLong, murmur: ServerLogSink) -> SessionMessage | None:
    """The message; for an answer that cannot be read an error in its place, so that no call waits for it."""
    if isinstance(line, LineTooLong):
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
