"""Messages to and from a server, through the pipes of a process or over HTTP.

It needs the SDK, which takes a second to import: import it only if a server is used.
"""

import asyncio
import os
import re
import signal
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, cast

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import ReadStream, WriteStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from assistant.mcp.config import HttpTransport, ProcessTransport
from assistant.mcp.status import ServerLogSink, Unreachable
from assistant.ports import Clock
from assistant.tools.http.service import credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStreams:
    """The message streams of a connection. ``gone`` is set at its end, ``refused`` if the server refuses the
    credential.
    """

    read: ReadStream[SessionMessage | Exception]
    write: WriteStream[SessionMessage]
    gone: asyncio.Event
    refused: asyncio.Event = field(default_factory=asyncio.Event)


_NUMBER: Final = rb'(?P<id>-?\d{1,18}|"[^"\\]{1,200}")'
_VERSION: Final = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_ID_FIRST: Final = re.compile(
    rb"\s*\{\s*(%b,\s*)?\"id\"\s*:\s*%b\s*,\s*(%b,\s*)?\"(result|error)\"" % (_VERSION, _NUMBER, _VERSION)
)
_RESULT_FIRST: Final = re.compile(rb"\s*\{\s*(%b,\s*)?\"(result|error)\"" % _VERSION)
_ID_LAST: Final = re.compile(rb",\s*\"id\"\s*:\s*%b\s*(,\s*%b)?\}\s*\Z" % (_NUMBER, _VERSION))

_KNOWN_VERSION: Final = "2025-11-25"


def unreadable_answer(head: bytes, tail: bytes, why: str) -> SessionMessage | None:
    """Returns an error in place of an unreadable answer.

    Returns None if ``head`` and ``tail`` are not the ends of an answer.

    All libraries write an answer's id first or last, so the two ends are enough to find it. Content of the
    result cannot be mistaken for the id.
    """
    found = _ID_FIRST.match(head)
    if found is None and _RESULT_FIRST.match(head):
        found = _ID_LAST.search(tail)
    if found is None:
        return None
    written = found["id"].decode(errors="replace")
    id_ = written.strip('"') if written.startswith('"') else int(written)
    error = ErrorData(code=PARSE_ERROR, message=why)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=id_, error=error))


class ToolListFilter(ReadStream[SessionMessage | Exception]):
    """A stream of a server's messages that removes unusable tools from lists of tools.

    Attributes:
        version: the version of the protocol, on which the check of a tool depends.
        left_out: the removed tools by name, with the reasons.
    """

    def __init__(self, inner: ReadStream[SessionMessage | Exception]) -> None:
        self.version = _KNOWN_VERSION
        self.left_out: dict[str, str] = {}
        self._inner = inner

    @property
    def last_context(self) -> Any:
        """The sender's context, which the SDK may read."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """Returns the next message."""
        return self._fit(await self._inner.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._inner.aclose()

    def __aiter__(self) -> "ToolListFilter":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._fit(await self._inner.__anext__())

    async def __aenter__(self) -> "ToolListFilter":
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, error, where)

    def _fit(self, message: SessionMessage | Exception) -> SessionMessage | Exception:
        if not isinstance(message, SessionMessage) or not isinstance(message.message, JSONRPCResponse):
            return message
        result = message.message.result
        tools = result.get("tools")
        if isinstance(tools, list):
            result["tools"] = [tool for tool in cast("list[object]", tools) if self._is_fit(tool, result)]
        return message

    def _is_fit(self, tool: object, result: dict[str, Any]) -> bool:
        try:
            validate_server_result("tools/list", self.version, {**result, "tools": [tool]})
        except ValidationError as error:
            # An error in the list itself is handled where the list is used.
            ours = [one for one in error.errors(include_url=False) if one["loc"][:2] == ("tools", 0)]
            if not ours:
                return True
            where = ".".join(map(str, ours[0]["loc"][2:])) or "it"
            name = cast("dict[str, object]", tool).get("name") if isinstance(tool, dict) else None
            self.left_out[str(name or "a tool without a name")[:100]] = f"{where}: {ours[0]['msg']}"[:300]
            return False
        return True


_END_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class LineTooLong:
    """The two ends of a line that is too long. ``tail`` is empty until the line has ended."""

    head: bytes
    tail: bytes = b""


class LineSplitter:
    r"""Splits bytes into lines. Of a line that is longer than ``longest`` bytes, only the two ends are kept.

    Such a line is returned twice: as soon as it is too long, and at its end.

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
        """Yields the lines that end in this chunk, without line ends."""
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
"""Environment variables that a program needs to run. They contain no secret of ours."""

_PATIENCE_S = 1.0
"""The time for a process to end by itself, and again after a signal."""

_LOOK_S = 0.02


def environment_of(child: ProcessTransport, ours: Mapping[str, str]) -> dict[str, str]:
    """Returns the complete environment of the process: basic variables, its own, and those that it takes from
    ours.

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
    """Start the process. At the end of the block it is always ended: by closing its input, then by a signal,
    then by force.

    Raises ``Unreachable`` if it cannot be started.
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
            # Its own process group: we forward Ctrl-C ourselves, and processes that it started end with it.
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
            # Even after an exception, and including processes that it left behind.
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
    """Whether the process ends in time. Its pipes may stay open, because child processes can hold them."""
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
"""The bytes at each end of an answer that are enough to find the request that it belongs to."""

