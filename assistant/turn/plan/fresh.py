"""Finds a result of this conversation that still stands, so that the same need not be looked up again."""

from typing import TypeAlias

from assistant.conversation.entries import CallRef
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
)
from assistant.conversation.state import ConversationState
from assistant.tooling.execute import Ready
from assistant.tooling.registry import Tools
from assistant.turn.plan.same import is_same

Result: TypeAlias = CallSucceeded | CallEmpty


def fresh_result(
    ready: Ready, state: ConversationState, tools: Tools, now_ms: int
) -> tuple[CallRef, Result] | None:
    """The newest result of the same lookup that is younger than its ``cache_s``, and whose it is. Pure.

    None as well when a side effect may have changed something since that lookup began.
    """
    spec = ready.tool.spec
    if spec.cache_s <= 0 or spec.effect == "write":
        return None
    changed_ms = _last_change_ms(state, tools)
    for ref, (began_ms, ended_ms) in reversed(state.ended.items()):
        if now_ms - ended_ms >= spec.cache_s * 1000:
            return None
        outcome = state.turn(ref[0]).outcomes[ref[1]]
        if isinstance(outcome, CallSucceeded | CallEmpty) and is_same(ready, outcome.call):
            return (ref, outcome) if began_ms > changed_ms else None
    return None


def _last_change_ms(state: ConversationState, tools: Tools) -> float:
    """When a side effect last took place, or may have; one that is under way may do so at any time."""
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
    # A tool that is gone may have been one.
    return tool not in tools or tools.get(tool).spec.effect == "write"
