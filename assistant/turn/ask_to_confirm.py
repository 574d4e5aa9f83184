"""Reads back the side effects that wait for the customer's yes; always the last thing said."""

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded, ConfirmationAsked
from assistant.conversation.outcomes import CallAwaitingConfirmation
from assistant.prompts.utterances import Confirmation, ConfirmationLeft, ConfirmationPerson, ReadBack
from assistant.tooling.execute import Ready, prepare
from assistant.turn.confirm.open_question import (
    agreed_calls,
    carried_over,
    left_alone,
    question_before,
    renumbered,
)
from assistant.turn.parts import Parts
from assistant.turn.plan.real_call import real_call
from assistant.turn.record import Record
from assistant.turn.run_tools import clause_of
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole


async def ask_to_confirm(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Ask once for all waiting calls of the turn; they end as ``awaiting_confirmation`` and run, as new calls of
    the next turn, when the customer agrees.

    When this turn left an earlier question without a clear answer, its calls are asked about again in the same
    read-back, or dropped aloud. So is what a yes was not said to.
    """
    if turn.state.asked is None:
        question = question_before(turn)
        # What is asked about is what will run: with the values that its references stand for.
        waiting = tuple(real_call(call, turn.state) for call in turn.state.waiting_calls)
        if question is not None and turn.state.answered is not None:
            await _settle(turn, question, waiting, parts, record)
        elif waiting:
            await _ask(turn, waiting, 1, parts, record)
    if turn.state.asked is not None:
        for call in turn.state.asked.calls:
            if call.id in {own.id for own in turn.state.waiting_calls}:
                await record(CallEnded(outcome=CallAwaitingConfirmation(call=call)))


async def ask_once_more(turn: RunningTurn, question: ConfirmationAsked, parts: Parts, record: Record) -> None:
    """Put an earlier question again, with a new time to answer it."""
    if turn.state.asked is None:
        await _ask(turn, renumbered(question.calls, turn), question.attempt + 1, parts, record)


def dropped(turn: RunningTurn, parts: Parts) -> str:
    """What is said when a question was put in vain for the last time."""
    text = parts.book.render(Confirmation(answer="dropped"), turn.locale)
    if parts.can_hand_over:
        text = f"{text} {parts.book.render(ConfirmationPerson(), turn.locale)}"
    return text


async def _settle(
    turn: RunningTurn, question: ConfirmationAsked, waiting: tuple[Call, ...], parts: Parts, record: Record
) -> None:
    """Say what has become of an earlier question, and ask about what waits now."""
    answered = turn.state.answered
    match answered.answer if answered is not None else None:
        case "unclear" if not waiting:
            await ask_once_more(turn, question, parts, record)
        case "unclear":
            too = parts.book.words(turn.locale).consent.too
            kept = carried_over(question, waiting, turn.state.message.text, too)
            await _say_left(turn, left_alone(question, kept, waiting), parts, record)
            await _ask(turn, (*renumbered(kept, turn), *waiting), 1, parts, record)
        case "dropped":
            if waiting:
                await _say_left(turn, left_alone(question, (), waiting), parts, record)
            else:
                await say_whole(turn, turn.state.latest_round, dropped(turn, parts), parts, record)
        case "yes" if answered is not None:
            left = left_alone(question, agreed_calls(question, answered), waiting)
            await _say_left(turn, left, parts, record)
        case _:
            pass
    if waiting and turn.state.asked is None:
        await _ask(turn, waiting, 1, parts, record)


async def _say_left(turn: RunningTurn, left: int, parts: Parts, record: Record) -> None:
    if left:
        text = parts.book.render(ConfirmationLeft(left=left), turn.locale)
        await say_whole(turn, turn.state.latest_round, text, parts, record)


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
