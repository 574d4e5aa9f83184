"""Which calls need the customer's yes, and to which calls they have agreed.

A yes counts only for exactly the calls in the question.

A letter, a product review or a colleague's note may contain instructions from a third party, and a model may
follow them: immediately, or turns later, when the customer only says "Thanks". So a side effect that is decided
while such text is in the model's view needs the customer's yes, unless the customer asked for it in their own
words: see :mod:`assistant.turn.explicit_request`.

Such text never leaves the view again, because the model's later words, the snapshot of a result and the summary
of old turns contain parts of it. So it is enough to look for its source.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never

from assistant.conversation.calls import Call, call_id, round_of
from assistant.conversation.entries import ConfirmationAnswered, ConfirmationAsked, CustomerMessage
from assistant.conversation.model_views import is_final
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.conversation.views import HandoffMessage
from assistant.prompts.words import WordList
from assistant.tools.references import BadReference, references_in
from assistant.tools.tool import PreparedCall
from assistant.turn.consent.answer import takes_back
from assistant.turn.consent.read_question import question_of
from assistant.turn.context import RunningTurn, TurnDependencies, rules_for
from assistant.turn.explicit_request import may_be_pasted, requested_by_customer
from assistant.turn.start_call import is_same_call


def untrusted_in_view(turn: RunningTurn, round_: int, deps: TurnDependencies) -> bool:
    """Whether a model that decides in this round can read text that is not the customer's own.

    Such text is: results of tools without ``trusted=True``, descriptions of tools by a server, documents and
    files (and their names), agents' words, who may quote anyone, and text that a customer pasted. For the
    running turn, text counts if it was known when the round began. For earlier turns all of it counts, whether
    it is in the view in full, in a snapshot, or in a summary.
    """
    described = any(spec.foreign and not spec.trusted for spec in deps.tools.specs)
    return (
        described
        or _brought_before(turn.state, round_, deps)
        or any(_brought_earlier(earlier, turn, deps) for earlier in reversed(turn.earlier))
    )


def takes_untrusted_values(call: Call, deps: TurnDependencies) -> bool:
    """Whether an argument of the call, as decided, comes from the result of an untrusted tool. Pure."""
    try:
        return not all(_is_trusted(reference.tool, deps) for reference in references_in(call.arguments))
    except BadReference:
        return True


def _brought_earlier(earlier: TurnState, turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether an ended turn has brought such text into the conversation; computed once for each turn."""
    known = turn.views.untrusted.get(earlier.id)
    if known is not None and known[0] is deps.tools:
        return known[1]
    results = earlier.outcomes.values()
    brought = _brought_by_people(earlier) or any(_is_untrusted(one, deps) for one in results)
    if is_final(earlier):
        turn.views.untrusted[earlier.id] = deps.tools, brought
    return brought


def _brought_before(turn: TurnState, round_: int, deps: TurnDependencies) -> bool:
    """Whether the running turn had brought such text into the conversation before a round began."""
    return _brought_by_people(turn) or any(
        _is_untrusted(outcome, deps) for outcome in _known_in(turn, round_)
    )


def _known_in(turn: TurnState, round_: int) -> Iterator[Outcome]:
    # A round that is repeated after a restart knows some of its own results.
    knew = turn.rounds[round_ - 1].knew if round_ <= len(turn.rounds) else frozenset[str]()
    for id_, outcome in turn.outcomes.items():
        if round_of(id_) < round_ or id_ in knew:
            yield outcome


def _brought_by_people(turn: TurnState) -> bool:
    message = turn.message
    return bool(message.attachments) or may_be_pasted(message.text) or any(map(_is_from_others, turn.before))


def _is_from_others(remark: HandoffMessage) -> bool:
    return bool(remark.name or remark.attachments) or may_be_pasted(remark.text)


def untrusted_results(turn: RunningTurn, deps: TurnDependencies) -> Iterator[Json]:
    """The results in this conversation that may contain other people's text, newest turn first. Pure."""
    for each in (turn.state, *reversed(turn.earlier)):
        for outcome in each.outcomes.values():
            if isinstance(outcome, CallSucceeded) and _is_untrusted(outcome, deps):
                yield outcome.value


def _is_untrusted(outcome: Outcome, deps: TurnDependencies) -> bool:
    match outcome:
        case CallSucceeded(call=call, value=value):
            known = call.tool in deps.tools and deps.tools.get(call.tool).spec.role == "searches"
            if known and deps.trust_knowledge and _is_all_knowledge(value):
                return False
            return not _is_trusted(call.tool, deps)
        case CallFailed(call=call):
            return not _is_trusted(call.tool, deps)
        case (
            CallEmpty()
            | CallTimedOut()
            | CallCancelled()
            | CallDenied()
            | CallAwaitingConfirmation()
            | CallUnknown()
        ):
            # These results contain only our own words.
            return False
        case _:
            assert_never(outcome)


def _is_trusted(tool: str, deps: TurnDependencies) -> bool:
    return tool in deps.tools and deps.tools.get(tool).spec.trusted


