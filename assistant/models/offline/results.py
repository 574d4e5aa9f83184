"""Finds what "the second one" means among earlier results."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json, JsonObject
from assistant.models.offline.entities import Entities
from assistant.models.offline.slots import Slot
from assistant.models.offline.stems import stem

_THEN: Final = re.compile(r"\b(?:that|then|this|same|one|it)\b")
_IT: Final = re.compile(r"\b(?:it|that one|this one|that|this)\b")


def items_of(value: Json) -> tuple[JsonObject, ...]:
    """The list of things in a result, wherever it lies in it; the result itself when it is one thing.

    >>> items_of({"balance": "5", "invoices": [{"number": 1}]})
    ({'number': 1},)
    >>> items_of({"number": 7})
    ({'number': 7},)
    """
    if isinstance(value, Mapping):
        inner = next((items for one in value.values() if _listed(one) and (items := items_of(one))), ())
        return inner or (value,)
    return tuple(one for one in _listed(value) if isinstance(one, Mapping))


def named_thing(slot: Slot, entities: Entities, text: str, found: Sequence[CallSucceeded]) -> Json:
    """The value for a slot that a message points at with a place ("the second one") or, where only one
    thing was found, with "it". None when nothing of the slot's kind was found, or no place given.
    """
    for outcome in reversed(found):
        if slot.noun and stem(slot.noun) not in {
            stem(word.removesuffix("s")) for word in outcome.call.tool.split("_")
        }:
            continue
        items = items_of(outcome.value)
        item = _pointed_at(items, entities, text)
        if item is not None and (value := _name_of(item, slot)) is not None:
            return value
    return None


def same_day(slot: Slot, text: str, found: Sequence[CallSucceeded]) -> Json:
    """The day that the last look-up was about, where "that" or "then" points at it: "book that at 10"."""
    if slot.kind != "day" or not found or not _THEN.search(text):
        return None
    return found[-1].call.arguments.get(slot.name)


def _pointed_at(items: Sequence[JsonObject], entities: Entities, text: str) -> JsonObject | None:
    if entities.places:
        place = entities.places[0].value
        index = place - 1 if place > 0 else len(items) + place
        return items[index] if 0 <= index < len(items) else None
    return items[0] if len(items) == 1 and _IT.search(text) else None


def _name_of(item: JsonObject, slot: Slot) -> Json:
    for key in (slot.name, slot.name.removeprefix(f"{slot.noun}_"), "id", "number", "reference"):
        value = item.get(key)
        if isinstance(value, str | int):
            return value if slot.numeric else str(value)
    return None


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
