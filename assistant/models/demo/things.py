"""The things in earlier results, and which of them a message means: "the lens fitting", "both"."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Final

from assistant.conversation.calls import Call
from assistant.conversation.snapshots import LEFT_OUT
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.language.words import without_ending
from assistant.models.demo.dates import find_months, find_weekdays
from assistant.models.demo.decision import Exchange, Slot, slots_of
from assistant.models.demo.entities import LAST, Entities, find_entities, plain
from assistant.models.demo.words import stems

_ALL: Final = re.compile(r"\b(?:both|all(?: of (?:them|these|those))?|them|each of them)\b")
_SOME: Final = re.compile(r"\b(?:one|any|some|none|neither|either|which|not all) of\b")
_OTHER: Final = re.compile(r"\bthe other(?: one)?\b")
_IT: Final = re.compile(r"\b(?:it|that|this|they|them|these|those)\b")
_RULED_OUT: Final = re.compile(r"\b(?:not|instead of|rather than|keep|leave) (?:the|my|that) [^,.;]+")
_MISSING: Final[JsonObject] = {}
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?")


@dataclass(frozen=True, slots=True)
class Shown:
    """The things in one call's result. ``focus`` are those that the customer had asked for."""

    call: Call
    items: tuple[JsonObject, ...]
    focus: tuple[JsonObject, ...]
    newest_first: bool = False

    def is_of(self, noun: str) -> bool:
        """Whether the lookup was for things with this name."""
        return not noun or named_in(noun, self.call.tool)


def named_in(noun: str, tool: str) -> bool:
    """Whether a tool's name contains a thing's name.

    >>> named_in("appointment", "list_upcoming_appointments"), named_in("order", "get_open_invoices")
    (True, False)
    """
    return without_ending(noun) in {without_ending(word.removesuffix("s")) for word in tool.split("_")}


def noun_of(spec: ToolSpec, slots: Iterable[Slot]) -> str:
    """Returns the customer's word for the thing that a tool is about.

    >>> noun_of(ToolSpec(name="list_upcoming_appointments", description="", parameters={}), ())
    'appointments'
    """
    return next((slot.noun for slot in slots if slot.noun), spec.name.rpartition("_")[2])


def items_of(value: Json) -> tuple[JsonObject, ...]:
    """Returns the list of things in a result, at any depth. If the result is one thing, returns a list of it.

    >>> items_of({"balance": "5", "invoices": [{"number": 1}]})
    ({'number': 1},)
    >>> items_of({"number": 7})
    ({'number': 7},)

    Placeholders for missing things keep the positions right: a shortened list contains an empty thing for
    each.

    >>> items_of([{"number": 1}, {"… left out": 2}, {"number": 4, "… left out": 3}])
    ({'number': 1}, {}, {}, {'number': 4})
    """
    if isinstance(value, Mapping):
        inner = next((items for one in value.values() if _listed(one) and (items := items_of(one))), ())
        return inner or (_without_mark(value),)
    return tuple(item for one in _listed(value) if isinstance(one, Mapping) for item in _each(one))


def means_all(text: str, noun: str) -> bool:
    """Whether a lower-case text means all things of a kind.

    >>> means_all("cancel both", "visit"), means_all("cancel my visits", "visit"), means_all("my visit", "visit")
    (True, True, False)
    """
    if _SOME.search(text):
        return False
    return bool(_ALL.search(text) or re.search(rf"\b(?:my|the|these|those) {re.escape(noun)}s\b", text))


def pointed_at(
    items: Sequence[JsonObject],
    text: str,
    entities: Entities,
    *,
    by_day: bool = True,
    told: Sequence[JsonObject] = (),
    newest_first: bool = False,
) -> tuple[JsonObject, ...]:
    """Returns the things that a message describes: by position, day, time, number or words.

    Returns an empty tuple if the message describes none, or contradicts itself. ``by_day`` is False if the
    days in the message are the new ones. ``told`` are the things that "the other one" excludes.
    ``newest_first`` is True if "the last one" is the first in the list.

    >>> visits = [{"id": "A1", "starts": "2026-11-24T14:00", "service": "eye test"},
    ...     {"id": "A2", "starts": "2026-12-04T10:30", "service": "lens fitting"}]
    >>> [one["id"] for one in pointed_at(visits, "no, the december one", Entities())]
    ['A2']
    >>> [one["id"] for one in pointed_at(visits, "not the lens fitting, the eye test", Entities())]
    ['A1']
    """
    said = _RULED_OUT.sub("", text)
    place = _other(items, text, told) if _OTHER.search(text) else _at_place(items, entities, newest_first)
    kinds = [place, _numbered(items, entities), _worded(items, said)]
    if by_day:
        kinds += [_on_day(items, text, entities), _at_time(items, entities)]
    said_of = [kind for kind in kinds if kind]
    return tuple(
        item for index, item in enumerate(items) if said_of and all(index in kind for kind in said_of)
    )


def one_pointed_at(shown: Shown, text: str, entities: Entities, *, by_day: bool = True) -> JsonObject | None:
    """Returns the one thing that a message means. "it" means the thing that was asked for, if that was only
    one.
    """
    chosen = pointed_at(
        shown.items, text, entities, by_day=by_day, told=shown.focus, newest_first=shown.newest_first
    )
    if len(chosen) == 1:
        return chosen[0]
    return shown.focus[0] if not chosen and len(shown.focus) == 1 and _IT.search(text) else None


def name_for(item: JsonObject, slot: Slot) -> str | int | None:
    """Returns a thing's number or id, in the form of a slot."""
    for key in (slot.name, slot.name.removeprefix(f"{slot.noun}_"), "id", "number", "reference"):
        value = item.get(key)
        if isinstance(value, str | int):
            return value if slot.numeric else str(value)
    return None


