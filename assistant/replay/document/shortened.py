"""A cassette's parts as people write them: in their short forms, and without what goes without saying."""

from collections.abc import Collection
from datetime import datetime
from typing import cast

from assistant.conversation.values import Json
from assistant.replay.cassette.cassette import Cassette, HeardFrame
from assistant.replay.cassette.events import Event
from assistant.replay.cassette.expectations import Expectations, ExpectedCall, Hears
from assistant.replay.cassette.replies import (
    ArgumentsPiece,
    Called,
    EndPiece,
    NamePiece,
    Reply,
    TextPiece,
)
from assistant.replay.cassette.runs import Run
from assistant.replay.cassette.written import Written


class Moment(str):
    """A date and a time; needs no quotes."""

    __slots__ = ()


class Lined(str):
    """A text that is read line by line."""

    __slots__ = ()


def shortened(part: Written) -> Json:
    """What reads as this part again, in the order of the form."""
    match part:
        case Cassette():
            return {"format": part.format, **_said(part)}
        case Reply():
            return _reply(part)
        case Called():
            return _called(part)
        case ExpectedCall():
            return _expected_call(part)
        case Run():
            return _run(part)
        case Event():
            return _event(part)
        case Hears():
            return _hears(part)
        case Expectations(scene=str(scene)):
            return {**_said(part), "scene": Lined(scene)}
        case TextPiece():
            return [part.at_ms, part.text]
        case NamePiece() | ArgumentsPiece() | EndPiece():
            return [part.at_ms, _said(part, {"at_ms"})]
        case HeardFrame():
            return [part.at_ms, part.frame]
        case _:
            return _said(part)


def _said(part: Written, without: Collection[str] = ()) -> dict[str, Json]:
    """The fields that are not as they would be anyway."""
    return {
        name: _value(getattr(part, name))
        for name, field in type(part).model_fields.items()
        if name not in without
        and (field.is_required() or getattr(part, name) != field.get_default(call_default_factory=True))
    }


def _value(value: object) -> Json:
    if isinstance(value, Written):
        return shortened(value)
    if isinstance(value, datetime):
        return Moment(value.isoformat(sep=" "))
    if isinstance(value, tuple):
        return [_value(item) for item in cast("tuple[object, ...]", value)]
    return cast("Json", value)


def _reply(reply: Reply) -> Json:
    said = _said(reply, {"role"})
    if not said or said.keys() == {"says"}:
        return {reply.role: said.get("says", "")}
    return {reply.role: said}


def _called(called: Called) -> Json:
    if called.tool in Called.model_fields:
        return _said(called)
    if called.written is not None:
        return {called.tool: called.written}
    return {called.tool: called.arguments} if called.arguments else called.tool


def _expected_call(call: ExpectedCall) -> Json:
    rest = _said(call, {"tool", "arguments"})
    if call.tool in ExpectedCall.model_fields or (call.arguments is None and rest):
        return _said(call)
    return call.tool if call.arguments is None else {call.tool: call.arguments, **rest}


def _run(run: Run) -> Json:
    deeds: dict[str, tuple[str, Json]] = {
        "gives": ("gives", run.gives),
        "refuses": ("refuses", run.refuses),
        "breaks": ("breaks", run.breaks),
        "hangs": ("hangs", True),
        "asks": ("clause", run.clause),
    }
    key, what = deeds[run.does]
    said: dict[str, Json] = {key: what, **_said(run, {"tool", "does", key})}
    if run.tool in {*Run.model_fields, "hangs"}:
        return {"tool": run.tool, **said}
    return {run.tool: said}


def _event(event: Event) -> Json:
    rest = _said(event, {"happens", "for_ms", "words"})
    if event.happens == "disconnect":
        return {"disconnect_ms": event.for_ms, **rest}
    return {event.happens: True if event.words is None else event.words, **rest}


def _hears(hears: Hears) -> Json:
    said = _said(hears)
    match said.get("text_contains"):
        case [str(one)]:
            said["text_contains"] = one
        case _:
            pass
    if hears.kind is None or hears.text is None:
        return said
    return {hears.kind: hears.text, **{key: said[key] for key in said if key not in {"kind", "text"}}}
