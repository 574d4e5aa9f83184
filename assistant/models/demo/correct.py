"""Reads a customer's message as a correction, a change of mind, or a yes to an offer."""

import re
from collections.abc import Sequence
from typing import Final

from assistant.conversation.values import JsonObject
from assistant.language.words import without_ending
from assistant.models.demo.clauses import deed_of
from assistant.models.demo.dates import find_months
from assistant.models.demo.decide import Message
from assistant.models.demo.decision import Ask, Decision, Planned, Slot, slots_of
from assistant.models.demo.fill import fill
from assistant.models.demo.resolve import (
    changes_day,
    completed,
    identifying,
    offered_time,
    resolve,
    shown_day,
    thing_slot,
)
from assistant.models.demo.things import Scene, name_for, pointed_at
from assistant.models.demo.words import stems

_ONLY: Final = re.compile(r"\b(?:only|just)\b")
_NOT: Final = re.compile(r"\b(?:leave|keep|not|don't|without|except|skip|but for)\b")
_BESIDE: Final = re.compile(
    r"\b(?:no|nope|not|sorry|wait|oh|actually|make|it|that|this|i|mean|meant|rather|instead|please"
    r"|better|the|on|at|to|for|is|in|of|should|be|change|move|switch"
    r"|prefer|would|'d|prefer|and|a|an|o'clock|am|pm|morning|afternoon|evening|one|order|number"
    r"|thanks|then|but|how|about|what|let's|say|by|yes|yeah|ok|okay|i'd|can|could|we|you|do|go|with"
    r"|my|only|just|other|both|all|them|with|dr|cancel|wrong|was|works?|fine|good|great|perfect|take|i'll"
    r"|will|have|me)\b"
)
_DESCRIBES: Final = re.compile(r"\b(?:the|my|that|both|all|only|just)\b")
_OTHER: Final = re.compile(r"\bother(?: one)?\b")
_LONGEST: Final = 4  # words, apart from common ones, that a name may have


def take_correction(waiting: Sequence[Planned], message: Message, scene: Scene) -> Decision | None:
    """Returns the waiting calls with the customer's changes.

    Returns None if the message also contains something else, or no change that fits.
    """
    if not waiting:
        return None
    if _ONLY.search(message.text) and len(waiting) > 1:
        return _kept(waiting, message)
    if len(waiting) == 1 and (narrowed := _narrowed(waiting[0], message)) is not None:
        return Decision((narrowed,))
    if len({plan.spec.name for plan in waiting}) == 1:
        pointed = _pointed(waiting[0], message, scene)
        if pointed is not None:
            return pointed
    return _changed(waiting, message, scene) if only_values(message) else None


def _kept(waiting: Sequence[Planned], message: Message) -> Decision | None:
    """Returns the calls that remain after "only the first" or "just the order"."""
    if message.entities.places:
        place = message.entities.places[0].value
        kept = tuple(waiting[place - 1 : place] if place > 0 else waiting[-1:])
    else:
        said = stems(re.sub(r"\bnot (?:the|my) \w+", "", message.text))
        kept = tuple(plan for plan in waiting if said & _words(plan))
    return Decision(kept) if 0 < len(kept) < len(waiting) else None


def _narrowed(plan: Planned, message: Message) -> Planned | None:
    """Returns the call with only some of its optional values: "only the phone", "leave the phone number"."""
    optional = {slot.name for slot in slots_of(plan.spec) if not slot.required}
    said = stems(message.text.replace("-", ""))
    named = {name for name in plan.arguments if name in optional and stems(name) & said}
    others = set(plan.arguments) - named
    if not named or not others <= optional or message.entities.emails or message.entities.phones:
        return None
    kept = named if _ONLY.search(message.text) else others if _NOT.search(message.text) else set[str]()
    return Planned(plan.spec, {name: plan.arguments[name] for name in kept}) if kept else None


def _words(plan: Planned) -> frozenset[str]:
    return frozenset(without_ending(word.removesuffix("s")) for word in plan.spec.name.split("_"))


def _changed(waiting: Sequence[Planned], message: Message, scene: Scene) -> Decision | None:
    if len(waiting) > 1:
        return None  # one value for two calls: the customer must say which
    plan = waiting[0]
    slots = slots_of(plan.spec)
    new = fill(_changeable(slots), message.text, message.entities, scene.today)
    # Another day means another thing, so the arguments that identified the first thing are removed.
    named = identifying(slots) if set(new) & identifying(slots) else frozenset[str]()
    arguments = {name: value for name, value in plan.arguments.items() if name not in named or name in new}
    changed = Planned(plan.spec, {**arguments, **new})
    return None if changed == plan else Decision((changed,))


