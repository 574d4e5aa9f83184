"""Starts a call, if the turn has time for it."""

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallCancelled, CallUnknown
from assistant.tooling.execute import Ready
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

_NO_TIME = "there was no time left to start it"


def not_begun(ready: Ready, turn: RunningTurn, why: str) -> CallCancelled | CallUnknown:
    """The outcome of a call that does not start now, and why.

    Where it is a side effect that had begun before a crash, nobody knows: it may have run to its end then.
    """
    if ready.tool.spec.effect == "write" and ready.call.id in turn.state.started:
        return CallUnknown(call=ready.call)
    return CallCancelled(call=ready.call, why=why)


async def begin(ready: Ready, turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Start one call, for as long as the tool and the turn allow."""
    left_s = turn.deadline - parts.clock.monotonic()
    if left_s <= 0:
        await record(CallEnded(outcome=not_begun(ready, turn, _NO_TIME)))
        return
    await turn.tasks.start(ready, turn, record)
