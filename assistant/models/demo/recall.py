"""Answers from earlier results: one thing of a result, or some of its fields."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, Literal, TypeAlias

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.decide import Message
from assistant.models.demo.decision import Ask, Decision, Exchange, Planned, Recall
from assistant.models.demo.things import Scene, Shown, items_of, named_in, one_pointed_at
from assistant.models.demo.words import stems

_PAST: Final = re.compile(r"\b(?:was|were|did|had)\b")
_MAY_BE_OTHERWISE: Final = re.compile(
    r"\b(?:still|now|yet|already|current|currently|meanwhile|chang(?:ed?|ing)|check|look|since|news?|updated?)\b"
)
_WORD: Final = re.compile(r"[a-z]+")
_IT: Final = re.compile(r"\b(?:it|that one|this one)\b")


@dataclass(frozen=True, slots=True)
class _Found:
    """The last result, complete or shortened; ``full_ref`` refers to the complete one."""

    shown: Shown
    full_ref: str


def take_recall(
    message: Message, before: Decision, earlier: Sequence[Exchange], fresh: Decision, scene: Scene
) -> Decision | None:
    """Tell a value of the last result without a new lookup. Returns None if the message does not ask for such
    a value.

    It also returns None for a state that may have changed (unless the customer asks for the past), after a
    side effect, and if the message asks for anything else. If a shortened result lacks the thing, the
    complete result is loaded.
    """
    found = _found_last(earlier, message, scene)
    if found is None or not _asks_for_nothing_else(message, fresh, found):
        return None
    text, entities = message.text, message.entities
    last = before.reply if isinstance(before.reply, Recall) else None
    item = one_pointed_at(found.shown, text, entities)
    if item is None and last is not None and _IT.search(text) and not entities.places:
        item = last.item
    if item is None:
        return None
    if not item:
        return _loaded(found, message, scene)
    asked = asked_in(text, item)
    if not asked and last is not None and entities.places:
        asked = tuple(
            key for key in last.asked if key in item
        )  # "and the first one?" asks for the same fields
    past = _PAST.search(text) is not None
    if not asked or (may_change(item, asked) and not past):
        return None
    return Decision(reply=recall_of(found.shown.items, item, message, asked, past=past))


def recall_of(
    items: Sequence[JsonObject],
    item: JsonObject,
    message: Message,
    asked: tuple[str, ...] = (),
    *,
    past: bool = False,
) -> Recall:
    """Returns what to tell of this thing. It contains the position if the customer asked by position."""
    if not message.entities.places:
        return Recall(item, asked, past=past)
    # Compared by identity, because two of them may be equal.
    place = next(number for number, one in enumerate(items, 1) if one is item)
    return Recall(item, asked, place, past)


def _found_last(earlier: Sequence[Exchange], message: Message, scene: Scene) -> _Found | None:
    """Returns the last result.

    For a position in a list: the last result with several things, of the same lookup.
    """
    tool = ""
    for exchange in reversed(earlier):
        match exchange.outcomes:
            case ():
                continue
            case (CallSucceeded() as outcome,) if tool in ("", outcome.call.tool):
                tool = outcome.call.tool
            case _:
                return None  # several results: unclear which one a position refers to
        spec = scene.specs.get(tool)
        if spec is None or spec.effect != "read" or spec.role != "tool":
            return None
        items = items_of(outcome.value)
        if len(items) > 1 or not message.entities.places:
            shown = (one for one in reversed(scene.shown) if (one.call, one.items) == (outcome.call, items))
            return _Found(next(shown), outcome.full_ref)
    return None


def _asks_for_nothing_else(message: Message, fresh: Decision, found: _Found) -> bool:
    if any(piece.stance in ("negated", "retracted") for piece in message.pieces):
        return False
    if isinstance(fresh.reply, Ask) or _MAY_BE_OTHERWISE.search(message.text):
        return False
    words = _WORD.findall(message.text)
    return all(_is_beside(plan, words, found) for plan in fresh.calls)


def _is_beside(plan: Planned, words: Sequence[str], found: _Found) -> bool:
    """Whether a call comes only from similar words: a lookup for things that the question does not name."""
    tool = plan.spec.name
    if plan.spec.effect != "read" or plan.spec.role != "tool":
        return False
    return tool == found.shown.call.tool or not any(named_in(word, tool) for word in words)


def _loaded(found: _Found, message: Message, scene: Scene) -> Decision | None:
    if not found.full_ref or scene.loads is None or not message.entities.places:
        return None
    return Decision((Planned(scene.loads, {"ref": found.full_ref}),))


FieldKind: TypeAlias = Literal["amount", "moment", "name", "place", "state", "other"]
"""The kind of a value. A ``state`` may change at any time, such as the progress of an order or its
arrival."""

_KINDS: Final[Mapping[FieldKind, frozenset[str]]] = {
    "amount": frozenset({"amount", "price", "total", "cost", "sum", "balance", "fee"}),
    "name": frozenset({"name", "title", "product", "service", "subject", "item"}),
    "place": frozenset({"address", "place", "location", "city", "street", "room", "branch", "shop"}),
    "state": frozenset({"status", "state", "progress", "stage", "arrives", "arrival", "eta"}),
}
_LONGEST: Final = 80  # characters; longer values are texts
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")

_ASKS: Final[Mapping[FieldKind, re.Pattern[str]]] = {
    "amount": re.compile(r"\b(?:how much|amount|price|costs?|total|to pay|owe)\b"),
    "moment": re.compile(r"\bwhen\b|\b(?:what|which) (?:day|date|time)\b"),
    "place": re.compile(r"\bwhere\b"),
    "name": re.compile(r"\b(?:called|named?)\b|\bwhat\b.*\b(?:is|was)\b.*\bfor\b"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One value with its key, as text.

    An "amount" has no currency and is a number; a "moment" is an ISO date.
    """

    key: str
    value: str
    kind: FieldKind


