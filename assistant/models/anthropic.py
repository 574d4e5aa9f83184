"""The client for Anthropic's messages API."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded
from assistant.conversation.values import Json
from assistant.errors import ModelBroke
from assistant.formats.json_text import json_text
from assistant.formats.registry import WireRequest
from assistant.models.http_client import DirectModel
from assistant.models.streamed_reply import Reply, Usage, error_in_stream

_VERSION = "2023-06-01"  # the version of the API; no other streams in this form


class AnthropicModel(DirectModel):
    """A model behind Anthropic's API.

    The base URL is "https://api.anthropic.com" or similar, with or without "/v1".
    """

    def _url(self, base_url: str) -> str:
        return f"{base_url.removesuffix('/v1')}/v1/messages"

    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        key = {"x-api-key": api_key} if api_key else {}
        return {"anthropic-version": _VERSION, **key}

    def _reply(self, request: WireRequest) -> Reply:
        return MessageReply(request)


_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class MessageReply(Reply):
    """Reads a reply: blocks of text, of thinking and of tool use, one after the other.

    Ignores other events.
    """

    __slots__ = ("_reason", "_thoughts", "_usage", "_uses")

    def __init__(self, request: WireRequest) -> None:
        super().__init__()
        self._uses = ToolUses(request)
        self._thoughts = Thoughts(request.provider)
        self._reason: _Reason = "stop"
        self._usage: dict[str, Any] = {}

    def end(self) -> StreamEnded:
        """Returns the last chunk. Raises ``ModelBroke`` if the stream ended before the message did."""
        if not (self.finished or self.done):
            raise ModelBroke("the stream ended before the reply did")
        used = usage(self._usage)
        return StreamEnded(self._reason, used.input_tokens, used.output_tokens, used.cached_tokens)

    def _read(self, event: bytes) -> str | list[Chunk]:
        wire: dict[str, Any] = orjson.loads(event)
        match wire["type"]:
            case "content_block_delta":
                return self._delta(wire)
            case "content_block_start":
                return self._block(wire)
            case "content_block_stop":
                return [*self._uses.close(wire["index"]), *self._thoughts.close(wire["index"])]
            case "message_start":
                self._count(wire["message"])
            case "message_delta":
                self._count(wire)
                self._finish(wire["delta"].get("stop_reason"))
            case "message_stop":
                self.done = True
            case "error":
                raise error_in_stream(wire.get("error"))
            case _:
                pass
        return ""

    def _block(self, wire: dict[str, Any]) -> str | list[Chunk]:
        block = wire["content_block"]
        match block["type"]:
            case "tool_use":
                return list(self._uses.open(wire["index"], block))
            case "text":
                return _text(block.get("text") or "")
            case "thinking" | "redacted_thinking":
                self._thoughts.open(wire["index"], block)
            case _:
                pass
        return ""

    def _delta(self, wire: dict[str, Any]) -> str | list[Chunk]:
        delta = wire["delta"]
        match delta["type"]:
            case "text_delta":
                return _text(delta["text"])
            case "input_json_delta":
                return list(self._uses.add(wire["index"], _text(delta["partial_json"])))
            case "thinking_delta":
                self._thoughts.add(wire["index"], "thinking", _text(delta["thinking"]))
            case "signature_delta":
                self._thoughts.add(wire["index"], "signature", _text(delta["signature"]))
            case _:
                pass
        return ""

    def _count(self, wire: dict[str, Any]) -> None:
        """Read a token count.

        A later count also covers the whole message, and may leave out unchanged values.
        """
        told: dict[str, Any] = wire.get("usage") or {}
        self._usage |= {name: count for name, count in told.items() if count is not None}

    def _finish(self, reason: str | None) -> None:
        if reason:
            self.finished = True
            self._reason = _REASONS.get(reason, "stop")


def _text(told: object) -> str:
    if not isinstance(told, str):
        raise TypeError("a text is none")
    return told


class ToolUses:
    """Reads the blocks of tool use.

    Blocks of all kinds share one numbering; calls are numbered separately, from 0.
    """

    __slots__ = ("_begun", "_calls", "_request")

    def __init__(self, request: WireRequest) -> None:
        self._request = request
        self._calls: dict[int, int] = {}  # a block's index -> its call's
        self._begun: set[int] = set()  # blocks some of whose arguments have come

    def open(self, index: int, block: Mapping[str, Any]) -> Iterator[Chunk]:
        """Begins a block whose tool is known. Yields its first chunks.

        Some servers send the complete arguments in this event.
        """
        call = self._calls[index] = len(self._calls)
        yield CallNamed(call, self._request.own_name(block["name"]), block.get("id"))
        if block.get("input"):
            yield from self.add(index, json_text(block["input"]))

    def add(self, index: int, fragment: str) -> Iterator[Chunk]:
        """Add a piece to a block's arguments."""
        if fragment:
            self._begun.add(index)
            yield CallArguments(self._calls[index], fragment)

    def close(self, index: int) -> Iterator[Chunk]:
        """Ends a block of any kind. Yields its missing chunks, if any. A call without argument events gets
        empty arguments.
        """
        if index in self._calls and index not in self._begun:
            yield from self.add(index, "{}")


class Thoughts:
    """Reads blocks of thinking. Each becomes one chunk when it is complete.

    Args:
        provider: the name under which the blocks are stored.
    """

    __slots__ = ("_blocks", "_provider")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks: dict[int, dict[str, Json]] = {}

    def open(self, index: int, block: Mapping[str, Any]) -> None:
        """Begin a block, with its first content."""
        self._blocks[index] = dict(block)

    def add(self, index: int, field: str, more: str) -> None:
        """Add to a field of a block. Raises ``KeyError`` for a block that has not begun."""
        block = self._blocks[index]
        block[field] = f"{block.get(field) or ''}{more}"

    def close(self, index: int) -> Iterator[Opaque]:
        """Ends a block of any kind. Yields its thinking as one chunk, if it has any.

        Thinking without a signature is dropped, because Anthropic refuses it if it is sent back.
        """
        block = self._blocks.pop(index, {})
        if block.get("signature") or block.get("data"):
            yield Opaque(self._provider, block)


def usage(told: Mapping[str, Any]) -> Usage:
    """Read ``usage``. Anthropic counts tokens that were written to its cache or read from it separately.

    >>> usage({"input_tokens": 5, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 2000})
    Usage(input_tokens=2105, output_tokens=None, cached_tokens=2000, cost_usd=None)
    """
    fresh = told.get("input_tokens")
    written, cached = told.get("cache_creation_input_tokens") or 0, told.get("cache_read_input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + written + (cached or 0),
        output_tokens=told.get("output_tokens"),
        cached_tokens=cached,
    )
