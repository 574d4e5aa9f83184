"""Cuts a document into passages that are small enough to have one meaning and to fit an embedding model.

JSON is cut between items, other text between sentences. Each passage knows its place.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Final, NamedTuple

from assistant.conversation.documents import Document, DocumentKind, Passage
from assistant.language.sentences import sentences

PROSE_CHARACTERS = 700
"""The most characters of a passage of text. MiniLM reads 256 word pieces: about as much German, and a third
more English."""

JSON_CHARACTERS = 450
"""The most characters of a passage of JSON, in which each punctuation character is a word piece."""

_NEARLY_FULL = 2 / 3
"""If a passage is this full, it ends where a new paragraph or item begins."""

_OVERLAP = 0.15
"""The part of a passage that overlaps with the next, so that text at the boundary is found in both."""


_SPACE = re.compile(r"[ \t\r\n]*")
_SMALL = JSON_CHARACTERS // 2
_DEEPEST = 6
"""The deepest level of JSON that is cut by items. Each level is read once more; deeper values are cut like
text."""

_decoder = json.JSONDecoder()


PAGE_BREAK = "\f"

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]([^\n]*)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```++|~~~++)[^\n]*+\n.*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
_LONGEST_PLACE = 120


MAX_PASSAGES: Final[Mapping[DocumentKind, int]] = {"result": 200, "upload": 1_000, "knowledge": 2_000}
"""The most passages of a document, by its kind, because embedding one takes about 70 ms."""

_STRETCHES = 20
_JSON = "application/json"
_WITH_HEADINGS = ("text/markdown", "text/html")


class Piece(NamedTuple):
    """A sentence, a line, or an item of data: the characters from ``start`` to ``end``.

    ``place`` describes where it is. ``fresh`` is True if a paragraph or similar begins with it, so a passage
    that is long enough should end before it. ``opens`` is True if a new section, page or record begins, and
    no passage may cross its beginning.
    """

    start: int
    end: int
    place: str = ""
    fresh: bool = False
    opens: bool = False


def cut_passages(document: Document) -> tuple[Passage, ...]:
    """Returns the passages in order, without vectors. No side effects.

    ``document.text[start:end]`` is exactly the text of a passage. A very long document has only ``MOST``
    passages, spread evenly from beginning to end. Its complete text is stored and can be loaded in full.
    """
    most = MAX_PASSAGES[document.kind]
    every = tuple(_all_passages(document, most * PROSE_CHARACTERS))
    if len(every) <= most:
        return every
    chosen = (every[index * (len(every) - 1) // (most - 1)] for index in range(most))
    return tuple(
        Passage(number=number, start=it.start, end=it.end, text=it.text, place=it.place)
        for number, it in enumerate(chosen)
    )


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the same range without white space at its ends. If the range contains only white space, returns
    an empty range at its start.

    >>> trimmed("  two words ", 0, 12)
    (2, 11)
    """
    part = text[start:end]
    bare = part.strip()
    if not bare:
        return start, start
    first = start + len(part) - len(part.lstrip())
    return first, first + len(bare)


def pack_pieces(text: str, pieces: Iterable[Piece], longest: int) -> Iterator[Passage]:
    """Join pieces into passages in the order of the text, numbered from 0. A passage is exactly the text
    between its ends.

    No passage has more than ``longest`` characters. Pieces must be in order and must not overlap; a piece
    that is too long is cut. Each character of a piece, except white space, is in a passage.
    """
    number = 0
    for section in _sections_of(text, pieces, longest):
        for start, end, place in _windows(section, longest):
            start, end = trimmed(text, start, end)
            if start < end:
                yield Passage(number=number, start=start, end=end, text=text[start:end], place=place)
                number += 1


def _sections_of(text: str, pieces: Iterable[Piece], longest: int) -> Iterator[list[Piece]]:
    section: list[Piece] = []
    for piece in pieces:
        if piece.opens and section:
            yield section
            section = []
        section += _short_enough(text, piece, longest)
    if section:
        yield section


