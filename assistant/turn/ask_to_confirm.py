"""Reads back the side effects that wait for the customer's yes; always the last thing said."""

from assistant.conversation.calls import Call
from assistant.conversation.decider_view import NOT_YET
from assistant.conversation.entries import CallEnded, ConfirmationAsked
from assistant.conversation.outcomes import CallDenied
from assistant.prompts.utterances import Confirmation, ReadBack
from assistant.tooling.run_call import Ready, prepare
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.run_tools import clause_of
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole


async def ask_to_confirm(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Ask once for all waiting calls of the turn; they end as ``denied`` and run again, as new calls of the
    next turn, when the customer agrees.

    When this turn only left an earlier question without a clear answer, that is asked a last time, or
    dropped aloud.
    """
    if turn.state.asked is None:
        waiting = turn.state.waiting_calls
        if waiting:
            await _ask(turn, tuple(waiting), 1, parts, record)
        else:
            await _come_back_to_question(turn, parts, record)
    if turn.state.asked is not None:
        for call in turn.state.asked.calls:
            if call.id in {own.id for own in turn.state.waiting_calls}:
                await record(CallEnded(outcome=CallDenied(call=call, say="", for_model=NOT_YET)))


async def ask_once_more(turn: RunningTurn, question: ConfirmationAsked, parts: Parts, record: Record) -> None:
    """Put an earlier question again, with a new time to answer it."""
    if turn.state.asked is None:
        await _ask(turn, question.calls, question.attempt + 1, parts, record)


async def _ask(
    turn: RunningTurn, calls: tuple[Call, ...], attempt: int, parts: Parts, record: Record
) -> None:
    clauses = tuple([await _clause(turn, call, parts) for call in calls])
    sayable = tuple(clause for clause in clauses if clause)
    read_back = parts.book.render(ReadBack(clauses=sayable, first_time=attempt == 1), turn.locale)
    await say_whole(turn, turn.state.latest_round, read_back, parts, record)
    await record(
        ConfirmationAsked(
            confirmation_id=f"{turn.state.id}/q",
            calls=calls,
            clauses=clauses,
            read_back=read_back,
            expires_at_ms=parts.clock.now_ms() + int(parts.limits.question_s * 1000),
            attempt=attempt,
        )
    )


async def _clause(turn: RunningTurn, call: Call, parts: Parts) -> str:
    if (known := turn.clauses.get(call.id)) is not None:
        return known
    ready = prepare(call, parts.tools, turn.customer)
    clause = await clause_of(turn, ready, parts) if isinstance(ready, Ready) else None
    return clause if isinstance(clause, str) else ""


async def _come_back_to_question(turn: RunningTurn, parts: Parts, record: Record) -> None:
    answered = turn.state.answered
    if answered is None:
        return
    if answered.answer == "dropped":
        text = parts.book.render(Confirmation(answer="dropped"), turn.locale)
        await say_whole(turn, turn.state.latest_round, text, parts, record)
    elif answered.answer == "unclear":
        question = next(
            earlier.asked
            for earlier in reversed(turn.earlier)
            if earlier.asked is not None and earlier.asked.confirmation_id == answered.confirmation_id
        )
        await ask_once_more(turn, question, parts, record)