def _is_all_knowledge(found: Json) -> bool:
    """Whether all passages that were found are from the company's documents, and none from a customer's."""
    return isinstance(found, list | tuple) and all(
        isinstance(passage, Mapping) and passage.get("kind") == "knowledge" for passage in found
    )


def question_before(turn: RunningTurn) -> ConfirmationAsked | None:
    """The question that was open when this turn began: the most recent question."""
    if turn.state.turn.cause != "confirmation":
        return None
    return next((earlier.asked for earlier in reversed(turn.earlier) if earlier.asked is not None), None)


def agreed_calls(question: ConfirmationAsked, answered: ConfirmationAnswered) -> tuple[Call, ...]:
    """The calls that the customer agreed to."""
    return tuple(
        call for call in question.calls if not answered.agreed_call_ids or call.id in answered.agreed_call_ids
    )


def carried_over(
    question: ConfirmationAsked, waiting: Sequence[Call], text: str, too: WordList
) -> tuple[Call, ...]:
    """The calls of an unanswered question that are asked about again, together with the calls that wait now.

    A new call of the same tool replaces the older ones, unless the customer asks for it in addition.
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
    """Calls of an earlier turn, with new ids that no call of this turn has."""
    round_ = turn.state.latest_round + 1
    return tuple(
        Call(id=call_id(round_, number), tool=call.tool, arguments=call.arguments)
        for number, call in enumerate(calls, start=1)
    )


def _is_among(call: Call, others: Sequence[Call]) -> bool:
    return any(call.tool == other.tool and call.arguments == other.arguments for other in others)


HELD_BACK: Final = (
    "the customer wrote again before it started, so it was held; decide anew from their newest message, and call "
    "it again if they still want it"
)
"""Why a side effect that was ready to run did not run. A yes to it still counts in the next turn."""


def must_be_confirmed(ready: PreparedCall, turn: RunningTurn, round_: int, deps: TurnDependencies) -> bool:
    """Whether the customer must agree to this call before it runs."""
    asks = deps.needs_confirmation(ready.tool.spec) or any(
        rule.confirm for rule in rules_for(ready.call.tool, turn, deps)
    )
    if not asks and not _may_be_others_wish(ready, turn, round_, deps):
        return False
    if turn.state.answered is None and _may_have_changed_their_mind(turn, deps):
        return True
    return not any(is_same_call(ready, call) for call in cleared_calls(turn.state, turn.earlier))


def _may_be_others_wish(ready: PreparedCall, turn: RunningTurn, round_: int, deps: TurnDependencies) -> bool:
    """Whether a side effect may follow from other people's text."""
    if ready.tool.spec.effect != "write":
        return False
    decided = turn.state.requested.get(ready.call.id, ready.call)
    untrusted = untrusted_in_view(turn, round_, deps) or takes_untrusted_values(decided, deps)
    return untrusted and not requested_by_customer(ready, turn, deps)


def _may_have_changed_their_mind(turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether the message that stopped the agreed calls says no, wait, or something that changes the request."""
    return takes_back(turn.state.message.text, deps.book.words(turn.locale).consent)


def is_held_back(ready: PreparedCall, turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether a newer message keeps a side effect from starting until that message has been decided.

    A side effect that the customer agreed to in this turn is held only by a message that takes the yes back.
    """
    waiting = turn.conversation.waiting
    if not waiting:
        return False
    question = question_before(turn)
    if question is None or not any(
        is_same_call(ready, call) for call in _agreed_to(turn.state, turn.earlier)
    ):
        return True
    return any(takes_back_agreed(said, question, deps) for said in waiting)


def has_agreed_calls_to_start(
    turn: TurnState, earlier: Sequence[TurnState], said: CustomerMessage, deps: TurnDependencies
) -> bool:
    """Whether a turn still has to start calls that the customer agreed to, and the newer message does not
    change that.
    """
    question = next((before.asked for before in reversed(earlier) if before.asked is not None), None)
    if turn.turn.cause != "confirmation" or question is None or takes_back_agreed(said, question, deps):
        return False
    if turn.answered is None:
        return True
    begun = [
        _key(call)
        for call in turn.calls
        if call.id in turn.started or call.id in turn.outcomes or call.id in turn.approvals
    ]
    return any(_key(call) not in begun for call in _agreed_to(turn, earlier))


def takes_back_agreed(said: CustomerMessage, question: ConfirmationAsked, deps: TurnDependencies) -> bool:
    """Whether a newer message takes back the yes to a question."""
    if said.button is not None:
        return said.button == "no"
    words = deps.book.words(said.locale).consent
    asked = question_of(question, said.locale, words, {spec.name: spec for spec in deps.tools.specs})
    return takes_back(said.text, words, asked)


def cleared_calls(turn: TurnState, earlier: Sequence[TurnState]) -> Sequence[Call]:
    """The calls that may run in a turn without another question. ``earlier`` has the turns before it. Pure.

    These are the calls that the customer agreed to with the message that began the turn, or with the message
    before, if the previous turn did not start the call because this message had come. After one more turn a yes
    no longer counts.
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
        if isinstance(outcome, CallCancelled) and outcome.why == HELD_BACK:
            yield _key(outcome.call)


def _key(call: Call) -> tuple[str, object]:
    return call.tool, call.arguments
