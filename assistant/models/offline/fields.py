"""The fields of one thing that was found, as somebody asks for them: what it costs, when it is, its name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final, Literal, TypeAlias

from assistant.conversation.values import Json, JsonObject
from assistant.models.offline.stems import stems

FieldKind: TypeAlias = Literal["amount", "moment", "name", "place", "state", "other"]
"""A ``state`` is what may be another any time: how far an order is, and when it comes."""

_KINDS: Final[Mapping[FieldKind, frozenset[str]]] = {
    "amount": frozenset({"amount", "price", "total", "cost", "sum", "balance", "fee"}),
    "name": frozenset({"name", "title", "product", "service", "subject", "item"}),
    "place": frozenset({"address", "place", "location", "city", "street", "room", "branch", "shop"}),
    "state": frozenset({"status", "state", "progress", "stage", "arrives", "arrival", "eta"}),
}
_LONGEST: Final = 80  # characters; more is no word or two
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?")

_ASKS: Final[Mapping[FieldKind, re.Pattern[str]]] = {
    "amount": re.compile(r"\b(?:how much|amount|price|costs?|total|to pay|owe)\b"),
    "moment": re.compile(r"\bwhen\b|\b(?:what|which) (?:day|date|time)\b"),
    "place": re.compile(r"\bwhere\b"),
    "name": re.compile(r"\b(?:called|named?)\b|\bwhat\b.*\b(?:is|was)\b.*\bfor\b"),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One value under its key, in words; an amount without its currency is a number, a moment an ISO one."""

    key: str
    value: str
    kind: FieldKind


def fields_of(item: JsonObject) -> tuple[Field, ...]:
    """What can be said of a thing in a word or two, in its order.

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
    """What it is called; None where nothing says so."""
    return next((one for one in fields_of(item) if one.kind == "name"), None)


def asked_in(text: str, item: JsonObject) -> tuple[str, ...]:
    """The keys that a lower-case question asks for, by name or by what they hold; none where it is not clear.

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
    """Whether one of these may be another by now."""
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