_LAST_WORDS_S = 0.3

_UNSENT = 1000
"""The most messages that wait for a server that does not read. Callers do not wait for it."""


@asynccontextmanager
async def open_stdio(
    child: ProcessTransport, ours: Mapping[str, str], log_sink: ServerLogSink, clock: Clock
) -> AsyncGenerator[MessageStreams]:
    """Start the process and connect to it. Raises ``Unreachable`` if it cannot be started."""
    async with running_process(child, ours, clock) as process:
        assert process.stdin is not None  # noqa: S101 - pipes were asked for
        assert process.stdout is not None  # noqa: S101
        assert process.stderr is not None  # noqa: S101
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, out_of = anyio.create_memory_object_stream[SessionMessage](_UNSENT)
        gone = asyncio.Event()
        overhearing = asyncio.create_task(_log_stderr(process.stderr, log_sink))
        pumps = [
            asyncio.create_task(_read_stdout(process.stdout, into, log_sink, gone)),
            asyncio.create_task(_write_stdin(process.stdin, out_of, gone)),
            overhearing,
        ]
        try:
            yield MessageStreams(read=read, write=write, gone=gone)
        finally:
            if gone.is_set():
                # The last output of a process often explains why it ended.
                await asyncio.wait({overhearing}, timeout=_LAST_WORDS_S)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            for stream in (into, read, write, out_of):
                stream.close()
            log_sink.close()


async def _read_stdout(
    stdout: StreamReader,
    into: MemoryObjectSendStream[SessionMessage | Exception],
    log_sink: ServerLogSink,
    gone: asyncio.Event,
) -> None:
    lines = LineSplitter(_LONGEST_MESSAGE)
    try:
        async with into:
            while chunk := await stdout.read(_CHUNK):
                for line in lines.feed(chunk):
                    if (message := _parse_line(line, log_sink)) is not None:
                        await into.send(message)
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the process has ended, or the reader has closed the stream
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
        pass  # the process no longer reads
    finally:
        gone.set()


async def _log_stderr(stderr: StreamReader, log_sink: ServerLogSink) -> None:
    lines = LineSplitter(_LONGEST_MURMUR)
    while chunk := await stderr.read(_CHUNK):
        for line in lines.feed(chunk):
            if not isinstance(line, LineTooLong) and line.strip():
                log_sink.note("mcp server says", line)


def _parse_line(line: bytes | LineTooLong, log_sink: ServerLogSink) -> SessionMessage | None:
    """Returns the message in a line.

    An unreadable answer becomes an error, so that no call waits for it forever.
    """
    if isinstance(line, LineTooLong):
        if not line.tail:
            log_sink.note("mcp server said too much at once", b"more than %d bytes" % _LONGEST_MESSAGE)
        return unreadable_answer(line.head, line.tail, f"the answer is longer than {_LONGEST_MESSAGE} bytes")
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValidationError as error:
        if line.strip():
            log_sink.note("mcp server said something that is no message", line)
        why = str(error.errors(include_url=False, include_input=False)[0]["msg"])
        return unreadable_answer(line[:_END], line[-_END:], f"the answer is no message: {why[:200]}")


_LONGEST_ANSWER = 12_000_000
_BETWEEN_S = 30.0
_SILENT_S = 300.0
"""The longest silence of a stream. Calls have their own time limits."""


@asynccontextmanager
async def open_http(
    address: HttpTransport, ours: Mapping[str, str], token: str = ""
) -> AsyncGenerator[MessageStreams]:
    """Connect to the server at this address. Redirects are followed only within the same origin.

    With a customer's ``token``, each request is signed in as that customer, without any credential of the
    company.
    """
    auth = address.customer_auth if token and address.customer_auth is not None else address.auth
    headers = {**dict(address.headers), **credentials(auth, ours).for_customer(token).of("header")}
    timeout = httpx2.Timeout(_BETWEEN_S, read=_SILENT_S)
    # Proxies and .netrc files of the machine must not get these secrets.
    refused = asyncio.Event()
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=timeout, trust_env=False, transport=_Bounded(refused)
        ) as client,
        streamable_http_client(address.url, http_client=client, max_sse_event_size=_LONGEST_ANSWER) as (
            read,
            write,
        ),
    ):
        yield MessageStreams(read=read, write=write, gone=asyncio.Event(), refused=refused)


class _Bounded(httpx2.AsyncHTTPTransport):
    """Ends an answer that is too long. Streams of events have a limit for each event instead."""

    def __init__(self, refused: asyncio.Event) -> None:
        super().__init__()
        self._refused = refused

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            self._refused.set()
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Counted(response.stream)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: object) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)  # noqa: S101 - an async transport has no other
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._inner:
            length += len(chunk)
            if length > _LONGEST_ANSWER:
                # With this type the SDK fails one call; with any other it closes the connection.
                raise httpx2.StreamError(f"the answer is longer than {_LONGEST_ANSWER} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
