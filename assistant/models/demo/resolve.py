"""Finds the thing that a side effect applies to: in earlier results, or by a lookup first."""

import re
from typing import Final

from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.decide import Message
from assistant.models.demo.decision import Ask, Decision, Planned, Slot, Unsure, slots_of
from assistant.models.demo.entities import Entities
from assistant.models.demo.things import Scene, Shown, means_all, name_for, one_pointed_at, pointed_at

_THEN: Final = re.compile(r"\b(?:that|then|this|same|one|it)\b")


def resolve(decision: Decision, message: Message, scene: Scene) -> Decision:
    """Fill in, for each plan, the thing that the message means.

    If a side effect could mean several things that are not known yet, the result is a lookup of these things,
    and the message is decided again afterwards. It never guesses: if several things are left, the customer is
    asked.
    """
    if isinstance(decision.reply, Unsure):
        return Decision(
            decision.calls, Unsure(tuple(_option(one, message, scene) for one in decision.reply.options))
        )
    asked = (decision.reply,) if isinstance(decision.reply, Ask) else ()
    plans: list[Planned | Ask] = []
    for plan in (*decision.calls, *asked):
        plans += [one for one in _resolved(plan, message, scene) if one not in plans]
    if any(plan not in (*decision.calls, *asked) and _waits_for(plan, scene) for plan in plans):
        # All side effects are read back together, so none runs before the lookup for another one.
        plans = [plan for plan in plans if plan.spec.effect == "read"]
    asks = [plan for plan in plans if isinstance(plan, Ask)]
    return Decision(
        tuple(plan for plan in plans if isinstance(plan, Planned)),
        asks[0] if asks else None if asked else decision.reply,
    )


def completed(plan: Planned | Ask, more: JsonObject) -> Planned | Ask:
    """Returns the plan with more arguments: a call if it is complete, otherwise the question for the missing
    value.
    """
    arguments = {**plan.arguments, **more}
    lacking = (slot for slot in slots_of(plan.spec) if slot.required and slot.name not in arguments)
    asked = plan.slot if isinstance(plan, Ask) and plan.slot.name not in arguments else None
    missing = asked or next(lacking, None)
    return Planned(plan.spec, arguments) if missing is None else Ask(plan.spec, missing, arguments)


def thing_slot(slots: tuple[Slot, ...]) -> Slot | None:
    """Returns the parameter that names the thing on which a tool acts."""
    return next((slot for slot in slots if slot.kind == "reference" and slot.noun), None)


def identifying(slots: tuple[Slot, ...]) -> frozenset[str]:
    """Returns the parameters that identify the thing, or empty if no parameter names one."""
    if thing_slot(slots) is None:
        return frozenset()
    return frozenset(
        slot.name
        for slot in slots
        if slot.kind == "reference" or (slot.kind in ("day", "time", "moment") and slot.role != "new")
    )


def changes_day(slots: tuple[Slot, ...]) -> bool:
    """Whether a day in the message is the thing's new day."""
    return any(slot.role == "new" for slot in slots)


def _waits_for(plan: Planned | Ask, scene: Scene) -> bool:
    """Whether a plan is a lookup that has not been made for this message yet."""
    return plan.spec.effect == "read" and plan.spec.name not in scene.looked


def _option(plan: Planned | Ask, message: Message, scene: Scene) -> Planned | Ask:
    """Returns one of several possible requests, with its thing filled in if that is known."""
    named = _resolved(plan, message, scene)
    return named[0] if len(named) == 1 and named[0].spec == plan.spec else plan


def _resolved(plan: Planned | Ask, message: Message, scene: Scene) -> list[Planned | Ask]:
    slots = slots_of(plan.spec)
    plan = _at_shown_time(plan, slots, message, scene)
    slot = thing_slot(slots)
    if slot is None or identifying(slots) & set(plan.arguments):
        return [plan]
    own = message.about(plan.spec.name)
    chosen = _chosen(slot, slots, own or message, scene)
    if not chosen and own is not None and not _asks_for_more(own, message):
        chosen = _chosen(slot, slots, message, scene)
    if chosen:
        return [completed(plan, {slot.name: name}) for name in chosen]
    return [plan] if plan.spec.effect == "read" else _looked_up(plan, slot, scene)