def _windows(pieces: Sequence[Piece], longest: int) -> Iterator[tuple[int, int, str]]:
    """Start, end and place of each passage of one section."""
    first = 0
    for at, piece in enumerate(pieces):
        length = piece.end - pieces[first].start
        if at > first and (
            length > longest or (piece.fresh and _length(pieces, first, at) >= _NEARLY_FULL * longest)
        ):
            yield pieces[first].start, pieces[at - 1].end, _place(pieces[first], pieces[at - 1])
            first = _overlapping(pieces, first, at, longest)
    if pieces:
        yield pieces[first].start, pieces[-1].end, _place(pieces[first], pieces[-1])


def _overlapping(pieces: Sequence[Piece], first: int, at: int, longest: int) -> int:
    """Returns the index of the first piece of the passage that contains ``at`` and follows one that began at
    ``first``.
    """
    begin = at
    while (
        begin - 1 > first
        and pieces[at].start - pieces[begin - 1].start <= _OVERLAP * longest
        and pieces[at].end - pieces[begin - 1].start <= longest
    ):
        begin -= 1
    return begin


def _length(pieces: Sequence[Piece], first: int, at: int) -> int:
    return pieces[at - 1].end - pieces[first].start


def _place(first: Piece, last: Piece) -> str:
    """Returns the place of a passage: that of its beginning, and that of its end if it differs.

    >>> _place(Piece(0, 9, "orders, 1"), Piece(9, 18, "orders, 5"))
    'orders, 1 to 5'
    """
    if first.place == last.place:
        return first.place
    begins, ends = first.place.split(", "), last.place.split(", ")
    same = 0
    while same < min(len(begins), len(ends)) - 1 and begins[same] == ends[same]:
        same += 1
    return f"{first.place} to {', '.join(ends[same:])}"


