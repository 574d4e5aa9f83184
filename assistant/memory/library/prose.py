"""Cuts texts that people wrote into sentences, and says under which headings or on which page each stands."""

import re
from collections.abc import Iterator

from assistant.memory.library.pieces import Piece
from assistant.text.sentences import sentences

PAGE_ENDS = "\f"

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]([^\n]*)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(```++|~~~++)[^\n]*+\n.*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
_LONGEST_PLACE = 120


def prose(text: str, start: int, end: int, *, headings: bool) -> Iterator[Piece]:
    """The sentences between two places, in order.

    A form feed begins a new page, counted from the beginning of the text; with ``headings`` Markdown's begin
    sections, and those before ``start`` are not known.
    """
    if PAGE_ENDS in text:
        return _pages(text, start, end)
    return _sections(text, start, end) if headings else _sentences(text, start, end, "")


def _pages(text: str, start: int, end: int) -> Iterator[Piece]:
    first = text.count(PAGE_ENDS, 0, start) + 1
    for number, page in enumerate(text[start:end].split(PAGE_ENDS), first):
        yield from _sentences(text, start, start + len(page), f"page {number}")
        start += len(page) + 1


def _sections(text: str, start: int, end: int) -> Iterator[Piece]:
    """Each section from its headings on: those above it too, where nothing stands between them."""
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
    """Level, title, start and end of each heading; what stands in a block of code is none."""
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
