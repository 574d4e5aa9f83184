"""Cuts JSON along its items, and says where in the data each stands."""

import json
import re
from collections.abc import Iterator

from assistant.memory.library.pack import DATA
from assistant.memory.library.pieces import Piece

_SPACE = re.compile(r"[ \t\r\n]*")
_SMALL = DATA // 2
_DEEPEST = 6
"""Each level is read once more; what lies deeper is cut like a long text."""

_decoder = json.JSONDecoder()


def data(text: str) -> Iterator[Piece]:
    """The items in order: each small enough to stand in one passage, unless it is one long text.

    A list's items are counted from 1: "orders, 3" is the third of ``orders``.

    Raises:
        ValueError: this is no JSON.
        RecursionError: it is nested too deeply to be read.
    """
    start = _after_space(text, 0)
    _, end = _decoder.raw_decode(text, start)
    if _after_space(text, end) != len(text):
        raise ValueError("something follows the JSON value")
    yield from _pieces(text, start, start, end, ())


def _pieces(text: str, lead: int, start: int, end: int, path: tuple[str, ...]) -> Iterator[Piece]:
    """The pieces of one value; the names that lead to it stand from ``lead`` on."""
    if end - lead <= _SMALL or len(path) >= _DEEPEST or text[start] not in "[{":
        yield Piece(lead, end, ", ".join(path), fresh=True)
        return
    for begin, value, stop, name in _items(text, start):
        yield from _pieces(text, min(lead, begin), value, stop, (*path, name))
        lead = end  # only the first has the names above it with it


def _items(text: str, start: int) -> Iterator[tuple[int, int, int, str]]:
    """Of each item in a list or an object: where its name begins, where its value does, where it ends, its name."""
    is_list, at, number = text[start] == "[", _after_space(text, start + 1), 0
    while text[at] not in "]}":
        begin, number = at, number + 1
        name = str(number)
        if not is_list:
            name, at = _decoder.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)  # behind the colon
        _, stop = _decoder.raw_decode(text, at)
        yield begin, at, stop, name
        at = _after_space(text, stop)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at
