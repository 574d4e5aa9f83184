"""``calls``, of a live model: exactly these, with these arguments and outcomes, in any order."""

from collections.abc import Callable, Iterator

import orjson

from assistant.conversation.outcomes import outcome_name
from assistant.conversation.values import JsonObject
from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.transcript import Part, PlayedCall
from assistant.replay.expectations import ExpectedCall

Canonical = Callable[[str, JsonObject], JsonObject]
"""A tool's arguments as it will use them, so that a default that is written out is no difference."""


def calls_in_any_order(part: Part, canonical: Canonical) -> Iterator[Complaint]:
    """Complain of each expected call that did not come, or ended otherwise, and of each other one that came."""
    if part.expect.calls is None:
        return
    left = [call for turn in part.turns for call in turn.calls]
    missing: list[tuple[int, ExpectedCall]] = []
    # Those with arguments choose first: a call that may have any must not take theirs.
    for number, one in sorted(enumerate(part.expect.calls), key=lambda each: each[1].arguments is None):
        came = next((call for call in left if _is(one, call, canonical)), None)
        if came is None:
            missing.append((number, one))
            continue
        left.remove(came)
        outcome = outcome_name(came.outcome) if came.outcome is not None else "no end"
        if one.outcome not in (None, outcome):
            at_ms = came.ended.at_ms if came.ended is not None else None
            expected = f"{one.tool} {one.outcome}"
            yield part.complaint("calls", number, expected=expected, found=outcome, at_ms=at_ms)
    for number, one in missing:
        instead = next((call for call in left if call.call.tool == one.tool), None)
        if instead is not None:
            left.remove(instead)
        found, at_ms = _found(instead)
        yield part.complaint(
            "calls", number, expected=_shown(one.tool, one.arguments), found=found, at_ms=at_ms
        )
    for call in left:
        found, at_ms = _found(call)
        yield part.complaint("calls", expected="no other call", found=found, at_ms=at_ms)


def _found(call: PlayedCall | None) -> tuple[str, int | None]:
    """A call and when it started."""
    if call is None:
        return "no such call", None
    started_ms = call.started.at_ms if call.started is not None else None
    return _shown(call.call.tool, call.call.arguments), started_ms


def _is(wanted: ExpectedCall, call: PlayedCall, canonical: Canonical) -> bool:
    if wanted.tool != call.call.tool or wanted.arguments is None:
        return wanted.tool == call.call.tool
    return canonical(wanted.tool, wanted.arguments) == canonical(wanted.tool, call.call.arguments)


def _shown(tool: str, arguments: JsonObject | None) -> str:
    if arguments is None:
        return tool
    return f"{tool} with {orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS, default=dict).decode()}"
