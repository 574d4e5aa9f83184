"""A connection to one MCP server, and the conversion of its answers to tool results.

It needs the SDK, which takes a second to import: import it only if a server is used.
"""

import asyncio
import base64
import binascii
import logging
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from inspect import cleandoc
from typing import cast

import orjson
import structlog
from anyio import BrokenResourceError, ClosedResourceError
from mcp.client.session import ClientSession, IncomingMessage
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    Implementation,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
    Tool,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from assistant.conversation.outcomes import Media
from assistant.conversation.values import Json, JsonObject
from assistant.errors import NO_REASON, ToolError
from assistant.mcp.approval import Definition
from assistant.mcp.config import HttpTransport, ProcessTransport, TransportConfig
from assistant.mcp.status import ServerLogSink, SignInRefused, Unreachable, Unreadable
from assistant.mcp.transports import MessageStreams, ToolListFilter, open_http, open_stdio
from assistant.ports import Clock
from assistant.tools.tool import NotSerializable, ResultTooLarge, ToolResult, refuse_too_large, to_json

log = structlog.get_logger(__name__)

_LARGEST_MEDIA = 11_000_000
"""The most characters of base64 for all pictures and files of a result, before they are scaled down: about
eight megabytes.

This is less than the limit of a message, so that a large file is left out and the call does not fail."""

_ERROR_SHOWN = 2000


def result_of(definition: Definition, answer: CallToolResult) -> ToolResult:
    """Convert the answer to a tool's result. Raises ``ToolError`` if the server reports an error.

    The value is the structured content, if there is any, otherwise the texts in order. A text that is a JSON
    object or list is parsed.
    """
    texts = [*_texts(answer.content)]
    if answer.is_error:
        said = "\n".join(texts)[:_ERROR_SHOWN]
        raise ToolError(NO_REASON, for_model=said or "The tool failed and did not say why.")
    media = _media(definition.name, answer.content)
    value = _value(definition, answer, "\n".join(texts))
    if value is None and not media and any(_files(answer.content)):
        raise ToolError(
            "what came back cannot be shown", for_model="The files that the tool gave are unusable."
        )
    return ToolResult(to_json(value), media)


def _value(definition: Definition, answer: CallToolResult, text: str) -> Json:
    if answer.structured_content is not None:
        return _unwrapped(definition, cast("Json", answer.structured_content))
    return _as_json(text) if text else None


def _unwrapped(definition: Definition, value: Json) -> Json:
    """Unwrap a value that a server had to put into an object: ``{"result": []}`` becomes an empty list."""
    properties = definition.output.get("properties") if definition.output is not None else None
    only = isinstance(properties, Mapping) and set(properties) == {"result"}
    return value["result"] if only and isinstance(value, Mapping) and set(value) == {"result"} else value


def _as_json(text: str) -> Json:
    refuse_too_large(text)
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return cast("Json", orjson.loads(text))
    except orjson.JSONDecodeError:
        return text


def _texts(content: Sequence[ContentBlock]) -> Iterator[str]:
    for block in content:
        if isinstance(block, TextContent):
            yield block.text
        elif isinstance(block, ResourceLink):
            yield f"{block.title or block.name}: {block.uri}"
        elif isinstance(block, EmbeddedResource) and not isinstance(block.resource, BlobResourceContents):
            yield block.resource.text


def _media(tool: str, content: Sequence[ContentBlock]) -> tuple[Media, ...]:
    media: list[Media] = []
    left = _LARGEST_MEDIA
    for one in _files(content):
        if not _is_base64(one.data):
            log.warning("a server's file is left out: it is no base64", tool=tool, mime=one.mime)
        elif len(one.data) > left:
            log.warning(
                "a server's file is left out: too large", tool=tool, mime=one.mime, size=len(one.data)
            )
        else:
            left -= len(one.data)
            media.append(one)
    return tuple(media)


def _files(content: Sequence[ContentBlock]) -> Iterator[Media]:
    for block in content:
        if isinstance(block, ImageContent | AudioContent):
            yield Media(mime=block.mime_type, data=block.data)
        elif isinstance(block, EmbeddedResource) and isinstance(block.resource, BlobResourceContents):
            mime = block.resource.mime_type or "application/octet-stream"
            yield Media(mime=mime, data=block.resource.blob, name=str(block.resource.uri).rpartition("/")[2])


def _is_base64(data: str) -> bool:
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


_PAGES = 20
_SHOWN = 2000

_FAILED = NO_REASON
_SENSELESS = "what came back makes no sense"

