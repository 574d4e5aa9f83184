"""Starts a call, or ends it at once if it need not run: it is a duplicate, or its cached result is still
valid.
"""

from dataclasses import replace
from typing import TypeAlias

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded, CallRef
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallUnknown,
    Outcome,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError
from assistant.policies.enforce import denied_by_rules
from assistant.tools.execute import prepare
from assistant.tools.references import has_references
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from assistant.turn.context import Record, RunningTurn, TurnDependencies, rules_for
from assistant.turn.pausing import denied_while_paused


def is_same_call(ready: PreparedCall, other: Call) -> bool:
    """Whether another call has the same tool and the same validated arguments."""
    if ready.call.tool != other.tool:
        return False
    try:
        return ready.tool.validate(other.arguments) == ready.arguments
    except AssistantError:
        return False


def prepare_within_rules(call: Call, turn: RunningTurn, deps: TurnDependencies) -> PreparedCall | Outcome:
    """Check a call before it runs: its arguments, the customer, what is paused, and the rules of policies. Never
    raises.
    """
    ready = prepare(call, deps.tools, turn.customer)
    if not isinstance(ready, PreparedCall):
        return ready
    if (denied := denied_while_paused(ready, turn, deps)) is not None:
        return denied
    rules = rules_for(call.tool, turn, deps)
    if not rules:
        return ready
    return denied_by_rules(ready, rules, turn.conversation.turns, turn.customer, deps.tools) or ready


class FirstCalls:
    """The calls of one turn by tool and validated arguments.

    A call counts if it ran, runs, or will run. A call that was cancelled, denied or refused before it started
    may be made again.
    """

    __slots__ = ("_first",)

    def __init__(self, state: TurnState, tools: Tools) -> None:
        self._first: dict[bytes, str] = {}
        for call in state.calls:
            if _counts(call, state) and (arguments := _arguments(call, state, tools)) is not None:
                self._first.setdefault(_key(call.tool, arguments), call.id)

    def first(self, ready: PreparedCall) -> str:
        """The id of the first call with the same arguments: its own id if it is the first."""
        return self._first.setdefault(_key(ready.call.tool, ready.arguments), ready.call.id)


def _counts(call: Call, state: TurnState) -> bool:
    outcome = state.outcomes.get(call.id)
    return outcome is None or call.id in state.started or isinstance(outcome, CallSucceeded | CallEmpty)


def _arguments(call: Call, state: TurnState, tools: Tools) -> JsonObject | None:
    """The validated arguments with which it ran or will run; None if they are not known."""
    outcome, started = state.outcomes.get(call.id), state.started.get(call.id)
    if outcome is not None:
        given = outcome.call.arguments
    else:
        given = started.arguments if started is not None and started.arguments is not None else call.arguments
    if call.tool not in tools or has_references(given):
        return None
    try:
        return tools.get(call.tool).validate(given)
    except AssistantError:
        return None


def _key(tool: str, arguments: JsonObject) -> bytes:
    return orjson.dumps((tool, arguments), option=orjson.OPT_SORT_KEYS, default=dict)


Result: TypeAlias = CallSucceeded | CallEmpty


def cached_result(
    ready: PreparedCall, state: ConversationState, tools: Tools, now_ms: int
) -> tuple[CallRef, Result] | None:
    """The newest result of the same lookup that is younger than its ``cache_ttl_s``, and its call. Pure.

    None also if a side effect may have changed something since that lookup began.
    """
    spec = ready.tool.spec
    if spec.cache_ttl_s <= 0 or spec.effect == "write":
        return None
    changed_ms = _last_change_ms(state, tools)
    for ref, (began_ms, ended_ms) in reversed(state.ended.items()):
        if now_ms - ended_ms >= spec.cache_ttl_s * 1000:
            return None
        outcome = state.turn(ref[0]).outcomes[ref[1]]
        if isinstance(outcome, CallSucceeded | CallEmpty) and is_same_call(ready, outcome.call):
            return (ref, outcome) if began_ms > changed_ms else None
    return None


def _last_change_ms(state: ConversationState, tools: Tools) -> float:
    """When a side effect was last done, or may have been done; a running one may be done at any time."""
    if any(_writes(call.tool, tools) for turn in state.turns for call in turn.running):
        return float("inf")
    ends = (
        ended_ms
        for (turn_id, call_id), (_, ended_ms) in state.ended.items()
        if _writes((outcome := state.turn(turn_id).outcomes[call_id]).call.tool, tools)
        and not isinstance(outcome, CallFailed | CallCancelled | CallDenied | CallAwaitingConfirmation)
    )
    return max(ends, default=float("-inf"))


def _writes(tool: str, tools: Tools) -> bool:
    # A tool that was removed may have had side effects.
    return tool not in tools or tools.get(tool).spec.effect == "write"


async def ended_without_running(
    ready: PreparedCall, firsts: FirstCalls, turn: RunningTurn, deps: TurnDependencies, record: Record
) -> bool:
    """Whether the call ended without running, because this turn makes the same call or has a cached result."""
    first = firsts.first(ready)
    if first != ready.call.id:
        await record(CallEnded(outcome=_same_as(first, ready)))
        return True
    fresh = cached_result(ready, turn.conversation, deps.tools, deps.clock.now_ms())
    if fresh is None:
        return False
    (turn_id, call_id), outcome = fresh
    await record(CallEnded(outcome=replace(outcome, call=ready.call), reused_from=f"{turn_id}/{call_id}"))
    return True


def _same_as(first: str, ready: PreparedCall) -> CallCancelled:
    why = (
        f"{ready.call.tool!r} was called with the same arguments before in this turn, and is not run twice; its "
        "result stands with that call"
    )
    return CallCancelled(call=ready.call, why=why, duplicate_of=first)


_NO_TIME = "there was no time left to start it"


def not_started(ready: PreparedCall, turn: RunningTurn, why: str) -> CallCancelled | CallUnknown:
    """The outcome of a call that does not start now, and why.

    A side effect that had begun before a crash is ``unknown``, because it may have completed.
    """
    if ready.tool.spec.effect == "write" and ready.call.id in turn.state.started:
        return CallUnknown(call=ready.call)
    return CallCancelled(call=ready.call, why=why)


async def start_call(ready: PreparedCall, turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Start one call, with the time limits of the tool and the turn."""
    left_s = turn.deadline - deps.clock.monotonic()
    if left_s <= 0:
        await record(CallEnded(outcome=not_started(ready, turn, _NO_TIME)))
        return
    await turn.tasks.start(ready, turn, record)