def fields_of(item: JsonObject) -> tuple[Field, ...]:
    """Returns the short values of a thing, in order.

    >>> [(one.key, one.kind) for one in fields_of({"number": 7, "amount": "3.50", "due": "2026-12-01"})]
    [('number', 'other'), ('amount', 'amount'), ('due', 'moment')]
    """
    currency = item.get("currency")
    return tuple(
        _field(key, value, currency)
        for key, value in item.items()
        if key != "currency" and isinstance(value, str | int | float) and _is_short(value)
    )


def name_of(item: JsonObject) -> Field | None:
    """Returns the name of a thing, or None if it has none."""
    return next((one for one in fields_of(item) if one.kind == "name"), None)


def asked_in(text: str, item: JsonObject) -> tuple[str, ...]:
    """Returns the keys that a lower-case question asks for, by name or by kind, or empty if that is not
    clear.

    >>> bill = {"number": 7, "amount": "3.50", "due": "2026-12-01", "subject": "repair"}
    >>> asked_in("how much was the second one?", bill), asked_in("and when is it due?", bill)
    (('amount',), ('due',))
    >>> asked_in("when is it?", {**bill, "issued": "2026-11-01"})
    ()
    """
    fields, said = fields_of(item), stems(text)
    if named := tuple(one.key for one in fields if stems(one.key.replace("_", " ")) & said):
        return named
    for kind, asks in _ASKS.items():
        if asks.search(text):
            own = [one.key for one in fields if one.kind == kind]
            return tuple(own[:1]) if len(own) == 1 or kind == "name" else ()
    return ()


def may_change(item: JsonObject, keys: tuple[str, ...]) -> bool:
    """Whether one of these values may have changed."""
    return any(one.kind == "state" for one in fields_of(item) if one.key in keys)


def _field(key: str, value: str | float, currency: Json) -> Field:
    word = key.rpartition("_")[2].lower()
    kind = _kind_under(word)
    if kind == "amount" and not _is_number(value):
        kind = "other"
    if kind == "amount" and isinstance(currency, str):
        return Field(key, f"{value} {currency}", "other")
    if kind == "other" and isinstance(value, str) and _MOMENT.fullmatch(value):
        kind = "moment"
    return Field(key, str(value), kind)


def _is_short(value: str | float) -> bool:
    return not isinstance(value, bool) and 0 < len(str(value)) <= _LONGEST


def _kind_under(word: str) -> FieldKind:
    for kind, words in _KINDS.items():
        if word in words:
            return kind
    return "other"


def _is_number(value: str | float) -> bool:
    try:
        return Decimal(str(value)).is_finite()
    except InvalidOperation:
        return False
