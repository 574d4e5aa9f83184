"""Runs a decision's calls: each as early as it can, side effects one after the other, none silencing another."""

from assistant.conversation.entries import CallsPending
from assistant.turn.decision import Decision
from assistant.turn.parts import Parts
from assistant.turn.plan.follow import follow
from assistant.turn.read_back import clause_of
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

__all__ = ["clause_of", "run_tools"]


async def run_tools(turn: RunningTurn, decision: Decision, parts: Parts, record: Record) -> None:
    """See every call of the decision to its outcome, except those that need the customer's yes first.

    What those would do is worked out here (``turn.clauses``), so that one that cannot be done is told with
    the results instead of being asked about.
    """
    await follow(turn, decision, parts, record)
    await turn.tasks.ended(turn.state.id, decision.calls, turn.deadline)
    waited_in_vain = (call.id for call in turn.state.running if call.id not in turn.state.pending)
    if pending := tuple(waited_in_vain):
        await record(CallsPending(call_ids=pending))
