"""Answers one customer message. Read this file first."""

from assistant.turn.answer_paused import answer_paused
from assistant.turn.confirmation import ask_to_confirm, consider_answer
from assistant.turn.context import NO_DECISION, Record, RunningTurn, TurnDependencies
from assistant.turn.decide import decide
from assistant.turn.finish import finish_turn, record_snapshots
from assistant.turn.narrate import narrate
from assistant.turn.run_tools import run_tools
from assistant.turn.supervision import may_be_sent, supervise
from assistant.turn.undelivered import deliver_pending
from assistant.turn.waiting_voice import WaitingVoice


async def take_turn(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Answer one customer message and record entries as they happen; or, without a message, tell results that
    came too late for an earlier answer.

    The acknowledgement is shown, and lookups start, while the decision is still streaming: see
    :mod:`assistant.turn.decision_stream`. What staff supervise is kept back: see :mod:`assistant.turn.supervision`.

    After an interruption, run it again: each stage first looks for its own result in the turn's entries.
    Cancelling it stops the message; running calls belong to the session and continue there.
    """
    async with WaitingVoice(turn, deps, record) as record:
        if turn.state.unasked:
            decision = await supervise(turn, deps, record) or NO_DECISION
        else:
            decision = (
                await answer_paused(turn, deps, record)
                or await supervise(turn, deps, record)
                or await consider_answer(turn, deps, record)
                or await decide(turn, deps, record)
            )
        while decision.calls:
            await run_tools(turn, decision, deps, record)
            decision = await narrate(turn, decision, deps, record)
        await deliver_pending(turn, decision, deps, record)
        if await may_be_sent(turn, deps, record):
            await ask_to_confirm(turn, deps, record)
    await record_snapshots(turn, record)
    await finish_turn(turn, deps, record)
