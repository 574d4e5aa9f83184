"""A line of a script, as a provider's server would say it."""

from collections.abc import Iterator
from typing import assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.testing.fake_model import anthropic_events, events
from assistant.testing.fake_model.replies import Fault, Reply, Step, Wait, streams
from assistant.testing.fake_model.wires import Provider
from assistant.testing.script import Fall, Line, Pause, Silence

_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refused": "refusal"}


def on_the_wire(line: Line, provider: Provider) -> Reply:
    """The reply of a fake server to one request."""
    return streams(list(_messages(line) if provider == "anthropic" else _chat(line)))


def _chat(line: Line) -> Iterator[Step]:
    for step in line.steps:
        match step:
            case TextDelta(text=text):
                yield from events.text(text)
            case CallNamed(index=index, name=name):
                yield from events.call(index, name, "")
            case CallArguments(index=index, fragment=fragment):
                yield events.tool_call({"index": index, "function": {"arguments": fragment}})
            case Opaque():
                pass
            case StreamEnded(reason=reason):
                yield from events.ending(reason)
            case Pause() | Silence() | Fall():
                yield _not_said(step)
            case _:
                assert_never(step)


def _messages(line: Line) -> Iterator[Step]:
    begun, index, in_text = False, -1, False
    for step in line.steps:
        if isinstance(step, Pause | Silence | Fall):
            yield _not_said(step)
            continue
        if not begun:
            yield from anthropic_events.begin()
            begun = True
        begins = not in_text if isinstance(step, TextDelta) else isinstance(step, CallNamed)
        if index >= 0 and (begins or isinstance(step, StreamEnded)):
            yield anthropic_events.closed(index)
        if begins:
            index, in_text = index + 1, isinstance(step, TextDelta)
        match step:
            case TextDelta(text=text):
                if begins:
                    yield anthropic_events.opened(index, {"type": "text", "text": ""})
                yield anthropic_events.words(index, text)
            case CallNamed(name=name):
                yield anthropic_events.named(index, name)
            case CallArguments(fragment=fragment):
                yield anthropic_events.fragment(index, fragment)
            case Opaque():
                pass
            case StreamEnded(reason=reason):
                yield from anthropic_events.ending(_REASONS[reason])
            case _:
                assert_never(step)


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
