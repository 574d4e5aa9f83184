"""One streamed message: its events in, our chunks out."""

from collections.abc import Sequence
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import Chunk, StreamEnded
from assistant.errors import ModelBroke
from assistant.formats.registry import WireRequest
from assistant.models.anthropic.calls import ToolUses
from assistant.models.anthropic.thoughts import Thoughts
from assistant.models.anthropic.usage import usage
from assistant.models.http.refusal import error_in_stream
from assistant.models.http.reply import Reply

_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_PING = b'"ping"'
_HEAD = 32  # bytes of an event within which its type stands


class MessageReply(Reply):
    """A message: blocks of text, of thinking and of tool use, one after the other. All else is ignored."""

    __slots__ = ("_reason", "_thoughts", "_usage", "_uses")

    def __init__(self, request: WireRequest) -> None:
        super().__init__()
        self._uses = ToolUses(request)
        self._thoughts = Thoughts(request.provider)
        self._reason: _Reason = "stop"
        self._usage: dict[str, Any] = {}

    def shows_life(self, events: Sequence[bytes]) -> bool:
        """Whether there is more among them than pings."""
        return any(_PING not in event[:_HEAD] for event in events)

    def end(self) -> StreamEnded:
        """The last chunk. Raises ``ModelBroke`` when the stream ended before the message did."""
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
        """Later counts are of the whole message too, and may leave out what has not changed."""
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
