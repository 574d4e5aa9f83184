"""The tool calls of one reply, told apart whatever a server leaves out."""

from collections.abc import Iterator
from typing import Any

import orjson

from assistant.conversation.chunks import Chunk
from assistant.errors import ModelBroke
from assistant.formats.registry import WireRequest
from assistant.models.openai.call import OpenCall


class OpenCalls:
    """Follows the calls of a reply, numbered from 0 in the order in which they appear."""

    __slots__ = ("_by_index", "_calls", "_request")

    def __init__(self, request: WireRequest) -> None:
        self._request = request
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, delta: dict[str, Any]) -> Iterator[Chunk]:
        """What one entry of a delta's ``tool_calls`` brings."""
        function: dict[str, Any] = delta.get("function") or {}
        name = self._request.own_name(str(function.get("name") or ""))
        provider_id = str(delta["id"]) if delta.get("id") else None
        index = delta.get("index")
        call = self._meant(index, provider_id, name) or self._open(index)
        return call.take(name, provider_id, _text(function.get("arguments")), delta)

    def close(self) -> None:
        """The reply is over. Raises ``ModelBroke`` when a call never got a name."""
        if any(not call.name for call in self._calls):
            raise ModelBroke("the reply contains a call without a name")

    def _meant(self, index: int | None, provider_id: str | None, name: str) -> OpenCall | None:
        """The open call that a delta goes on with; None when it begins a new one."""
        if index is not None:
            call = self._by_index.get(index)
        elif provider_id:
            call = next((call for call in self._calls if call.provider_id == provider_id), None)
            if call is None and not name:
                call = self._last
        else:
            # Neither index nor id: a name begins a new call once the last one's arguments are whole.
            call = self._last
            if call and name and (name != call.name or call.complete):
                return None
        if call and name and provider_id and call.provider_id not in (None, provider_id):
            return None  # some servers give every call the same index
        return call

    @property
    def _last(self) -> OpenCall | None:
        return self._calls[-1] if self._calls else None

    def _open(self, index: int | None) -> OpenCall:
        call = OpenCall(len(self._calls), self._request.provider)
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call


def _text(arguments: object) -> str:
    """Arguments as JSON text; some servers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
