"""``calls``: exactly these calls and no others, in the order in which they were decided."""

from collections.abc import Iterator

import orjson

from assistant.conversation.outcomes import outcome_name
from assistant.conversation.values import JsonObject
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import PlayedCall, PlayedTurn
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import listed, ms
from assistant.replay.expectations import ExpectedCall


def calls(part: Part) -> Iterator[Complaint]:
    """Complain of other calls than those expected; or else of each whose particulars differ."""
    wanted = part.expect.calls
    if wanted is None:
        return
    made = [(turn, call) for turn in part.turns for call in turn.calls]
    if [one.tool for one in wanted] != [call.call.tool for _, call in made]:
        yield part.complaint(
            "calls",
            expected=listed((one.tool for one in wanted), "no call"),
            found=listed((call.call.tool for _, call in made), "no call"),
            at_ms=_first_other(wanted, [call for _, call in made]),
        )
        return
    for number, (one, (turn, call)) in enumerate(zip(wanted, made, strict=True)):
        for expected, found, at_ms in _differences(one, turn, call):
            yield part.complaint("calls", number, expected=expected, found=found, at_ms=at_ms)


def _first_other(wanted: tuple[ExpectedCall, ...], made: list[PlayedCall]) -> int | None:
    """When the first call came that is not the one expected in its place; None where one is missing."""
    tools = [one.tool for one in wanted]
    for number, call in enumerate(made):
        if number >= len(tools) or call.call.tool != tools[number]:
            return call.started.at_ms if call.started is not None else None
    return None


def _differences(
    wanted: ExpectedCall, turn: PlayedTurn, call: PlayedCall
) -> Iterator[tuple[str, str, int | None]]:
    started_ms = call.started.at_ms if call.started is not None else None
    ended_ms = call.ended.at_ms if call.ended is not None else None
    if wanted.arguments is not None and _json(wanted.arguments) != _json(call.call.arguments):
        expected = f"{wanted.tool} with {_json(wanted.arguments)}"
        yield expected, f"with {_json(call.call.arguments)}", started_ms
    if wanted.outcome is not None:
        outcome = outcome_name(call.outcome) if call.outcome is not None else "no end"
        if outcome != wanted.outcome:
            yield f"{wanted.tool} {wanted.outcome}", outcome, ended_ms
    if wanted.within_ms is not None:
        after_ms = None if started_ms is None else started_ms - turn.said_ms
        if after_ms is None or after_ms > wanted.within_ms:
            found = "it never started" if after_ms is None else f"it started after {ms(after_ms)}"
            yield f"{wanted.tool} within {ms(wanted.within_ms)}", found, started_ms


def _json(arguments: JsonObject) -> str:
    return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS, default=dict).decode()
