"""Choices for generated conversations, read from bytes: equal bytes give an equal conversation."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """One byte for each choice. When there are no more, the first option is taken: a story comes to its end.

    Hypothesis makes a string of bytes in one go, and makes it simpler in one go: thousands of long
    conversations cost no more than a few seconds.
    """

    def __init__(self, given: bytes) -> None:
        self._left = iter(given)

    def one_of(self, options: Sequence[T]) -> T:
        """One of these, the first being the simplest."""
        return options[next(self._left, 0) % len(options)]

    def up_to(self, most: int) -> int:
        """A number from 0."""
        return next(self._left, 0) % (most + 1)

    def happens(self, one_in: int = 2) -> bool:
        """A random yes or no: yes about once in this number of times."""
        return next(self._left, 0) % one_in == one_in - 1

    def in_any_order(self, things: Sequence[T]) -> list[T]:
        """All of them, shuffled."""
        left, row = list(things), list[T]()
        while left:
            row.append(left.pop(self.up_to(len(left) - 1)))
        return row
