"""Decides a whole conversation's latest message: by itself, or as part of what went before."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.offline.answer import take_answer
from assistant.models.offline.correct import take_correction
from assistant.models.offline.decide import Message, decide_message, read_message
from assistant.models.offline.decision import Ask, Decision, Help, Planned, Unsure
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.follow_up import take_follow_up
from assistant.models.offline.results import named_thing, same_day
from assistant.models.offline.slots import slots_of
from assistant.models.offline.understand import Nearest

_REMEMBERED: Final = 5


def think(
    exchanges: Sequence[Exchange], specs: Mapping[str, ToolSpec], today: date, nearest: Nearest
) -> Decision:
    """Decide the last exchange's message. Pure: what was asked back before is found by deciding it again."""
    if not exchanges:
        return Decision(reply=Help(unmatched=False))
    decision = Decision()
    for last in range(max(1, len(exchanges) - _REMEMBERED), len(exchanges) + 1):
        decision = _step(exchanges[:last], decision, specs, today, nearest)
    return decision


def held_back(decision: Decision) -> bool:
    """Whether the calls wait for the answer to a question that could not be put after their results: a
    side effect has a question of its own.
    """
    return isinstance(decision.reply, Ask) and all(plan.spec.effect == "write" for plan in decision.calls)


def _step(
    exchanges: Sequence[Exchange],
    before: Decision,
    specs: Mapping[str, ToolSpec],
    today: date,
    nearest: Nearest,
) -> Decision:
    earlier = exchanges[:-1]
    message = read_message(exchanges[-1].said, today, nearest)
    found = tuple(one for exchange in earlier for one in exchange.found)
    fresh = _pointed(decide_message(message, today), message, found)
    if not earlier:
        return fresh
    if earlier[-1].waiting:
        corrected = take_correction(earlier[-1].waiting, message, specs, today)
        if corrected is not None:
            return corrected
    if isinstance(before.reply, Ask | Unsure):
        answered = take_answer(before.reply, message, fresh, found, today)
        if answered is not None:
            return Decision(before.calls + answered.calls, answered.reply) if held_back(before) else answered
    if isinstance(fresh.reply, Help | Unsure | None) and not fresh.calls:
        outcomes = next((one.outcomes for one in reversed(earlier) if one.outcomes), ())
        return take_follow_up(message, outcomes, specs, today) or fresh
    return fresh


def _pointed(decision: Decision, message: Message, found: tuple[CallSucceeded, ...]) -> Decision:
    """Fill what "the second one" or "it" points at in earlier results."""
    calls = tuple(
        Planned(plan.spec, {**_things(plan, message, found), **plan.arguments}) for plan in decision.calls
    )
    ask = decision.reply
    if not isinstance(ask, Ask):
        return Decision(calls, ask)
    things = _things(ask, message, found)
    if ask.slot.name not in things:
        return Decision(calls, ask)
    arguments = {**things, **ask.arguments}
    missing = next(
        (slot for slot in slots_of(ask.spec) if slot.required and slot.name not in arguments), None
    )
    if missing is not None:
        return Decision(calls, Ask(ask.spec, missing, arguments))
    return Decision((*calls, Planned(ask.spec, arguments)))


def _things(plan: Planned | Ask, message: Message, found: tuple[CallSucceeded, ...]) -> dict[str, Json]:
    if any(value is not None for value in plan.arguments.values()) and isinstance(plan, Planned):
        return {}
    things: dict[str, Json] = {}
    for slot in slots_of(plan.spec):
        if slot.kind == "reference" and slot.noun:
            thing = named_thing(slot, message.entities, message.text, found)
        else:
            thing = same_day(slot, message.text, found)
        if thing is not None:
            things[slot.name] = thing
    return things
