"""A large value made small, still as data: what names things stays, and signs say where something is missing."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from assistant.conversation.values import Json, JsonObject

LEFT_OUT: Final = "… left out"
"""The key under which stands how many items, or fields, are missing at this place."""

_CUT: Final = " … "
_ITEMS: Final = 6  # so many of a list's are shown, however large they are
_FIELDS: Final = 300  # of a mapping, the first that are looked at: more could not stand in a page
_SHORT: Final = 60
_WORTHWHILE: Final = 80  # characters, below which a part of something long tells nothing
_NAMING: Final = frozenset(
    {
        *(
            "id",
            "ids",
            "ref",
            "reference",
            "number",
            "no",
            "nr",
            "code",
            "sku",
            "name",
            "title",
            "kind",
            "type",
        ),
        *("status", "state", "amount", "total", "sum", "balance", "price", "cost", "currency", "count"),
        *("date", "day", "time", "at", "on", "due", "starts", "start", "ends", "end", "from", "until", "to"),
    }
)
_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_encoded: Final = json.JSONEncoder(ensure_ascii=False).encode


def shortened(value: Json, room: int) -> Json:
    """The value itself where its JSON text has at most ``room`` characters; else a smaller one that does. Pure.

    Lists keep items of their beginning and some of their end, in order, and say between them how many are
    missing; mappings keep their short fields, those first that name a thing; long texts keep head and tail. What
    is cut away is never looked at, so that it costs nothing.

    >>> shortened({"number": 7, "note": "a " * 50}, 40)
    {'number': 7, '… left out': 1}
    >>> shortened(list(range(100, 200)), 50)
    [100, 101, 102, 103, 104, {'… left out': 93}, 198, 199]

    Args:
        value: any.
        room: at least 50; a value that has less of it comes out somewhat larger.
    """
    return value if _left(value, room) >= 0 else _cut(value, room)


def head_and_tail(text: str, most: int) -> str:
    """The text with its middle cut out, at most ``most`` characters long.

    >>> head_and_tail("a long text about nothing", 15)
    'a long te … ing'
    """
    if len(text) <= most:
        return text
    kept = most - len(_CUT)
    if kept <= len(_CUT):
        return _CUT.strip()
    tail = kept // 4
    return f"{text[: kept - tail]}{_CUT}{text[len(text) - tail :]}"


def shared_out(wants: Sequence[int], room: int) -> list[int]:
    """How much room each gets, in order: those that want little get it, the others what is left, in equal parts.

    >>> shared_out([100, 10_000, 9_000], 1_100)
    [100, 500, 500]
    """
    shares = [0] * len(wants)
    for nth, place in enumerate(sorted(range(len(wants)), key=wants.__getitem__)):
        shares[place] = min(wants[place], max(room, 0) // (len(wants) - nth))
        room -= shares[place]
    return shares


def _left(value: Json, room: int) -> int:
    """What is left of the room once a value is written in it; below 0 when it does not fit."""
    todo: list[Json] = [value]
    while todo and room >= 0:
        match todo.pop():
            case str() as text:
                room -= len(_encoded(text)) if len(text) <= room else len(text) + 2
            case Mapping() as pairs:
                room -= max(2, 2 * len(pairs) + 1)
                todo += (*pairs, *pairs.values()) if room >= 0 else ()
            case Sequence() as row:
                room -= max(2, len(row) + 1)
                todo += row if room >= 0 else ()
            case other:
                room -= len(_encoded(other))
    return room


def _size(value: Json, most: int) -> int:
    """How long a value's JSON text is; ``most`` and one for one that is longer."""
    return most - max(-1, _left(value, most))


def _cut(value: Json, room: int) -> Json:
    match value:
        case str():
            return _cut_text(value, room)
        case Mapping():
            nothing = _mark(len(value))
            return _cut_mapping(value, left) if (left := _left(nothing, room)) > 0 else nothing
        case Sequence():
            nothing = [_mark(len(value))]
            return _cut_row(value, left) if (left := _left(nothing, room)) > 0 else nothing
        case _:
            return _CUT.strip()  # a number that is longer than everything else may be


def _mark(missing: int) -> dict[str, Json]:
    return {LEFT_OUT: missing}


def _is_mark(value: Json) -> bool:
    return isinstance(value, Mapping) and [*value] == [LEFT_OUT]


def _cut_text(text: str, room: int) -> str:
    most = room - 2
    short = head_and_tail(text, most)
    while most > 0 and (size := len(_encoded(short))) > room:
        most = most * room // size  # some signs take several in JSON
        short = head_and_tail(text, most)
    return short


def _cut_row(row: Sequence[Json], room: int) -> list[Json]:
    wants = [_size(row[place], room) + 1 for place in islice(_from_both_ends(len(row)), _ITEMS)]
    shares = shared_out(wants, room)
    most = min((share for share, want in zip(shares, wants, strict=True) if share < want), default=room)
    kept: dict[int, Json] = {}
    for place in _from_both_ends(len(row)):
        item = shortened(row[place], most - 1)
        room -= _size(item, room) + 1
        if room < 0 or (item is not row[place] and _is_mark(item)):
            break  # An item of which nothing is left is one that is missing.
        kept[place] = item
    missing = len(row) - len(kept)
    places = sorted(kept)
    gap = next((nth for nth, place in enumerate(places) if nth != place), len(places))
    mark = [_mark(missing)] if missing else []
    return [*(kept[place] for place in places[:gap]), *mark, *(kept[place] for place in places[gap:])]


def _cut_mapping(pairs: JsonObject, room: int) -> dict[str, Json]:
    fields = [key for key in islice(pairs, _FIELDS) if key != LEFT_OUT]
    short = [key for key in fields if _is_short(pairs[key])]
    kept: dict[str, Json] = {}
    for key in sorted(short, key=_names_nothing):
        if (cost := _size({key: pairs[key]}, room)) <= room:
            kept[key] = pairs[key]
            room -= cost
    long = [key for key in fields if not _is_short(pairs[key])][: max(1, room // _WORTHWHILE)]
    wants = [_size({key: pairs[key]}, room) for key in long]
    for key, share in zip(long, shared_out(wants, room), strict=True):
        value = shortened(pairs[key], share - _size({key: 0}, room) + 1)
        if _size({key: value}, room) <= share and value != _CUT.strip():
            kept[key] = value
    missing = len(pairs) - len(kept)
    return {key: kept[key] for key in fields if key in kept} | (_mark(missing) if missing else {})


def _from_both_ends(count: int) -> Iterator[int]:
    """Places in a row, in the order in which they matter: the first, the last, three more, the last but one.

    >>> [*_from_both_ends(8)]
    [0, 7, 1, 2, 3, 6, 4, 5]
    """
    head = tail = 0
    while head + tail < count:
        if head > 3 * tail:
            tail += 1
            yield count - tail
        else:
            head += 1
            yield head - 1


def _is_short(value: Json) -> bool:
    return not isinstance(value, Mapping | Sequence) or (isinstance(value, str) and len(value) <= _SHORT)


def _names_nothing(key: str) -> bool:
    return _NAMING.isdisjoint(word.lower() for word in _WORDS.findall(key))
