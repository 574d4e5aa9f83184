"""Asks which is meant where "cancel the second one" may be of either of two lists that were told."""

import re
from collections.abc import Collection, Mapping

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message, plan_call
from assistant.models.offline.decision import Ask, Decision, Unsure
from assistant.models.offline.deeds import deed_of
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.resolve import thing_slot
from assistant.models.offline.scene import Scene
from assistant.models.offline.slots import slots_of
from assistant.models.offline.things import named_in


def lists_of(exchange: Exchange | None, specs: Mapping[str, ToolSpec]) -> frozenset[str]:
    """What kinds of things were told in an exchange, such as "order"."""
    told = {one.call.tool for one in exchange.outcomes} if exchange is not None else set[str]()
    nouns = {_noun(spec) for spec in specs.values()} - {""}
    return frozenset(noun for noun in nouns if any(named_in(noun, tool) for tool in told))


def take_either(decided: Decision, message: Message, told: Collection[str], scene: Scene) -> Decision | None:
    """The question which list is meant; None where there are no two, or where the message says it."""
    plans = [*decided.calls, *([decided.reply] if isinstance(decided.reply, Ask) else [])]
    if len(told) < 2 or not message.entities.places or len(plans) != 1:
        return None
    (plan,) = plans
    if plan.spec.effect != "write" or _noun(plan.spec) not in told:
        return None
    if any(_says(noun, message.text) for noun in told):
        return None
    alike = [
        spec
        for spec in scene.specs.values()
        if _noun(spec) in told and deed_of(spec) == deed_of(plan.spec) and spec.effect == "write"
    ]
    options = [plan_call(spec, {}, message.text, message.entities, scene.today) for spec in alike]
    return Decision(reply=Unsure(tuple(options))) if len(options) > 1 else None


def named_in_words(spec: ToolSpec, text: str) -> bool:
    """Whether a text names the thing that a tool acts on."""
    noun = _noun(spec)
    return bool(noun) and _says(noun, text)


def _says(noun: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(noun)}s?\b", text))


def _noun(spec: ToolSpec) -> str:
    slot = thing_slot(slots_of(spec))
    return slot.noun if slot is not None else ""
