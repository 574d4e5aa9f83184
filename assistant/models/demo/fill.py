"""Fills a tool's parameters from a message."""

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Final, TypeVar

from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.dates import Found
from assistant.models.demo.decision import Kind, Slot
from assistant.models.demo.entities import Entities, Reference
from assistant.models.demo.words import stems

_TO: Final = re.compile(r"(?:\bto|\binto|\bfor|\buntil|\btill|->|→)\s+(?:the\s+|be\s+|this\s+|next\s+)?$")
_FROM: Final = re.compile(r"\b(?:from|my|the|instead of|not|than)\s+$")
_SUBJECT: Final = re.compile(
    r"\b(?:appointment|visit|slot|booking|one|exam|test|check-?up|fitting|meeting)\s+(?:is\s+)?(?:on|of"
    r"|for|from)\s+(?:the\s+)?$"
)

_Found = TypeVar("_Found", bound="Found[date] | Found[time]")


def fill(slots: Sequence[Slot], text: str, own: Entities, today: date, clause: str = "") -> JsonObject:
    """Fill slots from a lower-case message ``text`` and the values that belong to the request.

    Values in the request's own ``clause`` come first. Past days are not used. If a tool has an old and a new
    day, "to" marks the new one, and otherwise the order decides. A single unmarked day is the new one, unless
    it describes the thing.
    """
    arguments: dict[str, Json] = {}
    days = tuple(one for one in own.days if one.value >= today)
    day_of = _by_role(slots, "day", days, text)
    time_of = _times(slots, own.times, days, day_of, text)
    used: set[int] = set()
    for slot in slots:
        value = _choice(slot, clause) or _value(slot, text, own, day_of, time_of, used)
        if value is not None:
            arguments[slot.name] = value
    return arguments


def _value(
    slot: Slot,
    text: str,
    own: Entities,
    day_of: dict[str, Found[date]],
    time_of: dict[str, Found[time]],
    used: set[int],
) -> Json:
    match slot.kind:
        case "day":
            return str(day_of[slot.name].value) if slot.name in day_of else None
        case "time":
            return f"{time_of[slot.name].value:%H:%M}" if slot.name in time_of else None
        case "moment":
            return _moment(own)
        case "email":
            return own.emails[-1].value if own.emails else None
        case "phone":
            return own.phones[-1].value if own.phones else None
        case "reference":
            return _reference(slot, own.references, used)
        case "choice":
            return _choice(slot, text)
        case "days":
            return own.stretches[-1].value if own.stretches else None
        case "text" | "other":
            return None


def _moment(own: Entities) -> str | None:
    if not own.days or not own.times:
        return None
    return datetime.combine(own.days[-1].value, own.times[-1].value).isoformat(timespec="minutes")


def _reference(slot: Slot, references: Sequence[Reference], used: set[int]) -> str | int | None:
    for reference in references:
        if (
            reference.start not in used
            and _names(reference, slot)
            and (value := shaped(slot, reference.value)) is not None
        ):
            used.add(reference.start)
            return value
    return None


def _names(reference: Reference, slot: Slot) -> bool:
    if slot.noun and reference.noun == slot.noun:
        return True
    # "my lenses, 10601": a noun is accepted unless it names another kind of number.
    return reference.marked and reference.noun not in _OTHERS


_OTHERS: Final = frozenset({"invoice", "order", "appointment", "bill", "customer", "room", "error", "street"})


def shaped(slot: Slot, value: str) -> str | int | None:
    """Returns a value in the form of the parameter's pattern, or None if that is not possible.

    >>> slot = Slot(
    ...     name="number", kind="reference", role="only", required=True, description="", pattern="^O-[0-9]+$"
    ... )
    >>> shaped(slot, "1042"), shaped(slot, "o-1042"), shaped(slot, "x")
    ('O-1042', 'O-1042', None)
    """
    if slot.numeric:
        return int(value) if value.isdecimal() else None
    if slot.pattern is None:
        return value.upper()
    prefix = re.match(r"\^?([A-Z]+-?)", slot.pattern)
    tries = (value, value.upper(), f"{prefix[1]}{value}" if prefix else value)
    return next((one for one in tries if re.search(slot.pattern, one)), None)


def _choice(slot: Slot, text: str) -> str | None:
    """Returns the allowed value that the text contains literally, or else the one that shares the most words
    with the text.

    Returns None if two values fit equally well.

    >>> slot = Slot(
    ...     name="size", kind="choice", role="only", required=True, description="", choices=("S1", "S2", "S10")
    ... )
    >>> _choice(slot, "s1 please"), _choice(slot, "s")
    ('S1', None)
    """
    written = [
        one
        for one in slot.choices
        if re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", text.casefold())
    ]
    if len(written) == 1:
        return written[0]  # Without this, a code such as "S1" would not match, because it has no stems.
    said = stems(text)
    scores = sorted(
        ((len(words & said) / len(words), choice) for choice in slot.choices if (words := stems(choice))),
        reverse=True,
    )
    if not scores or scores[0][0] < 0.5 or (len(scores) > 1 and scores[1][0] == scores[0][0]):
        return None
    return scores[0][1]


def _by_role(slots: Sequence[Slot], kind: Kind, found: Sequence[_Found], text: str) -> dict[str, _Found]:
    """Returns the day (or time) for each slot of that kind, by the slot's name."""
    wanting = [slot for slot in slots if slot.kind == kind]
    if not wanting or not found:
        return {}
    new = next((slot for slot in wanting if slot.role == "new"), None)
    old = next((slot for slot in wanting if slot.role == "old"), None)
    if new is None:
        return {slot.name: one for slot, one in zip(wanting, found, strict=False)}
    if old is None:
        return {new.name: found[-1]}
    return _old_and_new(old, new, found, text)


def _old_and_new(old: Slot, new: Slot, found: Sequence[_Found], text: str) -> dict[str, _Found]:
    marked = _first(
        found, lambda one: bool(_TO.search(text[: one.start]) and not _SUBJECT.search(text[: one.start]))
    )
    if len(found) == 1:
        describes = marked is None and (
            _FROM.search(text[: found[0].start]) or _SUBJECT.search(text[: found[0].start])
        )
        return {old.name if describes else new.name: found[0]}
    target = marked or found[-1]
    source = _first(found, lambda one: one is not target)
    return {new.name: target} | ({old.name: source} if source is not None else {})


def _times(
    slots: Sequence[Slot],
    times: Sequence[Found[time]],
    days: Sequence[Found[date]],
    day_of: dict[str, Found[date]],
    text: str,
) -> dict[str, Found[time]]:
    """Returns the time for each slot.

    A time belongs to the nearest day: "my 3 pm on Monday to Friday at 4".
    """
    role_of = {day_of[slot.name].start: slot.role for slot in slots if slot.name in day_of}
    wanting = {slot.role: slot.name for slot in slots if slot.kind == "time"}
    if not role_of or len(wanting) < 2:
        return _by_role(slots, "time", times, text)
    beside = ((min(days, key=lambda day: _gap(day, one)), one) for one in times)
    return {wanting[role]: one for day, one in beside if (role := role_of.get(day.start)) in wanting}


def _gap(day: Found[date], at: Found[time]) -> int:
    return max(at.start - day.end, day.start - at.end)


def _first(found: Sequence[_Found], fits: Callable[[_Found], bool]) -> _Found | None:
    return next((one for one in found if fits(one)), None)
