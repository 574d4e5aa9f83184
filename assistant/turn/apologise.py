"""Says honestly that this message could not be answered."""

from typing import Literal

from assistant.conversation.entries import DecisionClosed
from assistant.prompts.utterances import Apology
from assistant.turn.decision import Decision
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole

Reason = Literal["decision_failed", "not_understood", "unreachable", "too_many_rounds"]


async def apologise(
    turn: RunningTurn, hearing: Hearing, reason: Reason, parts: Parts, record: Record
) -> Decision:
    """Complete the sentence that was begun, apologise, and close the round without calls."""
    await hearing.close("status")
    text = parts.book.render(Apology(reason=reason))
    await say_whole(turn, hearing.round, text, parts, record)
    await record(DecisionClosed(round=hearing.round, call_ids=(), how="failed"))
    return Decision(hearing.round)
