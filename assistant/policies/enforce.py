"""Denies a call that breaks a rule of a policy, and tells the customer and the model what is missing."""

from collections.abc import Iterable, Sequence
from typing import Final

from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallSucceeded, Outcome
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.policies.policy import Rule
from assistant.prompts.locale import language
from assistant.tools.condition import Condition, Facts
from assistant.tools.execute import level_too_low
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall

_NOT_YET: Final = "something else has to be done before that"
_NOT_SO: Final = "our rules do not allow it in this case"


def denied_by_rules(
    ready: PreparedCall, rules: Sequence[Rule], turns: Sequence[TurnState], customer: Customer, tools: Tools
) -> CallDenied | None:
    """Returns the denial of a call that breaks one of these rules, or None if it breaks none.

    ``turns`` are the conversation's turns, including the running one.
    """
    denied = (_denied(ready, rule, turns, customer, tools) for rule in rules)
    return next((outcome for outcome in denied if outcome is not None), None)


def _denied(
    ready: PreparedCall, rule: Rule, turns: Sequence[TurnState], customer: Customer, tools: Tools
) -> CallDenied | None:
    call = ready.call
    if rule.requires is not None and not customer.is_at_least(rule.requires):
        return level_too_low(call, rule.requires, tools)
    if not rule.only_after and not rule.only_if:
        return None
    missing = [tool for tool in rule.only_after if not _has_succeeded(tool, turns)]
    if missing:
        first = " and ".join(map(repr, missing))
        told = (
            f"By the policy {rule.policy!r}, {call.tool!r} may run only after {first} has succeeded in this "
            f"conversation. Call that first, and then {call.tool!r} again."
        )
        return CallDenied(call=call, say=_said(rule, customer.locale, _NOT_YET), for_model=told)
    credential = customer.credential
    facts = Facts(
        results=_newest_results(turns),
        arguments=ready.arguments,
        claims=credential.claims if credential is not None else {},
        level=customer.level,
    )
    broken = next((condition for condition in rule.only_if if not condition.holds(facts)), None)
    if broken is None:
        return None
    told = (
        f"By the policy {rule.policy!r}, {call.tool!r} may run only if {broken.text}, which is not so."
        f"{_what_would_help(broken, facts)}"
    )
    return CallDenied(call=call, say=_said(rule, customer.locale, _NOT_SO), for_model=told)


def _what_would_help(broken: Condition, facts: Facts) -> str:
    unknown = " and ".join(repr(tool) for tool in sorted(broken.tools - facts.results.keys()))
    if unknown:
        return f" There is no result of {unknown} yet; call it first if it can help."
    return " Tell the customer, and do not call it again unless that has changed."


def _said(rule: Rule, locale: str, otherwise: str) -> str:
    return rule.say.get(locale) or rule.say.get(language(locale)) or rule.say.get("en") or otherwise


def _outcomes(turns: Iterable[TurnState]) -> Iterable[Outcome]:
    return (outcome for turn in turns for outcome in turn.outcomes.values())


def _has_succeeded(tool: str, turns: Sequence[TurnState]) -> bool:
    return any(isinstance(one, CallSucceeded) and one.call.tool == tool for one in _outcomes(turns))


def _newest_results(turns: Sequence[TurnState]) -> dict[str, Json]:
    """Returns the newest result of each tool, including empty results."""
    return {
        one.call.tool: one.value for one in _outcomes(turns) if isinstance(one, CallSucceeded | CallEmpty)
    }
