"""Says honestly that this message could not be answered."""

from typing import Literal

from assistant.conversation.entries import DecisionClosed
from assistant.errors import REPLY_CUT
from assistant.prompts.utterances import Apology, NotPossible
from assistant.turn.decision import Decision
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole

Reason = Literal["decision_failed", "unreachable", "cut", "not_possible"]


def reason_for(error: str) -> Reason:
    """Why a request that ended with this error cannot be answered, for the customer."""
    return "cut" if error.startswith(REPLY_CUT) else "unreachable"


async def apologise(
    turn: RunningTurn,
    hearing: Hearing,
    reason: Reason,
    parts: Parts,
    record: Record,
    *,
    cut_off: bool = False,
) -> Decision:
    """Close the round without calls, complete the sentence that was begun, and apologise.

    ``cut_off``: the last words that a model said are half of what it was going to say.
    The round is closed first, so that a restart apologises too instead of asking again.
    """
    if turn.state.round(hearing.round).closed is None:
        await hearing.words.release()
        how = "refused" if reason == "not_possible" else "failed"
        await record(DecisionClosed(round=hearing.round, call_ids=(), how=how))
    text = parts.book.render(_words(reason, parts), turn.locale)
    begun = turn.state.open_message
    if begun is not None and not (text.startswith(begun.text) and not begun.own_words):
        await hearing.close("status", interrupted=cut_off and begun.own_words)
    await say_whole(turn, hearing.round, text, parts, record)
    return Decision(hearing.round)


def _words(reason: Reason, parts: Parts) -> Apology | NotPossible:
    return NotPossible(person=parts.can_hand_over) if reason == "not_possible" else Apology(reason=reason)
