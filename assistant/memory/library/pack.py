"""Puts pieces together into passages of a size that has one meaning and fits an embedding model."""

from collections.abc import Iterable, Iterator, Sequence

from assistant.conversation.documents import Passage
from assistant.memory.library.pieces import Piece, trimmed

LONGEST = 900
"""Characters: some 200 word pieces of English or German, where MiniLM reads 256."""

ENOUGH = 600
"""A passage of so many ends where something new begins."""

OVERLAP = 135
"""About 15 %: what stands at a seam is found from both sides."""


def pack(text: str, pieces: Iterable[Piece]) -> Iterator[Passage]:
    """Passages in the order of the text, numbered from 0; each is the very text between its two ends.

    Pieces come in order and do not overlap. Every character of a piece, white space aside, is in some passage; one
    that is longer than a passage may be is cut.
    """
    number = 0
    for section in _sections(text, pieces):
        for start, end, place in _windows(section):
            start, end = trimmed(text, start, end)
            if start < end:
                yield Passage(number=number, start=start, end=end, text=text[start:end], place=place)
                number += 1


def _sections(text: str, pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    section: list[Piece] = []
    for piece in pieces:
        if piece.opens and section:
            yield section
            section = []
        section += _short_enough(text, piece)
    if section:
        yield section


def _windows(pieces: Sequence[Piece]) -> Iterator[tuple[int, int, str]]:
    """Start, end and place of each passage of one section."""
    first = 0
    for at, piece in enumerate(pieces):
        length = piece.end - pieces[first].start
        if at > first and (length > LONGEST or (piece.fresh and _length(pieces, first, at) >= ENOUGH)):
            yield pieces[first].start, pieces[at - 1].end, _place(pieces[first], pieces[at - 1])
            first = _overlapping(pieces, first, at)
    if pieces:
        yield pieces[first].start, pieces[-1].end, _place(pieces[first], pieces[-1])


def _overlapping(pieces: Sequence[Piece], first: int, at: int) -> int:
    """Where the passage begins that has ``at`` in it and follows one that began at ``first``."""
    begin = at
    while (
        begin - 1 > first
        and pieces[at].start - pieces[begin - 1].start <= OVERLAP
        and pieces[at].end - pieces[begin - 1].start <= LONGEST
    ):
        begin -= 1
    return begin


def _length(pieces: Sequence[Piece], first: int, at: int) -> int:
    return pieces[at - 1].end - pieces[first].start


def _place(first: Piece, last: Piece) -> str:
    """Where a passage stands: where it begins, and where it ends if that is another place.

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


def _short_enough(text: str, piece: Piece) -> Iterator[Piece]:
    """The piece, cut at white space where it is too long, or where there is none, anywhere."""
    start, opens = piece.start, piece
    while piece.end - start > LONGEST - OVERLAP:
        end = start + LONGEST - OVERLAP
        space = max(text.rfind(" ", start + ENOUGH // 2, end), text.rfind("\n", start + ENOUGH // 2, end))
        end = space + 1 if space > 0 else end
        yield opens._replace(start=start, end=end)
        start, opens = end, piece._replace(fresh=False, opens=False)
    yield opens._replace(start=start, end=piece.end)
