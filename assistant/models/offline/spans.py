"""A value that was found in a text, and where."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Generic, TypeVar

Value = TypeVar("Value", bound="str | int | date | time")


@dataclass(frozen=True, slots=True)
class Found(Generic[Value]):
    """A value and the half-open range of characters it was read from."""

    value: Value
    start: int
    end: int


def first_of_each(found: Iterable[Found[Value]]) -> tuple[Found[Value], ...]:
    """Keep the earliest reading where several overlap, in the order of the text.

    The order of ``found`` is the order of trust: what comes first wins.

    >>> [one.value for one in first_of_each([Found("b", 4, 6), Found("a", 0, 2), Found("c", 5, 9)])]
    ['a', 'b']
    """
    kept: list[Found[Value]] = []
    for one in found:
        if not crosses(one.start, one.end, spans_of(kept)):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def inside(found: Sequence[Found[Value]], start: int, end: int) -> tuple[Found[Value], ...]:
    """Those read from within a range.

    >>> [one.value for one in inside([Found("a", 0, 2), Found("b", 4, 6)], 3, 9)]
    ['b']
    """
    return tuple(one for one in found if start <= one.start and one.end <= end)


def in_order(found: Sequence[Found[Value]]) -> tuple[Found[Value], ...]:
    """As they stand in the text."""
    return tuple(sorted(found, key=lambda one: one.start))


def spans_of(found: Sequence[Found[Value]]) -> list[tuple[int, int]]:
    """Their ranges of characters."""
    return [(one.start, one.end) for one in found]


def free_of(found: Sequence[Found[Value]], taken: list[tuple[int, int]]) -> tuple[Found[Value], ...]:
    """Those that share no character with what is taken; takes theirs.

    >>> taken = [(0, 3)]
    >>> free_of([Found("a", 2, 4), Found("b", 5, 6)], taken), taken
    ((Found(value='b', start=5, end=6),), [(0, 3), (5, 6)])
    """
    kept = tuple(one for one in found if not crosses(one.start, one.end, taken))
    taken += spans_of(kept)
    return kept


def crosses(start: int, end: int, taken: Iterable[tuple[int, int]]) -> bool:
    """Whether a range shares a character with one of the others.

    >>> crosses(2, 4, [(3, 9)]), crosses(2, 4, [(4, 9)])
    (True, False)
    """
    return any(start < last and first < end for first, last in taken)
