"""A line of a script, as a provider's server would say it."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from assistant.conversation.chunks import CallArguments, CallNamed, Opaque, StreamEnded, TextDelta
from assistant.testing.fake_model import events
from assistant.testing.fake_model.blocks import Blocks
from assistant.testing.fake_model.fields import fields
from assistant.testing.fake_model.replies import Fault, Reply, Step, Wait, streams
from assistant.testing.fake_model.wires import Provider
from assistant.testing.script import Fall, Line, Pause, Silence
from assistant.testing.script import Step as ScriptStep


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
                yield events.delta(fields(value))
            case Opaque(value=value, index=index):
                yield events.tool_call({"index": index, **fields(value)})
            case StreamEnded(reason=reason):
                yield from events.ending(reason)
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