# Errors are logged here, once, and without the data that was sent.
for _name in ("mcp", "client", "httpx2"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


_FAILURES = (MCPError, ValidationError, RuntimeError, BrokenResourceError, ClosedResourceError)
"""The exceptions that a session raises if the server misbehaves or the connection breaks."""


class ServerConnection:
    """A connected server. ``gone`` is set when the connection is no longer usable."""

    def __init__(self, session: ClientSession, fit: ToolListFilter, gone: asyncio.Event) -> None:
        self.gone = gone
        self._session, self._fit = session, fit
        self._calls: set[asyncio.Task[CallToolResult]] = set()

    async def tools(self) -> Mapping[str, Definition]:
        """Returns all usable tools of the server, by name. Raises ``Unreachable``."""
        self._fit.left_out.clear()
        found: dict[str, Definition] = {}
        cursor: str | None = None
        for _ in range(_PAGES):
            page = await self._page(cursor)
            found |= {tool.name: definition_of(tool) for tool in page[0]}
            cursor = page[1]
            if not cursor:
                return found
        raise Unreachable(f"has more than {_PAGES} pages of tools")

    @property
    def left_out(self) -> Mapping[str, str]:
        """The server's tools that cannot be used, by name, with the reason."""
        return dict(self._fit.left_out)

    async def call(self, definition: Definition, arguments: JsonObject) -> ToolResult:
        """Call the tool. A cancellation notifies the server, but does not wait for it.

        Raises:
            ToolError: the tool reported an error.
            Unreadable: the answer cannot be used.
            Unreachable: the connection broke before the answer arrived.
        """
        calling = asyncio.create_task(self._session.call_tool(definition.name, dict(arguments)))
        self._calls.add(calling)
        calling.add_done_callback(self._forget)
        try:
            answer = await asyncio.shield(calling)
        except asyncio.CancelledError:
            calling.cancel()
            raise
        except MCPError as error:
            if error.message in _OVER:
                self.gone.set()
            if error.code == CONNECTION_CLOSED or error.message in _OVER:
                raise Unreachable(error.message) from error
            if error.code == PARSE_ERROR:
                raise Unreadable(
                    _FAILED, f"The tool's answer could not be read: {_first_line(error)}"
                ) from error
            raise ToolError(_FAILED, for_model=error.message[:_SHOWN]) from error
        except (BrokenResourceError, ClosedResourceError) as error:
            self.gone.set()
            raise Unreachable("the line is broken") from error
        except (ValidationError, RuntimeError) as error:
            raise Unreadable(
                _SENSELESS, f"The tool's answer could not be used: {_error_text(error)}"
            ) from error
        try:
            return result_of(definition, answer)
        except ResultTooLarge as error:
            raise Unreadable(error.say, str(error)) from error
        except NotSerializable as error:
            raise Unreadable(
                _SENSELESS, f"The tool's answer could not be used: {_first_line(error)}"
            ) from error

    async def _page(self, cursor: str | None) -> tuple[list[Tool], str | None]:
        params = PaginatedRequestParams(cursor=cursor) if cursor else None
        try:
            page = await self._session.list_tools(params=params)
        except _FAILURES as error:
            raise Unreachable(f"does not say what it offers: {_error_text(error)}") from error
        return page.tools, page.next_cursor

    def _forget(self, call: asyncio.Task[CallToolResult]) -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # the caller may have been cancelled


_OVER = ("Connection closed", "Session terminated")
"""Error messages of the SDK for a closed connection. A server sends the second for an unknown session."""


@asynccontextmanager
async def connect(
    reach: TransportConfig,
    ours: Mapping[str, str],
    *,
    log_sink: ServerLogSink,
    start_s: float,
    changed: Callable[[], None],
    clock: Clock,
    token: str = "",
) -> AsyncGenerator[ServerConnection]:
    """Connect to a server and initialise the session.

    Args:
        reach: the transport and its address.
        ours: our environment variables.
        log_sink: receives its log output.
        start_s: the time limit for the answer to the greeting, in seconds.
        changed: called whenever the server reports that its tools have changed.
        clock: measures the time.
        token: a customer's own token, for a connection that serves only this customer.

    Raises:
        Unreachable: the connection fails, or the server does not answer.
    """

    async def heard(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            changed()

    ourselves = Implementation(name="meanwhile", version="1")
    async with _streams(reach, ours, log_sink, clock, token) as streams, AsyncExitStack() as stack:
        fit = ToolListFilter(streams.read)
        session = await stack.enter_async_context(
            ClientSession(fit, streams.write, message_handler=heard, client_info=ourselves)
        )
        try:
            async with clock.timeout(start_s):
                await _initialize(session)
        except TimeoutError as error:
            raise Unreachable(f"has not answered the greeting after {start_s:g} s") from error
        except _FAILURES as error:
            kind = SignInRefused if streams.refused.is_set() else Unreachable
            raise kind(f"does not answer the greeting: {_error_text(error)}") from error
        fit.version = session.protocol_version or fit.version
        yield ServerConnection(session, fit, streams.gone)


def _streams(
    reach: TransportConfig, ours: Mapping[str, str], log_sink: ServerLogSink, clock: Clock, token: str
) -> AbstractAsyncContextManager[MessageStreams]:
    match reach:
        case ProcessTransport():
            return open_stdio(reach, ours, log_sink, clock)
        case HttpTransport():
            return open_http(reach, ours, token)


async def _initialize(session: ClientSession) -> None:
    """Initialise in the way that all servers support, and in the newer way if the server requires it."""
    try:
        await session.initialize()
    except MCPError as error:
        if error.code != UNSUPPORTED_PROTOCOL_VERSION:
            raise
        await session.discover()


def definition_of(tool: Tool) -> Definition:
    """Returns the parts of the tool that are used here. Icons and similar parts are left out."""
    annotations = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
    return Definition(
        name=tool.name,
        description=cleandoc(tool.description or tool.title or ""),
        input=cast("JsonObject", tool.input_schema),
        output=cast("JsonObject | None", tool.output_schema),
        annotations=cast("JsonObject", annotations),
    )


def _error_text(error: Exception) -> str:
    """Returns a one-line description of an error, without the data that was sent."""
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    return (str(error).partition("\n")[0] or type(error).__name__)[:_SHOWN]