def _asks_for_more(own: Message, message: Message) -> bool:
    """Whether other pieces request something else; then the things that they name belong to that."""
    return any(piece.sure and piece not in own.pieces for piece in message.pieces)


def _looked_up(plan: Planned | Ask, slot: Slot, scene: Scene) -> list[Planned | Ask]:
    """Returns what to do if a message requests a side effect, but does not name the thing it is for.

    That is to look such things up, to ask which one is meant, or both. If the lookup found only one, it is
    filled in. If no tool looks them up, the plan is unchanged.
    """
    reader = scene.look_up(slot.noun)
    if reader is None:
        return [plan]
    listed, look = scene.listed(slot.noun), Planned(reader, {})
    if reader.name not in scene.looked:
        return [look] if listed is None else [Ask(plan.spec, slot, plan.arguments)]
    if listed is None or not listed.items:
        return [look]
    if len(listed.items) == 1 and (name := name_for(listed.items[0], slot)) is not None:
        return [completed(plan, {slot.name: name})]
    return [look, Ask(plan.spec, slot, plan.arguments)]


def _chosen(slot: Slot, slots: tuple[Slot, ...], message: Message, scene: Scene) -> list[str | int]:
    by_day = not changes_day(slots)
    for shown in reversed(scene.shown):
        if not shown.is_of(slot.noun):
            continue
        found = _meant(shown, slot.noun, message, by_day=by_day)
        names = [name_for(item, slot) for item in found]
        if found and None not in names:
            return [name for name in names if name is not None]
    return []


def _meant(shown: Shown, noun: str, message: Message, *, by_day: bool) -> tuple[JsonObject, ...]:
    one = one_pointed_at(shown, message.text, message.entities, by_day=by_day)
    if one is not None:
        return (one,)
    if by_day and means_all(message.text, noun) and len(shown.items) > 1:
        chosen = pointed_at(shown.items, message.text, message.entities, newest_first=shown.newest_first)
        return chosen or shown.items
    return ()


def _at_shown_time(
    plan: Planned | Ask, slots: tuple[Slot, ...], message: Message, scene: Scene
) -> Planned | Ask:
    """Returns the plan with the day and the time of the last lookup: "book that at 10", "book the first one"."""
    points = _THEN.search(message.text) or message.entities.places or message.entities.times
    if not scene.shown or not points or (plan.arguments and isinstance(plan, Planned)):
        return plan
    last = scene.shown[-1]
    known: dict[str, Json] = {}
    for slot in slots:
        if slot.name in plan.arguments or slot.role == "old":
            continue
        value = shown_day(slot, last) if slot.kind == "day" else offered_time(slot, last, message.entities)
        if value is not None:
            known[slot.name] = value
    return completed(plan, known) if known else plan


def shown_day(slot: Slot, last: Shown) -> Json:
    """Returns the day of a lookup: the day in its arguments, or that of its only result."""
    asked = last.call.arguments.get(slot.name)
    return last.items[0].get(slot.name) if asked is None and len(last.items) == 1 else asked


def offered_time(slot: Slot, last: Shown, said: Entities) -> str | None:
    """Returns a time from a list of times: the named one, the one at the named position, or the only one."""
    if slot.kind != "time" or len(last.items) != 1:
        return None
    times = last.items[0].get(f"{slot.name}s")
    if not isinstance(times, list | tuple):
        return None
    named = [f"{one.value:%H:%M}" for one in said.times]
    if named:
        return named[-1] if named[-1] in times else None
    places = [one.value for one in said.places] or ([1] if len(times) == 1 else [])
    index = (places[0] - 1 if places[0] > 0 else len(times) + places[0]) if places else -1
    return str(times[index]) if 0 <= index < len(times) else None
