"""Tells which calls the customer has agreed to; a yes counts for exactly what it was said to."""

from collections.abc import Iterator, Sequence
from typing import Final

from assistant.conversation.calls import Call
from assistant.conversation.entries import ConfirmationAsked, CustomerSaid
from assistant.conversation.outcomes import CallCancelled
from assistant.conversation.turn_state import TurnState
from assistant.tooling.execute import Ready
from assistant.turn.confirm.open_question import agreed_calls, question_before
from assistant.turn.consent.answer import takes_back
from assistant.turn.consent.read_question import question_of
from assistant.turn.parts import Parts
from assistant.turn.plan.same import is_same
from assistant.turn.running_turn import RunningTurn
from assistant.turn.stated import stated_by_customer
from assistant.turn.untrusted import takes_untrusted_values, untrusted_in_view

HELD: Final = (
    "the customer wrote again before it started, so it was held; decide anew from their newest message, and call "
    "it again if they still want it"
)
"""Why a side effect did not run that could have. A yes to it still counts in the turn that follows."""


def must_be_confirmed(ready: Ready, turn: RunningTurn, round_: int, parts: Parts) -> bool:
    """Whether the customer must be asked about this call of a round before it runs."""
    if not parts.needs_confirmation(ready.tool.spec) and not _may_be_others_wish(ready, turn, round_, parts):
        return False
    if turn.state.answered is None and _may_have_changed_their_mind(turn, parts):
        return True
    return not any(is_same(ready, call) for call in cleared_calls(turn.state, turn.earlier))


def _may_be_others_wish(ready: Ready, turn: RunningTurn, round_: int, parts: Parts) -> bool:
    """Whether a side effect may follow from text that is not the customer's."""
    if ready.tool.spec.effect != "write":
        return False
    decided = turn.state.requested.get(ready.call.id, ready.call)
    untrusted = untrusted_in_view(turn, round_, parts) or takes_untrusted_values(decided, parts)
    return untrusted and not stated_by_customer(ready, turn, parts)


def _may_have_changed_their_mind(turn: RunningTurn, parts: Parts) -> bool:
    """Whether the message that held what was agreed to says no, wait, or otherwise."""
    return takes_back(turn.state.message.text, parts.book.words(turn.locale).consent)


def is_held(ready: Ready, turn: RunningTurn, parts: Parts) -> bool:
    """Whether a newer message keeps a side effect from starting, until that message has been decided.

    What the customer has agreed to in this turn is only held by a message that takes it back.
    """
    waiting = turn.conversation.waiting
    if not waiting:
        return False
    question = question_before(turn)
    if question is None or not any(is_same(ready, call) for call in _agreed_to(turn.state, turn.earlier)):
        return True
    return any(takes_back_agreed(said, question, parts) for said in waiting)


def must_not_be_stopped(
    turn: TurnState, earlier: Sequence[TurnState], said: CustomerSaid, parts: Parts
) -> bool:
    """Whether a turn has still to start what the customer has agreed to, and a newer message leaves it at that."""
    question = next((before.asked for before in reversed(earlier) if before.asked is not None), None)
    if turn.turn.cause != "confirmation" or question is None or takes_back_agreed(said, question, parts):
        return False
    if turn.answered is None:
        return True
    begun = [_key(call) for call in turn.calls if call.id in turn.started or call.id in turn.outcomes]
    return any(_key(call) not in begun for call in _agreed_to(turn, earlier))


def takes_back_agreed(said: CustomerSaid, question: ConfirmationAsked, parts: Parts) -> bool:
    """Whether a message that has come since takes back the yes to a question."""
    if said.button is not None:
        return said.button == "no"
    words = parts.book.words(said.locale).consent
    asked = question_of(question, said.locale, words, {spec.name: spec for spec in parts.tools.specs})
    return takes_back(said.text, words, asked)


def cleared_calls(turn: TurnState, earlier: Sequence[TurnState]) -> Sequence[Call]:
    """What may run in a turn without another question; ``earlier`` are the turns before it. Pure.

    That is what the customer said yes to with the message that began it; or with the message before, where that
    turn held the call because this message had come. One turn later a yes is spent.
    """
    if turn.answered is not None:
        return _agreed_to(turn, earlier)
    asked = [place for place, before in enumerate(earlier) if not before.unasked]
    if not asked:
        return ()
    last = earlier[asked[-1]]
    held = list(_held(last))
    return [call for call in _agreed_to(last, earlier[: asked[-1]]) if _key(call) in held]


def _agreed_to(turn: TurnState, earlier: Sequence[TurnState]) -> Sequence[Call]:
    answered = turn.answered
    if answered is None or answered.answer != "yes":
        return ()
    for before in reversed(earlier):
        if before.asked is not None and before.asked.confirmation_id == answered.confirmation_id:
            return agreed_calls(before.asked, answered)
    return ()


def _held(turn: TurnState) -> Iterator[tuple[str, object]]:
    for outcome in turn.outcomes.values():
        if isinstance(outcome, CallCancelled) and outcome.why == HELD:
            yield _key(outcome.call)


def _key(call: Call) -> tuple[str, object]:
    return call.tool, call.arguments
