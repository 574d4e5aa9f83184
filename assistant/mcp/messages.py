"""The message streams that the SDK runs on, and what a message goes through before the SDK sees it.

Needs the SDK: import it only where a server runs.
"""

import asyncio
import re
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, cast

from mcp.client._transport import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCResponse
from mcp_types.methods import validate_server_result
from pydantic import ValidationError


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStreams:
    """``gone`` is set when nothing can come any more; ``refused`` when the other side refuses the credential."""

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
    """An error in the place of an answer that cannot be read; None when these are not the ends of one.

    Where the answer's id stands first or last, as all libraries write it, the ends are enough to know it for
    certain: nothing inside the result can be taken for it.
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
    """A stream of a server's messages, in which lists of tools hold only those that can be used.

    Attributes:
        version: of the protocol that is spoken; what is fit depends on it.
        left_out: why each tool of the lists that came was left out, by its name.
    """

    def __init__(self, inner: ReadStream[SessionMessage | Exception]) -> None:
        self.version = _KNOWN_VERSION
        self.left_out: dict[str, str] = {}
        self._inner = inner

    @property
    def last_context(self) -> Any:
        """The sender's, where the SDK wants to know it."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        return self._fit(await self._inner.receive())

    async def aclose(self) -> None:
        """No more messages are wanted."""
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
            # An error of the list itself is the list's, and told there.
            ours = [one for one in error.errors(include_url=False) if one["loc"][:2] == ("tools", 0)]
            if not ours:
                return True
            where = ".".join(map(str, ours[0]["loc"][2:])) or "it"
            name = cast("dict[str, object]", tool).get("name") if isinstance(tool, dict) else None
            self.left_out[str(name or "a tool without a name")[:100]] = f"{where}: {ours[0]['msg']}"[:300]
            return False
        return True
