"""Hears what was asked before it was known who asks once more, as soon as it is known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from assistant.conversation.calls import Call
from assistant.conversation.not_known import is_not_known, not_known
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.correct import only_values
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Planned, Prove
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.prove import prove, ways_to_prove


def once_known(
    exchanges: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
    decided: Callable[[Sequence[Exchange]], Decision],
) -> tuple[Exchange, ...]:
    """The exchanges, in which the message that made the customer known stands for the one that was denied.

    ``decided`` decides an earlier message: a narrator's view does not say how its calls ended.
    """
    row: list[Exchange] = []
    for number, one in enumerate(exchanges):
        place = next((n for n, outcome in enumerate(one.outcomes) if _shows(outcome, specs)), None)
        if place is None:
            row.append(one)
            continue
        proved, after = one.outcomes[place : place + 1], one.outcomes[place + 1 :]
        said = one.said if _denied(one.outcomes) else _wish(exchanges[:number], decided)
        row.append(replace(one, said=said or one.said, outcomes=after, proved=proved, wished=bool(said)))
    return tuple(row)


def is_stranger(exchanges: Iterable[Exchange], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether the last that is known of the customer is that nobody knows who they are."""
    for one in reversed([*exchanges]):
        if one.proved or any(_shows(outcome, specs) for outcome in one.outcomes):
            return False
        if _denied(one.outcomes):
            return True
    return False


def take_proof(
    before: Decision,
    message: Message,
    fresh: Decision,
    earlier: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
) -> Decision | None:
    """What shows who a stranger is, or the question for what it lacks; None where the message holds none of it."""
    if not is_stranger(earlier, specs):
        return None
    found = prove(ways_to_prove(specs.values()), message, _said_before(before))
    if isinstance(found, Planned):
        return Decision((found,))
    asks_for_more = fresh.calls and not only_values(message)
    return Decision(reply=found) if found is not None and not asks_for_more else None


def must_prove(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether the customer is to be asked who they are: it was needed, or what they said did not match."""
    tried = any(isinstance(one, CallFailed) and _identifies(one, specs) for one in outcomes)
    return (tried or _denied(outcomes)) and not tries_are_over(outcomes, specs)


def tries_are_over(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether nothing that the customer says can show any more who they are."""
    return any(isinstance(one, CallDenied) and _identifies(one, specs) for one in outcomes)


def _wish(earlier: Sequence[Exchange], decided: Callable[[Sequence[Exchange]], Decision]) -> str | None:
    """The last message that was denied. Where nobody says what was, it is what was decided for a stranger."""
    row: list[Exchange] = []
    for one in earlier:
        row.append(one)
        if not one.outcomes:
            needing = [plan for plan in decided(row).calls if plan.spec.needs_customer]
            calls = (Call(id="", tool=plan.spec.name, arguments=plan.arguments) for plan in needing)
            row[-1] = replace(one, outcomes=tuple(not_known(call, "") for call in calls))
    return next((one.said for one in reversed(row) if _denied(one.outcomes)), None)


def _said_before(before: Decision) -> Prove | Planned | None:
    if isinstance(before.question, Prove):
        return before.question
    return next((plan for plan in before.calls if plan.spec.role == "identifies"), None)


def _denied(outcomes: Sequence[Outcome]) -> bool:
    return any(is_not_known(one) for one in outcomes)


def _shows(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    return isinstance(outcome, CallSucceeded) and _identifies(outcome, specs)


def _identifies(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    spec = specs.get(outcome.call.tool)
    return spec is not None and spec.role == "identifies"
