"""One streamed chat completion: its events in, our chunks out."""

from collections.abc import Callable
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelBroke
from assistant.formats.dialects import OF_MESSAGES
from assistant.formats.registry import WireRequest
from assistant.models.http.refusal import error_in_stream
from assistant.models.http.reply import Reply
from assistant.models.http.usage import Usage
from assistant.models.openai.calls import OpenCalls
from assistant.models.openai.opaque import OpaqueFields
from assistant.models.openai.usage import usage as openai_usage

_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {"length": "length", "content_filter": "refused"}


class ChatReply(Reply):
    """A chat completion.

    Args:
        request: what it answers.
        usage: reads the count of tokens.
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
        """The last chunk. Raises ``ModelBroke`` when the stream ended before the reply did."""
        if not (self.finished or self.done):
            raise ModelBroke("the stream ended before the reply did")
        self._calls.close()
        reason = self._reason
        if reason == "stop" and len(self._calls):
            reason = "tool_calls"  # Not every server says so.
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
                self._opaque.take(delta)
                content = delta.get("content") or delta.get("refusal")
                if content and (text := content if isinstance(content, str) else _joined(content)):
                    chunks.append(TextDelta(text))
                calls = delta.get("tool_calls")
                if calls:
                    for call in calls:
                        chunks.extend(self._calls.take(call))
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
        """What the provider wants back beside the calls, once; nobody is asked to keep it without any."""
        kept, self._opaque = self._opaque, OpaqueFields(OF_MESSAGES)
        return [*kept.as_chunk(self._provider)] if len(self._calls) else []

    def _finish(self, reason: str) -> None:
        if reason == "error":
            raise ModelBroke("the provider broke off with an error that it does not name")
        self.finished = True
        self._reason = _REASONS.get(reason, "stop")


def _plain_text(wire: dict[str, Any]) -> str:
    """The text of an event of the plainest kind; "" for every other."""
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
    """The text of a list of content parts."""
    return "".join(part["text"] for part in parts if part.get("type") == "text")
