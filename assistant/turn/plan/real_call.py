"""A call with the values that its references stand for, once their sources have ended."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from assistant.conversation.calls import Call, round_of
from assistant.conversation.outcomes import (
    CallCancelled,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    Outcome,
    OutcomeName,
    outcome_name,
)
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.tooling.references import BadReference, Reference, fill_in, link, refers
from assistant.turn.plan.plan import Step

_LACKING: Final[Mapping[OutcomeName, str]] = {
    "failed": "failed",
    "timed_out": "took too long",
    "cancelled": "did not run",
    "denied": "was not allowed",
    "awaiting_confirmation": "waits for the customer's yes",
    "unknown": "has an end that nobody knows",
}


def with_values(step: Step, state: TurnState) -> Call | CallCancelled | CallFailed:
    """The step's call as it will run; or its outcome when it cannot, because a source has no such value. Pure."""
    call = step.call
    if step.fault is not None:
        return failed(call, step.fault)
    if not step.sources:
        return call
    results: dict[str, Json] = {}
    found_nothing: list[str] = []
    for reference, source in step.sources.items():
        outcome = outcome_of(source, state)
        if not isinstance(outcome, CallSucceeded | CallEmpty):
            return CallCancelled(call=call, why=_lacking(reference, outcome, running=source in state.started))
        results[source] = outcome.value
        if isinstance(outcome, CallEmpty):
            found_nothing.append(repr(str(reference)))
    try:
        arguments = fill_in(call.arguments, lambda reference: results[step.sources[reference]])
    except BadReference as bad:
        if found_nothing:
            # Nobody's mistake: there was nothing to take it from, and that is what the customer should hear.
            why = f"it needs something that {' and '.join(found_nothing)} did not find"
            return CallCancelled(call=call, why=why)
        return failed(call, bad)
    return replace(call, arguments=arguments)


def real_call(call: Call, state: TurnState) -> Call:
    """A call of a turn as it would run by what its sources have found; as it was decided if that cannot be told."""
    if not refers(call.arguments):
        return call
    links = link(state.round(round_of(call.id)).calls)
    step = Step(call=call, sources=links.sources.get(call.id, {}), fault=links.faults.get(call.id))
    real = with_values(step, state)
    return real if isinstance(real, Call) else call


def outcome_of(call_id: str, state: TurnState) -> Outcome | None:
    """How a call ended; for one that is the same as another, how that one did. None: it has not."""
    outcome = state.outcomes.get(call_id)
    while isinstance(outcome, CallCancelled) and outcome.same_as:
        outcome = state.outcomes.get(outcome.same_as)
    return outcome


def failed(call: Call, bad: BadReference) -> CallFailed:
    """The outcome of a call whose reference cannot be followed."""
    return CallFailed(call=call, say=bad.say, for_model=f"{bad}.")


def _lacking(reference: Reference, outcome: Outcome | None, *, running: bool) -> str:
    if outcome is not None:
        lacks = _LACKING[outcome_name(outcome)]
    else:
        lacks = "has no result yet" if running else "waits for the customer's yes"
    return f"it needs the result of {str(reference)!r}, which {lacks}"
