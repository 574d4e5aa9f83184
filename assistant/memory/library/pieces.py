"""The smallest parts of a text that are not cut apart, as places in it."""

from typing import NamedTuple


class Piece(NamedTuple):
    """A sentence, a line, an item of data: from ``start`` to ``end`` in characters.

    ``place`` says in words where it stands. ``fresh``: something new begins with it, such as a paragraph, so a
    passage that is long enough had better end before it. ``opens``: a new section, page or record, so that no
    passage goes across.
    """

    start: int
    end: int
    place: str = ""
    fresh: bool = False
    opens: bool = False


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The same range without the white space at its ends; empty, at its start, where there is nothing else.

    >>> trimmed("  two words ", 0, 12)
    (2, 11)
    """
    part = text[start:end]
    bare = part.strip()
    if not bare:
        return start, start
    first = start + len(part) - len(part.lstrip())
    return first, first + len(bare)
