"""Empties a turn's tool-call history: what later turns are given of each of its calls is recorded."""

from assistant.conversation.snapshots import snapshot_of
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn


async def remember(turn: RunningTurn, record: Record) -> None:
    """Record a snapshot of each call that has its outcome and no snapshot yet; the second time there is none.

    Right before the turn's end, with which it goes to the log in one piece; and right behind an outcome that comes
    later. A call that waits for the customer's yes has nothing to remember yet.
    """
    state = turn.state
    for outcome in [one for one in state.outcomes.values() if one.call.id not in state.snapshots]:
        await record(snapshot_of(outcome, turn.key.conversation, state.id))
