"""One streamed reply: litellm's pieces in, our chunks out. Pure: it waits for nothing."""

from collections.abc import Iterator, Sequence
from typing import Literal

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.formats.dialects import OF_CALLS, OF_MESSAGES
from assistant.formats.registry import WireRequest
from assistant.models.http.usage import Usage
from assistant.models.litellm.loaded import Delta, LitellmChunk, LitellmUsage, ToolCallDelta
from assistant.models.openai.calls import OpenCalls
from assistant.models.openai.opaque import OpaqueFields

_Reason = Literal["stop", "tool_calls", "length", "refused"]
_REASONS: dict[str, _Reason] = {"length": "length", "content_filter": "refused"}


class LitellmReply:
    """Follows one reply. ``finished``: it has been said why it ended; nothing follows."""

    __slots__ = ("_calls", "_opaque", "_provider", "_reason", "finished")

    def __init__(self, request: WireRequest) -> None:
        self.finished = False
        self._provider = request.provider
        self._calls = OpenCalls(request)
        self._opaque = OpaqueFields(OF_MESSAGES)
        self._reason: _Reason = "stop"

    def take(self, piece: LitellmChunk) -> Iterator[Chunk]:
        """The chunks that a piece brings, often one, sometimes none."""
        for choice in piece.choices:
            delta = choice.delta
            if delta.content:
                yield TextDelta(delta.content)
            else:
                self._opaque.take(_fields(delta, OF_MESSAGES))
            for call in delta.tool_calls or ():
                yield from self._calls.take(_as_sent(call))
            if choice.finish_reason:
                self.finished = True
                self._reason = _REASONS.get(choice.finish_reason, "stop")
                if len(self._calls):
                    yield from self._opaque.as_chunk(self._provider)

    def end(self, used: Usage) -> StreamEnded:
        """The last chunk. Raises ``ModelBroke`` when a call never got a name."""
        self._calls.close()
        reason = self._reason
        if reason == "stop" and len(self._calls):
            reason = "tool_calls"
        return StreamEnded(reason, used.input_tokens, used.output_tokens, used.cached_tokens, used.cost_usd)


def usage_told(pieces: Sequence[LitellmChunk]) -> LitellmUsage | None:
    """The count of tokens that the provider gave, which stands near the end; None when it gave none.

    litellm's own count, where it has to make one up, is not asked for.
    """
    for piece in reversed(pieces):
        usage: LitellmUsage | None = getattr(piece, "usage", None)
        if usage is not None:
            return usage
    return None


def _as_sent(call: ToolCallDelta) -> dict[str, object]:
    function = call.function
    return {
        "index": call.index,
        "id": call.id,
        "function": {"name": function.name, "arguments": function.arguments},
        **_fields(call, OF_CALLS),
    }


def _fields(piece: Delta | ToolCallDelta, names: Sequence[str]) -> dict[str, object]:
    """The fields of these names that a piece has; litellm leaves those out that it was not told of."""
    return {name: value for name in names if (value := getattr(piece, name, None)) is not None}
