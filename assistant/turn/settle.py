"""Settles a round: picks it up where the log left it, and makes its decision final."""

from typing import Literal, TypeAlias

from assistant.conversation.entries import DecisionClosed
from assistant.conversation.values import MessageKind
from assistant.turn.apologise import Reason, apologise, reason_for
from assistant.turn.decision import Decision, decided
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

How: TypeAlias = Literal["complete", "cut_off"]


async def pick_up(
    turn: RunningTurn, number: int, kind: MessageKind, parts: Parts, record: Record
) -> Decision | None:
    """The decision of a round as far as the log has it; None when a model must be asked.

    A round that was cut off after some of its calls were complete is closed with these.
    """
    round_ = turn.state.round(number)
    if not (round_.closed or round_.calls or turn.state.has_response(number)):
        return None
    hearing = Hearing(turn, number, parts, record)
    if round_.closed is not None:
        if round_.closed.how == "refused":
            await apologise(turn, hearing, "not_possible", parts, record)
        elif round_.closed.how == "failed":
            reason: Reason = "decision_failed" if round_.error is None else reason_for(round_.error)
            await apologise(turn, hearing, reason, parts, record)
        return decided(round_)
    if round_.calls:
        await hearing.close_cut_off(kind)
        return await close_round(turn, number, hearing, kind, record, how="cut_off")
    return await close_round(turn, number, hearing, "response", record)


async def close_round(
    turn: RunningTurn,
    number: int,
    hearing: Hearing,
    kind: MessageKind,
    record: Record,
    *,
    how: How = "complete",
) -> Decision:
    """Complete what is being said, and make the round's decision final."""
    await hearing.close(kind)
    round_ = turn.state.round(number)
    await record(
        DecisionClosed(
            round=number,
            call_ids=tuple(call.id for call in round_.calls),
            how=how,
        )
    )
    return decided(round_)
