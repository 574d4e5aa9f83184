"""One customer message, answered. Read this file first; the rest is how."""

from assistant.turn.confirmation import ask_to_confirm, consider_answer
from assistant.turn.context import NO_DECISION, Record, RunningTurn, TurnDependencies
from assistant.turn.decide import decide
from assistant.turn.finish import finish_turn, record_snapshots
from assistant.turn.narrate import narrate
from assistant.turn.run_tools import run_tools
from assistant.turn.undelivered import deliver_pending
from assistant.turn.waiting_voice import WaitingVoice


async def take_turn(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Answer one customer message, recording entries as they happen; or tell, unasked, what came too late for
    an earlier answer.

    The acknowledgement is spoken, and lookups begin, while the decision is still being streamed: see
    :mod:`assistant.turn.decision_stream`.

    Run it again after any interruption: each stage first looks in the turn's entries for its own result.
    Cancelling it stops what is being said; calls under way belong to the session and end there.
    """
    async with WaitingVoice(turn, deps, record) as record:
        if turn.state.unasked:
            decision = NO_DECISION
        else:
            decision = await consider_answer(turn, deps, record) or await decide(turn, deps, record)
        while decision.calls:
            await run_tools(turn, decision, deps, record)
            decision = await narrate(turn, decision, deps, record)
        await deliver_pending(turn, decision, deps, record)
        await ask_to_confirm(turn, deps, record)
    await record_snapshots(turn, record)
    await finish_turn(turn, deps, record)
