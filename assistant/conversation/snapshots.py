"""Shortened forms of a call's result after its turn, of any large value, and of old log entries.

Later turns get a snapshot of each call. A large value is cut as data: names and ids stay, and marks show the
places of missing parts. Old entries lose a model's raw chunks and full results.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Literal, TypeAlias, assert_never

import orjson

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.documents import result_ref
from assistant.conversation.entries import CallEnded, Entry, ModelChunks, Snapshot
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
)
from assistant.conversation.values import Json, JsonObject

LEFT_OUT: Final = "… left out"
"""The key whose value is the number of items or fields that are missing at this place."""

_CUT: Final = " … "
_ITEMS: Final = 6  # items of a list that are shown, however large they are
_FIELDS: Final = 300  # fields of a mapping that are read; more would not fit
_SHORT: Final = 60
_WORTHWHILE: Final = 80  # characters; a shorter part of a long value is useless
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
_EXPONENT: Final = re.compile(rb"\de\d")


def shortened(value: Json, room: int) -> Json:
    """Returns the value itself if its JSON text has at most ``room`` characters, otherwise a smaller one.

    No side effects.

    Lists keep items from their beginning and some from their end, in order, with the number of missing items
    between them. Mappings keep their short fields, names and ids first. Long texts keep their beginning and
    end. Removed parts are never read, so they cost no time.

    >>> shortened({"number": 7, "note": "a " * 50}, 40)
    {'number': 7, '… left out': 1}
    >>> shortened(list(range(100, 200)), 50)
    [100, 101, 102, 103, 104, {'… left out': 93}, 198, 199]

    Args:
        value: any value.
        room: at least 50. For very small limits the result is somewhat larger.
    """
    return value if _left(value, room) >= 0 else _cut(value, room)


def without_marks(value: Json) -> Json:
    """Returns a shortened value without the marks of what is missing, for people to read.

    >>> without_marks(shortened(list(range(100, 200)), 50))
    [100, 101, 102, 103, 104, 198, 199]
    """
    match value:
        case Mapping():
            return {key: without_marks(part) for key, part in value.items() if key != LEFT_OUT}
        case Sequence() if not isinstance(value, str):
            return [without_marks(part) for part in value if not _is_mark(part)]
        case _:
            return value


def head_and_tail(text: str, most: int) -> str:
    """Divide a limit among requests; returns their shares in order. Small requests get all they want, and the
    others share the rest equally.

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
    """Returns the share of each, in order: small requests get all they want, the others share the rest
    equally.

    >>> shared_out([100, 10_000, 9_000], 1_100)
    [100, 500, 500]
    """
    shares = [0] * len(wants)
    for nth, place in enumerate(sorted(range(len(wants)), key=wants.__getitem__)):
        shares[place] = min(wants[place], max(room, 0) // (len(wants) - nth))
        room -= shares[place]
    return shares


def _left(value: Json, room: int) -> int:
    """Returns the space that is left after a value is written. It is negative if the value does not fit."""
    if isinstance(value, Sequence | Mapping) and len(value) > room:
        return -1
    try:
        written = orjson.dumps(value)
    except TypeError:
        return _left_slowly(value, room)  # a number that is too large for it
    if len(written) > 4 * room:
        return -1  # a character has at most four bytes
    if _EXPONENT.search(written):
        return _left_slowly(value, room)  # which others write with a sign
    return room - (len(written) if written.isascii() else len(written.decode()))


def _left_slowly(value: Json, room: int) -> int:
    todo: list[Json] = [value]
    while todo and room >= 0:
        match todo.pop():
            case Mapping() as pairs:
                room -= max(2, 2 * len(pairs) + 1)
                todo += (*pairs, *pairs.values()) if room >= 0 else ()
            case Sequence() as row if not isinstance(row, str):
                room -= max(2, len(row) + 1)
                todo += row if room >= 0 else ()
            case other:
                room -= len(_encoded(other))
    return room


def _size(value: Json, most: int) -> int:
    """Returns the length of a value's JSON text, or ``most`` + 1 if the text is longer than ``most``."""
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
            return _CUT.strip()  # a number that is longer than the limit


def _mark(missing: int) -> dict[str, Json]:
    return {LEFT_OUT: missing}


def _is_mark(value: Json) -> bool:
    return isinstance(value, Mapping) and [*value] == [LEFT_OUT]


def _cut_text(text: str, room: int) -> str:
    most = room - 2
    short = head_and_tail(text, most)
    while most > 0 and (size := len(_encoded(short))) > room:
        most = most * room // size  # some characters become several in JSON
        short = head_and_tail(text, most)
    return short


def _cut_row(row: Sequence[Json], room: int) -> list[Json]:
    wants = [_size(row[place], room) + 1 for place in islice(_from_both_ends(len(row)), _ITEMS)]
    shares = shared_out(wants, room)
    most = min((share for share, want in zip(shares, wants, strict=True) if share < want), default=room)
    kept: dict[int, Json] = {}
    for place in _from_both_ends(len(row)):
        left = _left(row[place], most - 1)
        item = row[place] if left >= 0 else _cut(row[place], most - 1)
        room -= (most - 1 - left if left >= 0 else _size(item, room)) + 1
        if room < 0 or (item is not row[place] and _is_mark(item)):
            break  # An item that became empty counts as missing.
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
    """Yields the positions of a list in the order of importance: the first, the last, three more, the second
    last.

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


MOST_CHARACTERS: Final = 1500
"""The most characters of a result's JSON text: about 400 tokens. What a customer is told in one answer is
smaller, even lists of a dozen things, so that follow-up questions find it complete. A hundred results of this
size still fit into each model's context window.
"""

_LONGEST_REASON: Final = 500


def snapshot_of(outcome: Outcome, conversation: str, turn_id: str) -> Snapshot:
    """Returns the snapshot of a call by the rule.

    No side effects: the same call always gives the same snapshot.

    A small result is stored unchanged. Its files are not stored; with files, the snapshot is not complete.
    A call without a result is described by its status: "failed", "denied".
    """
    call = outcome.call
    summary = _summary(outcome)
    return Snapshot(
        call_id=call.id,
        tool_name=call.tool,
        arguments=call.arguments,
        result_summary=summary,
        full_result_ref=result_ref(conversation, turn_id, call.id),
        complete=_is_complete(outcome, summary),
    )


def as_remembered(outcome: Outcome, snapshot: Snapshot) -> Outcome:
    """Returns the outcome as later turns see it: unchanged if its snapshot is complete. No side effects.

    Otherwise it has the snapshot's shortened result and the reference of the full one; its files are named in
    ``omitted``. A long reason for a missing result keeps its beginning and end.
    """
    if snapshot.complete:
        return outcome
    match outcome:
        case CallSucceeded(call=call, media=media, omitted=omitted):
            return CallSucceeded(
                call=call,
                value=snapshot.result_summary,
                omitted=(*map(_named, media), *omitted),
                full_ref=snapshot.full_result_ref,
            )
        case CallFailed(for_model=reason) | CallDenied(for_model=reason):
            return replace(outcome, for_model=head_and_tail(reason, _LONGEST_REASON))
        case CallCancelled(why=reason):
            return replace(outcome, why=head_and_tail(reason, _LONGEST_REASON))
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallAwaitingConfirmation():
            return outcome
        case _:
            assert_never(outcome)


def _summary(outcome: Outcome) -> Json:
    if isinstance(outcome, CallSucceeded | CallEmpty):
        return shortened(outcome.value, MOST_CHARACTERS)
    return outcome_name(outcome)


def _is_complete(outcome: Outcome, summary: Json) -> bool:
    match outcome:
        case CallSucceeded(value=value, media=media):
            return summary is value and not media
        case CallFailed(for_model=reason) | CallDenied(for_model=reason) | CallCancelled(why=reason):
            return len(reason) <= _LONGEST_REASON
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallAwaitingConfirmation():
            return True
        case _:
            assert_never(outcome)


def _named(media: Media) -> str:
    return f"{media.name}, {media.mime}" if media.name else media.mime


Aging: TypeAlias = Literal["chunks", "results"]
Thinner: TypeAlias = Callable[[str, str, Entry], Entry]
"""Makes a smaller entry from a conversation's id, a turn's id and an entry; returns the same object if
nothing is lost."""


def without_words(conversation: str, turn_id: str, entry: Entry) -> Entry:  # noqa: ARG001 - required by the type Thinner
    """Returns a model's reply without its text.

    Tokens and cost are kept. Other entries have the shown parts of the text.
    """
    if not isinstance(entry, ModelChunks):
        return entry
    ends = tuple(timed for timed in entry.chunks if isinstance(timed[1], StreamEnded))
    return entry if len(ends) == len(entry.chunks) else replace(entry, chunks=ends)


def without_result(conversation: str, turn_id: str, entry: Entry) -> Entry:
    """Returns a call's end with the rule's snapshot in place of the full result."""
    if not isinstance(entry, CallEnded):
        return entry
    left = as_remembered(entry.outcome, snapshot_of(entry.outcome, conversation, turn_id))
    return entry if left is entry.outcome else replace(entry, outcome=left)


THINNERS: Mapping[Aging, tuple[type[Entry], Thinner]] = {
    "chunks": (ModelChunks, without_words),
    "results": (CallEnded, without_result),
}