def named_thing(slot: Slot, entities: Entities, text: str, shown: Sequence[Shown]) -> str | int | None:
    """Returns the value for a slot that names a thing. Returns None unless the message means a thing that was
    found earlier.
    """
    for one in reversed(shown):
        item = one_pointed_at(one, text, entities) if one.is_of(slot.noun) else None
        if item is not None and (value := name_for(item, slot)) is not None:
            return value
    return None


def _at_place(items: Sequence[JsonObject], entities: Entities, newest_first: bool) -> list[int]:
    if not entities.places:
        return []
    place = entities.places[0].value
    if newest_first and place == LAST:
        place = 1
    index = place - 1 if place > 0 else len(items) + place
    return [index] if 0 <= index < len(items) else []


def _other(items: Sequence[JsonObject], text: str, told: Sequence[JsonObject]) -> list[int]:
    """Returns the one of two things that the message does not exclude, or that was not told before. If this
    does not decide, returns the second.
    """
    if len(items) != 2:
        return []
    out = _worded(items, " ".join(one[0] for one in _RULED_OUT.finditer(text)))
    gone = out or [index for index, item in enumerate(items) if item in told]
    left = [index for index in range(2) if index not in gone]
    return left if len(left) == 1 else [1]


def _numbered(items: Sequence[JsonObject], entities: Entities) -> list[int]:
    numbers = {one.value for one in entities.references}
    return [index for index, item in enumerate(items) if numbers & {str(value) for value in item.values()}]


def _worded(items: Sequence[JsonObject], text: str) -> list[int]:
    """Returns the things that match the most words of the text. Words that all things share are ignored."""
    said = stems(text)
    known = [stems(" ".join(_texts(item))) for item in items]
    there = [words for words, item in zip(known, items, strict=True) if item]
    shared = set(there[0]).intersection(*there[1:]) if len(there) > 1 else set[str]()
    hits = [len(said & words - shared) for words in known]
    return [index for index, hit in enumerate(hits) if hit and hit == max(hits)]


def _on_day(items: Sequence[JsonObject], text: str, entities: Entities) -> list[int]:
    days = [[day for day, _ in _moments(item)] for item in items]
    wanted = {one.value for one in entities.days}
    if exact := [index for index, own in enumerate(days) if wanted & set(own)]:
        return exact
    weekdays, months = find_weekdays(text), find_months(text)
    if wanted and months:
        return []  # a complete date that none of them has
    return [
        index
        for index, own in enumerate(days)
        if any(day.weekday() in weekdays or day.month in months for day in own)
    ]


def _at_time(items: Sequence[JsonObject], entities: Entities) -> list[int]:
    wanted = {f"{one.value:%H:%M}" for one in entities.times}
    return [
        index
        for index, item in enumerate(items)
        if wanted & {at for _, at in _moments(item) if at is not None}
    ]


def _texts(item: JsonObject) -> Iterator[str]:
    return (value for value in item.values() if isinstance(value, str) and not _MOMENT.match(value))


def _moments(item: JsonObject) -> Iterator[tuple[date, str | None]]:
    for value in item.values():
        if isinstance(value, str) and (moment := _MOMENT.match(value)):
            with suppress(ValueError):  # not a valid date
                yield date.fromisoformat(moment[1]), moment[2]


def _each(item: JsonObject) -> tuple[JsonObject, ...]:
    missing = item.get(LEFT_OUT)
    if len(item) == 1 and isinstance(missing, int):
        return (_MISSING,) * missing
    return (_without_mark(item),)


def _without_mark(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if key != LEFT_OUT} if LEFT_OUT in item else item


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


@dataclass(frozen=True, slots=True)
class Scene:
    """The context of a message. ``shown`` are the results so far, oldest first, including the message's own
    lookups.

    ``looked`` are the tools that were called for the message itself.
    """

    specs: Mapping[str, ToolSpec]
    today: date
    shown: tuple[Shown, ...]
    looked: frozenset[str]

    @property
    def loads(self) -> ToolSpec | None:
        """The tool that loads a shortened result, if it is offered."""
        return next((spec for spec in self.specs.values() if spec.role == "loads"), None)

    def look_up(self, noun: str) -> ToolSpec | None:
        """Returns the tool that lists the customer's things of a kind without arguments."""
        return next(
            (
                spec
                for spec in self.specs.values()
                if spec.effect == "read"
                and named_in(noun, spec.name)
                and not any(slot.required for slot in slots_of(spec))
            ),
            None,
        )

    def listed(self, noun: str) -> Shown | None:
        """Returns the newest complete list of things of a kind, or None if something has changed since."""
        for one in reversed(self.shown):
            spec = self.specs.get(one.call.tool)
            if spec is None or not one.is_of(noun):
                continue
            if spec.effect == "write":
                return None
            if not one.call.arguments:
                return one
        return None


def scene_of(exchanges: Sequence[Exchange], specs: Mapping[str, ToolSpec], today: date) -> Scene:
    """Returns the scene of the last exchange's message."""
    return Scene(
        specs=specs,
        today=today,
        shown=tuple(one for exchange in exchanges for one in _shown(exchange, specs, today)),
        looked=frozenset(one.call.tool for one in exchanges[-1].outcomes),
    )


def _shown(exchange: Exchange, specs: Mapping[str, ToolSpec], today: date) -> list[Shown]:
    text, entities = plain(exchange.said), find_entities(exchange.said, today)
    shown: list[Shown] = []
    for outcome in exchange.found:
        items = items_of(outcome.value)
        spec = specs.get(outcome.call.tool)
        newest = spec is not None and spec.sorted_by == "newest_first"
        focus = pointed_at(items, text, entities, newest_first=newest) or items
        shown.append(Shown(outcome.call, items, focus, newest))
    return shown
