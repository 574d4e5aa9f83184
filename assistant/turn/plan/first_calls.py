"""Knows which call of a turn was the first to ask for something: the same call is not run twice."""

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError
from assistant.tooling.execute import Ready
from assistant.tooling.references import refers
from assistant.tooling.registry import Tools


class FirstCalls:
    """The calls of one turn by tool and arguments, as the tool sees these: with defaults, in their one form.

    A call counts when it ran, runs, or will be run; one that was cancelled, denied or refused before it started
    may be made again.
    """

    __slots__ = ("_first",)

    def __init__(self, state: TurnState, tools: Tools) -> None:
        self._first: dict[bytes, str] = {}
        for call in state.calls:
            if _counts(call, state) and (arguments := _arguments(call, state, tools)) is not None:
                self._first.setdefault(_key(call.tool, arguments), call.id)

    def first(self, ready: Ready) -> str:
        """The id of the call that asked for the same first: this one's own, when none did."""
        return self._first.setdefault(_key(ready.call.tool, ready.arguments), ready.call.id)


def _counts(call: Call, state: TurnState) -> bool:
    outcome = state.outcomes.get(call.id)
    return outcome is None or call.id in state.started or isinstance(outcome, CallSucceeded | CallEmpty)


def _arguments(call: Call, state: TurnState, tools: Tools) -> JsonObject | None:
    """What it ran or will run with, in the tool's own form; None where that is not known."""
    outcome, started = state.outcomes.get(call.id), state.started.get(call.id)
    if outcome is not None:
        given = outcome.call.arguments
    else:
        given = started.arguments if started is not None and started.arguments is not None else call.arguments
    if call.tool not in tools or refers(given):
        return None
    try:
        return tools.get(call.tool).validate(given)
    except AssistantError:
        return None


def _key(tool: str, arguments: JsonObject) -> bytes:
    return orjson.dumps((tool, arguments), option=orjson.OPT_SORT_KEYS, default=dict)
