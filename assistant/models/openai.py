"""The clients for OpenAI and xAI: chat completions. xAI counts tokens differently."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import Json
from assistant.errors import ModelBroke
from assistant.formats.openai import OF_CALLS, OF_MESSAGES, joined
from assistant.formats.registry import WireRequest
from assistant.models.http_client import DirectModel
from assistant.models.streamed_reply import Reply, Usage, error_in_stream


class OpenAIModel(DirectModel):
    """A model behind chat completions. The base URL is "https://api.openai.com/v1" or similar."""

    def _url(self, base_url: str) -> str:
        return f"{base_url}/chat/completions"

    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {api_key}"} if api_key else {}

    def _reply(self, request: WireRequest) -> Reply:
        return ChatReply(request)


_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {"length": "length", "content_filter": "refused"}


def openai_usage(told: dict[str, Any]) -> Usage:
    """Read ``usage``. OpenRouter adds the cost of the reply, in credits of one US dollar.

    >>> openai_usage({"prompt_tokens": 9, "completion_tokens": 2, "cost": 0.25})
    Usage(input_tokens=9, output_tokens=2, cached_tokens=None, cost_usd=0.25)
    """
    details: dict[str, Any] = told.get("prompt_tokens_details") or {}
    return Usage(
        input_tokens=told.get("prompt_tokens"),
        output_tokens=told.get("completion_tokens"),
        cached_tokens=details.get("cached_tokens"),
        cost_usd=told.get("cost"),
    )


class ChatReply(Reply):
    """Reads a chat completion.

    Args:
        request: the request that it answers.
        usage: reads the token count.
    """

    __slots__ = ("_calls", "_count", "_opaque", "_provider", "_reason", "_usage")

    def __init__(self, request: WireRequest, usage: Callable[[dict[str, Any]], Usage] = openai_usage) -> None:
        super().__init__()
        self._provider = request.provider
        self._calls = OpenCalls(request)
        self._opaque = OpaqueFields(OF_MESSAGES)
        self._count = usage
        self._reason: _Reason = "stop"
        self._usage = Usage()

    def end(self) -> StreamEnded:
        """Returns the last chunk. Raises ``ModelBroke`` if the stream ended before the reply did."""
        if not (self.finished or self.done):
            raise ModelBroke("the stream ended before the reply did")
        self._calls.close()
        reason = self._reason
        if reason == "stop" and len(self._calls):
            reason = "tool_calls"  # Some servers report "stop" instead.
        used = self._usage
        return StreamEnded(reason, used.input_tokens, used.output_tokens, used.cached_tokens, used.cost_usd)

    def _read(self, event: bytes) -> str | list[Chunk]:
        if event == b"[DONE]":
            self.done = True
            return self._given_back()
        wire: dict[str, Any] = orjson.loads(event)
        return _plain_text(wire) or self._chunks(wire)

    def _chunks(self, wire: dict[str, Any]) -> list[Chunk]:
        chunks: list[Chunk] = []
        choices = wire.get("choices")
        if choices:
            choice = choices[0]
            delta = choice.get("delta")
            if delta:
                self._opaque.add_fields(delta)
                content = delta.get("content") or delta.get("refusal")
                if content and (text := content if isinstance(content, str) else _joined(content)):
                    chunks.append(TextDelta(text))
                calls = delta.get("tool_calls")
                if calls:
                    for call in calls:
                        chunks.extend(self._calls.add_delta(call))
            reason = choice.get("finish_reason")
            if reason:
                self._finish(reason)
                chunks += self._given_back()
        if used := wire.get("usage"):
            self._usage = self._count(used)
        if error := wire.get("error"):
            raise error_in_stream(error)
        return chunks

    def _given_back(self) -> list[Chunk]:
        """Returns the opaque fields that must be sent back with the calls.

        They are returned once, and only if there are calls.
        """
        kept, self._opaque = self._opaque, OpaqueFields(OF_MESSAGES)
        return [*kept.as_chunk(self._provider)] if len(self._calls) else []

    def _finish(self, reason: str) -> None:
        if reason == "error":
            raise ModelBroke("the provider broke off with an error that it does not name")
        self.finished = True
        self._reason = _REASONS.get(reason, "stop")


def _plain_text(wire: dict[str, Any]) -> str:
    """Returns the text of an event that contains nothing else, or "" for any other event."""
    choices = wire.get("choices")
    if not choices or "usage" in wire or "error" in wire:
        return ""
    choice = choices[0]
    delta = choice.get("delta")
    if not delta or choice.get("finish_reason") or "tool_calls" in delta or "refusal" in delta:
        return ""
    content = delta.get("content")
    return content if isinstance(content, str) else ""


def _joined(parts: list[dict[str, Any]]) -> str:
    """Returns the text of a list of content parts."""
    return "".join(part["text"] for part in parts if part.get("type") == "text")


class OpenCall:
    """A call's name and the part of its arguments that has arrived. ``index`` counts the reply's calls from
    0.

    ``provider`` is the name under which its opaque fields are stored.
    """

    __slots__ = ("_arguments", "_held", "_opaque", "_provider", "index", "name", "provider_id")

    def __init__(self, index: int, provider: str) -> None:
        self.index = index
        self._provider = provider
        self._opaque = OpaqueFields(OF_CALLS)
        self.name = ""
        self.provider_id: str | None = None
        self._arguments = ""
        self._held = ""  # arguments that arrived before the name

    def add_delta(
        self, name: str, provider_id: str | None, arguments: str, delta: Mapping[str, Any]
    ) -> Iterator[Chunk]:
        """Add one delta of this call; each part may be empty. A repeated name or id is ignored."""
        self.provider_id = self.provider_id or provider_id
        tells = self._opaque.add_fields(delta)
        if name and not self.name:
            self.name, tells = name, True
            yield CallNamed(self.index, name, self.provider_id)
            arguments, self._held = self._held + arguments, ""
        if tells and self.name:
            yield from self._opaque.as_chunk(self._provider, self.index)
        if not self.name:
            self._held += arguments
        elif arguments and not (arguments == self._arguments and self.complete):
            # Some servers send the complete call again at the end.
            self._arguments += arguments
            yield CallArguments(self.index, arguments)

    @property
    def complete(self) -> bool:
        """Whether the arguments are a complete JSON value, so that nothing can follow."""
        try:
            orjson.loads(self._arguments)
        except orjson.JSONDecodeError:
            return False
        return True


class OpenCalls:
    """Reads the calls of a reply, and numbers them from 0 in order."""

    __slots__ = ("_by_index", "_calls", "_request")

    def __init__(self, request: WireRequest) -> None:
        self._request = request
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def add_delta(self, delta: dict[str, Any]) -> Iterator[Chunk]:
        """Yields the chunks for one entry of a delta's ``tool_calls``."""
        function: dict[str, Any] = delta.get("function") or {}
        name = self._request.own_name(str(function.get("name") or ""))
        provider_id = str(delta["id"]) if delta.get("id") else None
        index = delta.get("index")
        call = self._meant(index, provider_id, name) or self._open(index)
        return call.add_delta(name, provider_id, _text(function.get("arguments")), delta)

    def close(self) -> None:
        """End the reply. Raises ``ModelBroke`` if a call has no name."""
        if any(not call.name for call in self._calls):
            raise ModelBroke("the reply contains a call without a name")

    def _meant(self, index: int | None, provider_id: str | None, name: str) -> OpenCall | None:
        """Returns the open call that a delta continues, or None if the delta begins a new one."""
        if index is not None:
            call = self._by_index.get(index)
        elif provider_id:
            call = next((call for call in self._calls if call.provider_id == provider_id), None)
            if call is None and not name:
                call = self._last
        else:
            # Without index and id, a name begins a new call if the arguments of the last one are complete.
            call = self._last
            if call and name and (name != call.name or call.complete):
                return None
        if call and name and provider_id and call.provider_id not in (None, provider_id):
            return None  # some servers give all calls the same index
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
    """Returns a call's arguments as JSON text, because some servers send the object itself."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()


class OpaqueFields:
    """Collects the opaque fields with these names, of one message or of one call."""

    __slots__ = ("_fields", "_names")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._fields: dict[str, Json] = {}

    def add_fields(self, delta: Mapping[str, Any]) -> bool:
        """Add the fields of one delta. Returns whether there were any."""
        came = False
        for name in self._names:
            value: Json = delta.get(name)
            if value:
                self._fields[name] = joined(self._fields.get(name), value)
                came = True
        return came

    def as_chunk(self, provider: str, index: int | None = None) -> list[Opaque]:
        """Returns the fields so far, marked for this provider, or empty if there are none."""
        return [Opaque(provider, dict(self._fields), index)] if self._fields else []


class XaiModel(OpenAIModel):
    """A model behind xAI's API. The base URL is "https://api.x.ai/v1" or similar."""

    def _reply(self, request: WireRequest) -> Reply:
        return ChatReply(request, usage)


_TICKS = 10_000_000_000  # per US dollar


def usage(told: dict[str, Any]) -> Usage:
    """Read ``usage``. Unlike OpenAI's, xAI's completion tokens do not include thinking.

    >>> usage({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 51}).output_tokens
    42
    >>> usage({"cost_in_usd_ticks": 37_756_000}).cost_usd
    0.0037756
    """
    counted = openai_usage(told)
    total, ticks = told.get("total_tokens"), told.get("cost_in_usd_ticks")
    if total is not None and counted.input_tokens is not None:
        counted = replace(counted, output_tokens=total - counted.input_tokens)
    return replace(counted, cost_usd=None if ticks is None else ticks / _TICKS)
