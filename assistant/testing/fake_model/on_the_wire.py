"""A line of a script, as a provider's server would say it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.conversation.values import Json, JsonObject
from assistant.testing.fake_model import anthropic_events, events
from assistant.testing.fake_model.replies import Fault, Reply, Step, Wait, streams
from assistant.testing.fake_model.wires import Provider
from assistant.testing.script import Fall, Line, Pause, Silence
from assistant.testing.script import Step as ScriptStep

_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}


def on_the_wire(line: Line, provider: Provider) -> Reply:
    """The reply of a fake server to one request. What is opaque it says only where it is of this provider."""
    own = [step for step in line.steps if not isinstance(step, Opaque) or step.provider == provider]
    return streams(list(_messages(own) if provider == "anthropic" else _chat(own)))


def _chat(steps: Sequence[ScriptStep]) -> Iterator[Step]:
    for step in steps:
        match step:
            case TextDelta(text=text):
                yield from events.text(text)
            case CallNamed(index=index, name=name, provider_id=id_):
                yield from events.call(index, name, "", id_=id_)
            case CallArguments(index=index, fragment=fragment):
                yield events.tool_call({"index": index, "function": {"arguments": fragment}})
            case Opaque(value=value, index=None):
                yield events.delta(_fields(value))
            case Opaque(value=value, index=index):
                yield events.tool_call({"index": index, **_fields(value)})
            case StreamEnded(reason=reason):
                yield from events.ending(reason)
            case Pause() | Silence() | Fall():
                yield _not_said(step)
            case _:
                assert_never(step)


def _messages(steps: Sequence[ScriptStep]) -> Iterator[Step]:
    """A block is open until something else begins."""
    begun, index, open_ = False, -1, False
    before: ScriptStep | None = None
    for step in steps:
        if isinstance(step, Pause | Silence | Fall):
            yield _not_said(step)
            continue
        if not begun:
            yield from anthropic_events.begin()
            begun = True
        goes_on = (
            isinstance(step, CallArguments) or (isinstance(step, TextDelta) and isinstance(before, TextDelta))
        )
        if open_ and not goes_on:
            yield anthropic_events.closed(index)
        if not goes_on:
            index += 1
        open_ = not isinstance(step, Opaque)
        before = step
        match step:
            case TextDelta(text=text):
                if not goes_on:
                    yield anthropic_events.opened(index, {"type": "text", "text": ""})
                yield anthropic_events.words(index, text)
            case CallNamed(name=name, provider_id=id_):
                yield anthropic_events.named(index, name, id_)
            case CallArguments(fragment=fragment):
                yield anthropic_events.fragment(index, fragment)
            case Opaque(value=value):
                yield from anthropic_events.thinking(index, _fields(value))
            case StreamEnded(reason=reason):
                yield from anthropic_events.ending(_REASONS[reason])
            case _:
                assert_never(step)


def _fields(value: Json) -> JsonObject:
    if not isinstance(value, Mapping):
        raise TypeError(f"an opaque value is a mapping of fields, not {value!r}")
    return value


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
