"""One message of Anthropic's, chunk by chunk: a block of it is closed before the next begins."""

from collections.abc import Iterator, Mapping
from typing import Literal, assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.testing.fake_model import anthropic_events
from assistant.testing.fake_model.fields import fields

_REASONS: Mapping[str, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refused": "refusal",
}


class Blocks:
    """Numbers the blocks, from 0; the message begins with the first chunk."""

    def __init__(self) -> None:
        self._index = -1
        self._open: Literal["", "text", "call"] = ""

    def take(self, chunk: Chunk) -> Iterator[bytes]:
        """The events of a chunk."""
        match chunk:
            case TextDelta(text=text):
                if self._open != "text":
                    yield from self._next("text")
                    yield anthropic_events.opened(self._index, {"type": "text", "text": ""})
                yield anthropic_events.words(self._index, text)
            case CallNamed(name=name, provider_id=id_):
                yield from self._next("call")
                yield anthropic_events.named(self._index, name, id_)
            case CallArguments(fragment=fragment):
                yield anthropic_events.fragment(self._index, fragment)
            case Opaque(value=value):
                yield from self._next()
                yield from anthropic_events.thinking(self._index, fields(value))
            case StreamEnded(reason=reason):
                yield from self._next()
                yield from anthropic_events.ending(_REASONS[reason])
            case _:
                assert_never(chunk)

    def _next(self, kind: Literal["", "text", "call"] = "") -> Iterator[bytes]:
        """Go on to the next block, which stays open for its kind."""
        if self._index < 0:
            yield from anthropic_events.begin()
        if self._open:
            yield anthropic_events.closed(self._index)
        self._index += 1
        self._open = kind
