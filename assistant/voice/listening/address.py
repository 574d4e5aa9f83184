"""Finds an e-mail address that was said: "ana dot costa at example dot com"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.voice.listening.pieces import Piece

_PART = re.compile(r"[^@\s]+@[^@\s]+\.[^\W\d_]{2,}")
_BETWEEN = re.compile(r"[\s,]*")
_BETWEEN_LETTERS = re.compile(r"[\s,.]*")


def find_address(text: str, pieces: Sequence[Piece]) -> Piece | None:
    """The first address, in small letters, as a piece of the text; None where there is none.

    Before the "at" stands one word, or what was spelled, or several joined by signs: "my mail is ana at" is "ana".
    """
    for at, piece in enumerate(pieces):
        if piece.means != "@":
            continue
        first, last = _first(text, pieces, at), _last(text, pieces, at)
        means = _written(pieces[first:at]) + "@" + _written(pieces[at + 1 : last + 1])
        if _PART.fullmatch(means):
            return replace(pieces[first], kind="word", means=means.lower(), end=pieces[last].end)
    return None


def _first(text: str, pieces: Sequence[Piece], at: int) -> int:
    place = at
    while place > 0 and _joins(text, pieces[place - 1], pieces[place]):
        place -= 1
    return place


def _last(text: str, pieces: Sequence[Piece], at: int) -> int:
    place = at
    while place + 1 < len(pieces) and _joins(text, pieces[place], pieces[place + 1]):
        place += 1
    return place


def _joins(text: str, before: Piece, after: Piece) -> bool:
    """Whether two pieces are parts of one address."""
    letters = before.spelled and after.spelled
    between = _BETWEEN_LETTERS if before.kind == "letter" else _BETWEEN
    if not between.fullmatch(text, before.end, after.start):
        return False
    if letters or not {before.kind, after.kind}.isdisjoint({"sign", "mark"}):
        return True
    # "g mail" and "j smith" were one word; "a shop" was none.
    return before.kind == "letter" and before.means.casefold() not in {"a", "i"}


def _written(part: Sequence[Piece]) -> str:
    return "".join(piece.means for place, piece in enumerate(part) if not _put_there(part, place))


def _put_there(part: Sequence[Piece], place: int) -> bool:
    """Whether a mark only stands between letters that were said one by one: "A-N-A"."""
    if part[place].kind != "mark":
        return False
    return part[place - 1].spelled and part[place + 1].spelled
