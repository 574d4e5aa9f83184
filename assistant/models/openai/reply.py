"""One streamed reply: the provider's events in, our chunks out. Pure: it reads no socket and no clock."""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import orjson

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelBroke, ModelError
from assistant.formats.formatter import WireRequest
from assistant.models.http.refusal import error_in_stream
from assistant.models.openai.calls import OpenCalls

_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {"length": "length", "content_filter": "refused"}


class Reply:
    """Follows one reply from its first event to its last.

    ``finished``: the provider has said why it stopped; only the count of tokens may follow.
    ``done``: it has said that nothing follows.
    """

    __slots__ = ("_calls", "_input_tokens", "_output_tokens", "_reason", "done", "finished")

    def __init__(self, request: WireRequest) -> None:
        self.done = False
        self.finished = False
        self._calls = OpenCalls(request)
        self._reason: _Reason = "stop"
        self._input_tokens: int | None = None
        self._output_tokens: int | None = None

    def take_all(self, events: Iterable[bytes]) -> Iterator[Chunk]:
        """The chunks of the events that came together; text that stands together is one chunk.

        Raises as :meth:`take` does, after what was good before.
        """
        text = ""
        failure: ModelError | None = None
        for event in events:
            try:
                found = self._read(event)
            except ModelError as error:
                failure = error
                break
            if isinstance(found, str):
                text += found
                continue
            for chunk in found:
                if isinstance(chunk, TextDelta):
                    text += chunk.text
                    continue
                if text:
                    yield TextDelta(text)
                    text = ""
                yield chunk
        if text:
            yield TextDelta(text)
        if failure is not None:
            raise failure

    def take(self, event: bytes) -> list[Chunk]:
        """The chunks that an event brings, often one, sometimes none.

        Raises ``ModelBroke`` for what cannot be read, and what the provider reports in the stream.
        """
        found = self._read(event)
        if isinstance(found, str):
            return [TextDelta(found)] if found else []
        return found

    def _read(self, event: bytes) -> str | list[Chunk]:
        """One event: its text when it brings nothing else, as most do, or its chunks."""
        if event == b"[DONE]":
            self.done = True
            return ""
        try:
            wire: dict[str, Any] = orjson.loads(event)
            return _plain_text(wire) or self._chunks(wire)
        except ModelError:
            raise
        except Exception as error:
            # Whatever is not shaped as agreed shows as one of many exceptions.
            raise ModelBroke(f"an event of the stream cannot be read: {error!r}") from error

    def end(self) -> StreamEnded:
        """The last chunk. Raises ``ModelBroke`` when the stream ended before the reply did."""
        if not (self.finished or self.done):
            raise ModelBroke("the stream ended before the reply did")
        self._calls.close()
        reason = self._reason
        if reason == "stop" and len(self._calls):
            reason = "tool_calls"  # Not every server says so.
        return StreamEnded(reason, self._input_tokens, self._output_tokens)

    def _chunks(self, wire: dict[str, Any]) -> list[Chunk]:
        chunks: list[Chunk] = []
        choices = wire.get("choices")
        if choices:
            choice = choices[0]
            delta = choice.get("delta")
            if delta:
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
        usage = wire.get("usage")
        if usage:
            self._input_tokens = usage.get("prompt_tokens")
            self._output_tokens = usage.get("completion_tokens")
        if error := wire.get("error"):
            raise error_in_stream(error)
        return chunks

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
