"""Turns a line of a script into the reply that a provider would stream."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import Json, JsonObject
from assistant.testing.script import Fall, Line, Pause, Silence
from assistant.testing.script import Step as ScriptStep
from tests.support.fake_model import anthropic_events, openai_events
from tests.support.fake_model.replies import Fault, Provider, Reply, Step, Wait, streams
from tests.support.fake_model.responses_events import Response


def fields(value: Json) -> JsonObject:
    """An opaque value as fields of an event. Raises ``TypeError`` for a value that is not a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"an opaque value is a mapping of fields, not {value!r}")
    return value


_REASONS: Mapping[str, str] = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "refused": "refusal",
}


class Blocks:
    """Numbers the blocks from 0. The first chunk begins the message."""

    def __init__(self) -> None:
        self._index = -1
        self._open: Literal["", "text", "call"] = ""

    def take(self, chunk: Chunk) -> Iterator[bytes]:
        """The events for a chunk."""
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
        """Begin the next block, which stays open for chunks of its kind."""
        if self._index < 0:
            yield from anthropic_events.begin()
        if self._open:
            yield anthropic_events.closed(self._index)
        self._index += 1
        self._open = kind


def on_the_wire(line: Line, provider: Provider) -> Reply:
    """The fake server's reply to one request. Opaque parts are sent only if they belong to this provider."""
    own = [step for step in line.steps if not isinstance(step, Opaque) or step.provider == provider]
    match provider:
        case "anthropic":
            return streams(list(_messages(own)))
        case "openai-responses":
            return streams(list(_response(own)))
        case _:
            return streams(list(_chat(own)))


def _chat(steps: Sequence[ScriptStep]) -> Iterator[Step]:
    for step in steps:
        match step:
            case TextDelta(text=text):
                yield from openai_events.text(text)
            case CallNamed(index=index, name=name, provider_id=id_):
                yield from openai_events.call(index, name, "", id_=id_)
            case CallArguments(index=index, fragment=fragment):
                yield openai_events.tool_call({"index": index, "function": {"arguments": fragment}})
            case Opaque(value=value, index=None):
                yield openai_events.delta(fields(value))
            case Opaque(value=value, index=index):
                yield openai_events.tool_call({"index": index, **fields(value)})
            case StreamEnded(reason=reason):
                yield from openai_events.ending(reason)
            case Pause() | Silence() | Fall():
                yield _not_said(step)
            case _:
                assert_never(step)


def _response(steps: Sequence[ScriptStep]) -> Iterator[Step]:
    response = Response()
    for step in steps:
        match step:
            case TextDelta(text=text):
                yield from response.text(text)
            case CallNamed(index=index, name=name, provider_id=id_):
                yield from response.named(name, id_ or f"call_{index}")
            case CallArguments(fragment=fragment):
                yield from response.arguments(fragment)
            case Opaque(value=value):
                yield from response.reasoning(fields(value))
            case StreamEnded(reason=reason):
                yield from response.end(reason)
            case Pause() | Silence() | Fall():
                yield _not_said(step)
            case _:
                assert_never(step)


def _messages(steps: Sequence[ScriptStep]) -> Iterator[Step]:
    blocks = Blocks()
    for step in steps:
        if isinstance(step, Pause | Silence | Fall):
            yield _not_said(step)
        else:
            yield from blocks.take(step)


def _not_said(step: Pause | Silence | Fall) -> Step:
    match step:
        case Pause(seconds=seconds):
            return Wait(seconds)
        case Silence():
            return Fault.STALL
        case Fall():
            return Fault.CUT
        case _:
            assert_never(step)
