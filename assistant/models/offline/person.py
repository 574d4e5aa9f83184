"""Offers a person where nothing here can help."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import Decision, Help, Planned, Unsure
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.known import tries_are_over


def person_of(specs: Mapping[str, ToolSpec]) -> Planned | None:
    """The call that asks for a person; None where there is nobody to ask for."""
    return next((Planned(spec, {}) for spec in specs.values() if spec.role == "hands_over"), None)


def with_person(decision: Decision, specs: Mapping[str, ToolSpec]) -> Decision:
    """The same decision, which offers a person where nothing fits."""
    if not isinstance(decision.reply, Help) or not decision.reply.unmatched:
        return decision
    return replace(decision, reply=replace(decision.reply, person=person_of(specs)))


def offered(before: Decision, last: Exchange, now: Exchange, specs: Mapping[str, ToolSpec]) -> Unsure | None:
    """The offer of a person that the customer may answer now; None if none was made.

    A message that has already led to a change answered another question: a narrator's view holds no earlier
    results, so what was offered before is only a guess there.
    """
    if any(specs[one.call.tool].effect == "write" for one in now.outcomes if one.call.tool in specs):
        return None
    person = before.reply.person if isinstance(before.reply, Help) else None
    if person is None and tries_are_over(last.outcomes, specs):
        person = person_of(specs)
    return Unsure((person,)) if person is not None else None
