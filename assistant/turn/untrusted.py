"""Tells whether a decision was made while a model could read text that is not the customer's.

A letter, a product's review or a colleague's note may hold the wishes of a stranger, and a model may follow them:
at once, or turns later, when the customer only says "Thanks". So a side effect that is decided while such text is
in the model's view needs the customer's yes, unless they asked for it in words of their own: see
:mod:`assistant.turn.stated`.

Such text never leaves the view again. What a model said after it had read it, the snapshot of a result and the
summary of old turns are made from it and carry it on. So it is enough to look for what brought it.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from assistant.conversation.calls import Call, round_of
from assistant.conversation.model_views import is_settled
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
from assistant.conversation.views import Remark
from assistant.tooling.references import BadReference, references_in
from assistant.turn.parts import Parts
from assistant.turn.running_turn import RunningTurn
from assistant.turn.stated import may_be_pasted


def untrusted_in_view(turn: RunningTurn, round_: int, parts: Parts) -> bool:
    """Whether a model that decides in this round of the running turn can read text that is not the customer's.

    That is: results of tools that are not declared ``trusted=True``, descriptions of tools that a server wrote,
    documents and files (their names too), the words of people, who may quote anyone, and what a customer pasted.
    Of the running turn it is what was known when the round began; of earlier turns it is everything, whether it
    is still there in full, in a snapshot, or in a summary.
    """
    described = any(spec.foreign and not spec.trusted for spec in parts.tools.specs)
    return (
        described
        or _brought_before(turn.state, round_, parts)
        or any(_brought_earlier(earlier, turn, parts) for earlier in reversed(turn.earlier))
    )


def takes_untrusted_values(call: Call, parts: Parts) -> bool:
    """Whether an argument of the call, as it was decided, is taken from the result of an untrusted tool. Pure."""
    try:
        return not all(_is_trusted(reference.tool, parts) for reference in references_in(call.arguments))
    except BadReference:
        return True


def _brought_earlier(earlier: TurnState, turn: RunningTurn, parts: Parts) -> bool:
    """Whether a turn that is over has brought such text into the conversation; found out once for each."""
    known = turn.views.untrusted.get(earlier.id)
    if known is not None and known[0] is parts.tools:
        return known[1]
    results = earlier.outcomes.values()
    brought = _brought_by_people(earlier) or any(_is_untrusted(one, parts) for one in results)
    if is_settled(earlier):
        turn.views.untrusted[earlier.id] = parts.tools, brought
    return brought


def _brought_before(turn: TurnState, round_: int, parts: Parts) -> bool:
    """The same for a turn that runs, up to the beginning of a round."""
    return _brought_by_people(turn) or any(
        _is_untrusted(outcome, parts) for outcome in _known_in(turn, round_)
    )


def _known_in(turn: TurnState, round_: int) -> Iterator[Outcome]:
    # A round that is asked again after a restart knows some of its own results.
    knew = turn.rounds[round_ - 1].knew if round_ <= len(turn.rounds) else frozenset[str]()
    for call_id, outcome in turn.outcomes.items():
        if round_of(call_id) < round_ or call_id in knew:
            yield outcome


def _brought_by_people(turn: TurnState) -> bool:
    message = turn.message
    return bool(message.attachments) or may_be_pasted(message.text) or any(map(_is_from_others, turn.before))


def _is_from_others(remark: Remark) -> bool:
    return bool(remark.name or remark.attachments) or may_be_pasted(remark.text)


def untrusted_results(turn: RunningTurn, parts: Parts) -> Iterator[Json]:
    """The results in this conversation that may hold text of other people, newest turn first. Pure."""
    for each in (turn.state, *reversed(turn.earlier)):
        for outcome in each.outcomes.values():
            if isinstance(outcome, CallSucceeded) and _is_untrusted(outcome, parts):
                yield outcome.value


def _is_untrusted(outcome: Outcome, parts: Parts) -> bool:
    match outcome:
        case CallSucceeded(call=call, value=value):
            known = call.tool in parts.tools and parts.tools.get(call.tool).spec.role == "searches"
            if known and parts.trust_knowledge and _is_all_knowledge(value):
                return False
            return not _is_trusted(call.tool, parts)
        case CallFailed(call=call):
            return not _is_trusted(call.tool, parts)
        case (
            CallEmpty()
            | CallTimedOut()
            | CallCancelled()
            | CallDenied()
            | CallAwaitingConfirmation()
            | CallUnknown()
        ):
            # These hold words of ours only.
            return False
        case _:
            assert_never(outcome)


def _is_trusted(tool: str, parts: Parts) -> bool:
    return tool in parts.tools and parts.tools.get(tool).spec.trusted


def _is_all_knowledge(found: Json) -> bool:
    """Whether all passages that were found stand in the company's documents, and none in a customer's."""
    return isinstance(found, list | tuple) and all(
        isinstance(passage, Mapping) and passage.get("kind") == "knowledge" for passage in found
    )
