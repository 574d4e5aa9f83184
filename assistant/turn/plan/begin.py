"""Starts a call, if the turn has time for it."""

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallCancelled
from assistant.tooling.running.run_call import Ready
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

_NO_TIME = "there was no time left to start it"


async def begin(ready: Ready, turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Start one call, for as long as the tool and the turn allow."""
    left_s = turn.deadline - parts.clock.monotonic()
    if left_s <= 0:
        await record(CallEnded(outcome=CallCancelled(call=ready.call, why=_NO_TIME)))
        return
    await turn.tasks.start(ready, turn, record)