def _short_enough(text: str, piece: Piece, longest: int) -> Iterator[Piece]:
    """Yields the piece.

    A piece that is too long is cut into parts so small that consecutive passages can overlap by one.

    It is cut at white space or, if there is none, anywhere.
    """
    most = int(_OVERLAP * longest)
    part = piece
    while part.end - part.start > most and piece.end - piece.start > longest - most:
        end = part.start + most
        space = max(text.rfind(sign, part.start + most // 2, end) for sign in " \n")
        end = space + 1 if space > 0 else end
        yield part._replace(end=end)
        part = piece._replace(start=end, fresh=False, opens=False)
    yield part


def split_json(text: str) -> Iterator[Piece]:
    """Yields the items in order. Each is small enough for one passage, unless it is a single long text.

    List items are counted from 1: "orders, 3" is the third of ``orders``.

    Raises:
        ValueError: the text is not JSON.
        RecursionError: the JSON is nested too deeply.
    """
    start = _after_space(text, 0)
    _, end = _decoder.raw_decode(text, start)
    if _after_space(text, end) != len(text):
        raise ValueError("something follows the JSON value")
    yield from _pieces(text, start, start, end, ())


def _pieces(text: str, lead: int, start: int, end: int, path: tuple[str, ...]) -> Iterator[Piece]:
    """Yields the pieces of one value. The keys that lead to it begin at ``lead``."""
    if end - lead <= _SMALL or len(path) >= _DEEPEST or text[start] not in "[{":
        yield Piece(lead, end, ", ".join(path), fresh=True)
        return
    for begin, value, stop, name in _items(text, start):
        yield from _pieces(text, min(lead, begin), value, stop, (*path, name))
        lead = end  # only the first piece includes the keys above it


def _items(text: str, start: int) -> Iterator[tuple[int, int, int, str]]:
    """Yields, for each item of a list or object, the position of its key, of its value and of its end, and
    its name.
    """
    is_list, at, number = text[start] == "[", _after_space(text, start + 1), 0
    while text[at] not in "]}":
        begin, number = at, number + 1
        name = str(number)
        if not is_list:
            name, at = _decoder.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)  # after the colon
        _, stop = _decoder.raw_decode(text, at)
        yield begin, at, stop, name
        at = _after_space(text, stop)
        if text[at] == ",":
            at = _after_space(text, at + 1)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def split_prose(text: str, start: int, end: int, *, headings: bool) -> Iterator[Piece]:
    """Yields the sentences between two positions, in order.

    A form feed begins a new page, counted from the beginning of the text; with ``headings``, Markdown
    headings begin sections. Headings before ``start`` are unknown.
    """
    if PAGE_BREAK in text:
        return _pages(text, start, end)
    return _sections(text, start, end) if headings else _sentences(text, start, end, "")


def _pages(text: str, start: int, end: int) -> Iterator[Piece]:
    first = text.count(PAGE_BREAK, 0, start) + 1
    for number, page in enumerate(text[start:end].split(PAGE_BREAK), first):
        yield from _sentences(text, start, start + len(page), f"page {number}")
        start += len(page) + 1


def _sections(text: str, start: int, end: int) -> Iterator[Piece]:
    """Yields each section with its headings.

    Headings without text between them belong to the same section.
    """
    above: list[tuple[int, str]] = []
    since = start
    for level, title, begin, stop in _headings(text, start, end):
        if text[since:begin].strip():
            yield from _sentences(text, start, begin, _path(above))
            start = begin
        above = [*(one for one in above if one[0] < level), (level, title)]
        since = stop
    yield from _sentences(text, start, end, _path(above))


def _headings(text: str, start: int, end: int) -> Iterator[tuple[int, str, int, int]]:
    """Yields the level, title, start and end of each heading. Lines in a block of code are no headings."""
    code_ends = start
    fences = _FENCE.finditer(text, start, end)
    fence = next(fences, None)
    for heading in _HEADING.finditer(text, start, end):
        while fence is not None and fence.start() <= heading.start():
            code_ends = fence.end()
            fence = next(fences, None)
        if heading.start() >= code_ends:
            yield len(heading[1]), heading[2].strip().rstrip("#").strip(), heading.start(), heading.end()


def _path(above: list[tuple[int, str]]) -> str:
    path = ", ".join(title for _, title in above if title)
    return path if len(path) <= _LONGEST_PLACE else path[: _LONGEST_PLACE - 1] + "…"


def _sentences(text: str, start: int, end: int, place: str) -> Iterator[Piece]:
    opens = True
    for paragraph in _PARAGRAPH.finditer(text, start, end):
        at, fresh = paragraph.start(), True
        for sentence in sentences(paragraph[0]):
            if sentence.strip():
                yield Piece(at, at + len(sentence), place, fresh, opens)
                opens = fresh = False
            at += len(sentence)


def _all_passages(document: Document, budget: int) -> Iterator[Passage]:
    text, headings = document.text, document.mime in _WITH_HEADINGS
    if document.mime == _JSON:
        # All items first, because the text may turn out not to be JSON; then it is cut as text.
        with suppress(ValueError, RecursionError):
            return pack_pieces(text, list(split_json(text)), JSON_CHARACTERS)
    sentences = (split_prose(text, start, end, headings=headings) for start, end in _stretches(text, budget))
    return pack_pieces(text, chain.from_iterable(sentences), PROSE_CHARACTERS)


def _stretches(text: str, budget: int) -> Iterator[tuple[int, int]]:
    """Yields the whole text; for a text longer than ``budget``, evenly spread parts with this total length.

    Splitting megabytes into sentences would take nearly a minute, and most of them would be left out.
    """
    if len(text) <= budget:
        yield 0, len(text)
        return
    length = budget // _STRETCHES
    for number in range(_STRETCHES):
        start = number * (len(text) - length) // (_STRETCHES - 1)
        yield start, start + length
