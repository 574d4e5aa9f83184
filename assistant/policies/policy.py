"""A policy: the company's instructions for a customer's wish, and its rules about tools.

The text is advice to a model. Rules are enforced: a call that breaks one is denied, see ``enforce.py``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from assistant.conversation.customer import Level
from assistant.prompts.voice import Hours
from assistant.tools.condition import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule about one tool.

    ``requires`` says how the customer must be identified. ``only_after`` are the tools that must have
    succeeded earlier in this conversation. ``only_if`` are the conditions that must all be true. ``confirm``:
    the customer must agree before the tool runs; if it is None, the tool's own declaration decides. ``say``
    is a clause for the customer, by locale; empty for the default. ``where`` is ``file:line``.
    """

    tool: str
    policy: str
    where: str
    requires: Level | None = None
    only_after: tuple[str, ...] = ()
    only_if: tuple[Condition, ...] = ()
    confirm: bool | None = None
    say: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One file of the folder.

    ``name`` is the file's name without ".md". ``when`` has phrases for customers' wishes; ``tools`` are the
    tools that the policy is about. ``tenants`` are the tenants to which the policy applies; it is empty for
    all tenants. ``hours`` are the times when the policy applies; it is None if it always applies. ``text``
    has the steps, in Markdown without headings. ``where`` is ``file:line``.
    """

    name: str
    where: str
    text: str
    when: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    hours: Hours | None = None
    rules: tuple[Rule, ...] = ()

    def holds(self, tenant: str, now: datetime) -> bool:
        """Whether this policy applies to this tenant's customers at this time of the company's clock."""
        return (not self.tenants or tenant in self.tenants) and (
            self.hours is None or self.hours.open_at(now)
        )


@dataclass(frozen=True, slots=True)
class Policies:
    """All policies, in the order of their names."""

    every: tuple[Policy, ...] = ()

    def holding(self, tenant: str, now: datetime) -> tuple[Policy, ...]:
        """Returns the policies that apply now."""
        return tuple(policy for policy in self.every if policy.holds(tenant, now))

    def rules_for(self, tool: str, tenant: str, now: datetime) -> tuple[Rule, ...]:
        """Returns the rules about a tool that apply now."""
        return tuple(rule for policy in self.every for rule in _about(tool, policy, tenant, now))

    def __iter__(self) -> Iterator[Policy]:
        return iter(self.every)

    def __len__(self) -> int:
        return len(self.every)


RuleKind: TypeAlias = Literal["only_after", "only_if"]


def model_rules(policy: Policy) -> Iterator[tuple[str, RuleKind, str]]:
    """Yields the rules that a model can act on: the tool, the kind of rule, and its requirement.

    Rules about claims are left out, because a model cannot change claims. So are confirmations and
    identification, which are requested in any case.
    """
    for rule in policy.rules:
        if rule.only_after:
            yield rule.tool, "only_after", " and ".join(rule.only_after)
        for condition in rule.only_if:
            if condition.tools or condition.arguments:
                yield rule.tool, "only_if", condition.text


NO_POLICIES: Final = Policies()


def _about(tool: str, policy: Policy, tenant: str, now: datetime) -> Iterable[Rule]:
    rules = [rule for rule in policy.rules if rule.tool == tool]
    return rules if rules and policy.holds(tenant, now) else ()