def _changeable(slots: tuple[Slot, ...]) -> list[Slot]:
    """Returns the parameters that a correction can change.

    Of an old and a new day, it changes the new one.
    """
    return [slot for slot in slots if slot.role != "old"]


def _pointed(plan: Planned, message: Message, scene: Scene) -> Decision | None:
    """Returns the same call for another thing, if the message only names a thing.

    If the thing is not known yet, the result is the lookup that finds it.
    """
    slots = slots_of(plan.spec)
    slot, rest = thing_slot(slots), _rest(message)
    if slot is None or not is_name(message):
        return None
    bare = Planned(plan.spec, {k: v for k, v in plan.arguments.items() if k not in identifying(slots)})
    listed = scene.listed(slot.noun)
    if listed is None:
        names = rest or find_months(message.text) or message.entities.places
        return resolve(Decision((bare,)), message, scene) if names else None
    chosen = pointed_at(
        listed.items,
        message.text,
        message.entities,
        by_day=not changes_day(slots),
        newest_first=listed.newest_first,
    )
    if _OTHER.search(message.text) and len(listed.items) == 2:
        chosen = tuple(item for item in listed.items if not _is_meant(plan, item, slot))
    known = stems(" ".join(str(value) for item in listed.items for value in item.values()) + f" {slot.noun}")
    if len(chosen) != 1 or not stems(rest) <= known:
        return None
    name = name_for(chosen[0], slot)
    made = completed(bare, {slot.name: name})
    return Decision((made,)) if name is not None and isinstance(made, Planned) and made != plan else None


def _is_meant(plan: Planned, item: JsonObject, slot: Slot) -> bool:
    """Whether the waiting call is for this thing, judged by its id or its day."""
    named = plan.arguments.get(slot.name)
    days = {str(value) for name, value in plan.arguments.items() if name in identifying(slots_of(plan.spec))}
    return name_for(item, slot) == named or any(str(value)[:10] in days for value in item.values())


def is_name(message: Message) -> bool:
    """Whether a message only describes one thing: "the lens fitting", "the December one"."""
    describes = _DESCRIBES.search(message.text) or message.entities.places or find_months(message.text)
    return bool(describes) and len(_rest(message).split()) <= _LONGEST and "?" not in message.text


def only_values(message: Message) -> bool:
    """Whether a message contains only values, positions and common words around them."""
    return not _rest(message)


def _rest(message: Message) -> str:
    """Returns the words of a message other than values, months and common words of corrections."""
    text = list(message.text)
    places = ((one.start, one.end) for one in message.entities.places)
    for start, end in (*message.entities.ranges, *places):
        text[start:end] = " " * (end - start)
    words = re.findall(r"[\w']+", _BESIDE.sub("", "".join(text)))
    return " ".join(word for word in words if not find_months(word))


_IT: Final = re.compile(r"\b(?:it|that|this)\b")


def take_instead(waiting: Sequence[Planned], message: Message, wanted: Decision) -> Decision | None:
    """Returns the action that the message orders (``wanted``), for the thing of the waiting call.

    Returns None unless exactly one call waits and the message orders another action on "it".
    """
    plans: list[Planned | Ask] = [*wanted.calls, *([wanted.reply] if isinstance(wanted.reply, Ask) else [])]
    if len(waiting) != 1 or len(plans) != 1 or not _IT.search(message.text):
        return None
    (old,), (new,) = waiting, plans
    ours = identifying(slots_of(new.spec))
    if new.spec == old.spec or new.spec.effect == "read" or ours & set(new.arguments):
        return None
    named = {name: value for name, value in old.arguments.items() if name in ours}
    if not named:
        return None
    made = completed(new, named)
    return Decision((made,)) if isinstance(made, Planned) else Decision(reply=made)


def take_offer(message: Message, scene: Scene) -> Decision | None:
    """Returns the one side effect that books a day and a time, for a time that was offered.

    Returns None if the message does not only choose a time.
    """
    said = message.entities
    if not scene.shown or not (said.times or said.places) or said.days or not only_values(message):
        return None
    last = scene.shown[-1]
    makers = [spec for spec in scene.specs.values() if "make" in deed_of(spec)]
    if len(makers) != 1:
        return None
    slots = slots_of(makers[0])
    days = {slot.name: shown_day(slot, last) for slot in slots if slot.kind == "day"}
    times = {slot.name: offered_time(slot, last, said) for slot in slots if slot.kind == "time"}
    arguments = days | times
    required = {slot.name for slot in slots if slot.required}
    if not times or None in arguments.values() or not required <= set(arguments):
        return None
    return Decision((Planned(makers[0], arguments),))
