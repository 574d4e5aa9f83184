"""Ends calls that need not run, because what they ask for is known already."""

from dataclasses import replace

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallCancelled
from assistant.tooling.execute import Ready
from assistant.turn.parts import Parts
from assistant.turn.plan.first_calls import FirstCalls
from assistant.turn.plan.fresh import fresh_result
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn


async def ended_as_known(
    ready: Ready, firsts: FirstCalls, turn: RunningTurn, parts: Parts, record: Record
) -> bool:
    """Whether the call is over without having run: this turn makes the same call, or has its fresh result."""
    first = firsts.first(ready)
    if first != ready.call.id:
        await record(CallEnded(outcome=_same_as(first, ready)))
        return True
    fresh = fresh_result(ready, turn.conversation, parts.tools, parts.clock.now_ms())
    if fresh is None:
        return False
    (turn_id, call_id), outcome = fresh
    await record(CallEnded(outcome=replace(outcome, call=ready.call), again=f"{turn_id}/{call_id}"))
    return True


def _same_as(first: str, ready: Ready) -> CallCancelled:
    why = (
        f"{ready.call.tool!r} was called with the same arguments before in this turn, and is not run twice; its "
        "result stands with that call"
    )
    return CallCancelled(call=ready.call, why=why, same_as=first)
