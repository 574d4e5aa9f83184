"""The question that was open when a turn began, and what becomes of its calls."""

from collections.abc import Sequence

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import ConfirmationAnswered, ConfirmationAsked
from assistant.prompts.words import WordList
from assistant.turn.running_turn import RunningTurn


def question_before(turn: RunningTurn) -> ConfirmationAsked | None:
    """The question that was open when this turn began: the last that was put."""
    if turn.state.turn.cause != "confirmation":
        return None
    return next((earlier.asked for earlier in reversed(turn.earlier) if earlier.asked is not None), None)


def agreed_calls(question: ConfirmationAsked, answered: ConfirmationAnswered) -> tuple[Call, ...]:
    """The calls that the customer said yes to."""
    return tuple(call for call in question.calls if not answered.agreed or call.id in answered.agreed)


def carried_over(
    question: ConfirmationAsked, waiting: Sequence[Call], text: str, too: WordList
) -> tuple[Call, ...]:
    """The calls of an unanswered question that are asked about once more, beside those that wait now.

    A new call of the same tool stands in for the older ones, unless the customer asks for it on top.
    """
    new = {call.tool for call in waiting}
    return tuple(
        call
        for call in question.calls
        if not _is_among(call, waiting) and (call.tool not in new or text in too)
    )


def left_alone(question: ConfirmationAsked, kept: Sequence[Call], waiting: Sequence[Call]) -> int:
    """How many calls of an unanswered question will neither run nor be asked about again."""
    return sum(call not in kept and not _is_among(call, waiting) for call in question.calls)


def renumbered(calls: Sequence[Call], turn: RunningTurn) -> tuple[Call, ...]:
    """Calls of an earlier turn under ids that no call of this one has."""
    round_ = turn.state.latest_round + 1
    return tuple(
        Call(id=call_id(round_, number), tool=call.tool, arguments=call.arguments)
        for number, call in enumerate(calls, start=1)
    )


def _is_among(call: Call, others: Sequence[Call]) -> bool:
    return any(call.tool == other.tool and call.arguments == other.arguments for other in others)
