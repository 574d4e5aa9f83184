"""Puts pieces together into passages of a size that has one meaning and fits an embedding model."""

from collections.abc import Iterable, Iterator, Sequence

from assistant.conversation.documents import Passage
from assistant.memory.library.pieces import Piece, trimmed

PROSE = 700
"""Characters: MiniLM reads 256 word pieces, which is about as much German, and a third more of English."""

DATA = 450
"""The same for JSON, whose signs are a word piece each."""

_ENOUGH = 2 / 3
"""A passage that is so nearly full ends where something new begins."""

_OVERLAP = 0.15
"""What stands at a seam is found from both sides."""


def pack(text: str, pieces: Iterable[Piece], longest: int) -> Iterator[Passage]:
    """Passages in the order of the text, numbered from 0; each is the very text between its two ends.

    None has more than ``longest`` characters. Pieces come in order and do not overlap; one that would fill a
    passage alone is cut. Every character of a piece, white space aside, is in some passage.
    """
    number = 0
    for section in _sections(text, pieces, longest):
        for start, end, place in _windows(section, longest):
            start, end = trimmed(text, start, end)
            if start < end:
                yield Passage(number=number, start=start, end=end, text=text[start:end], place=place)
                number += 1


def _sections(text: str, pieces: Iterable[Piece], longest: int) -> Iterator[list[Piece]]:
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
            length > longest or (piece.fresh and _length(pieces, first, at) >= _ENOUGH * longest)
        ):
            yield pieces[first].start, pieces[at - 1].end, _place(pieces[first], pieces[at - 1])
            first = _overlapping(pieces, first, at, longest)
    if pieces:
        yield pieces[first].start, pieces[-1].end, _place(pieces[first], pieces[-1])


def _overlapping(pieces: Sequence[Piece], first: int, at: int, longest: int) -> int:
    """Where the passage begins that has ``at`` in it and follows one that began at ``first``."""
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


def _short_enough(text: str, piece: Piece, longest: int) -> Iterator[Piece]:
    """The piece; one that would fill a passage alone, in parts so small that passages overlap by one.

    They are cut at white space, or where there is none, anywhere.
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
