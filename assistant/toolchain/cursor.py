"""A place in a text that still grows: who reads there waits for more by yielding."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Steps: TypeAlias = Generator[None, None, T]
"""Reads something, and yields whenever it needs more text."""


class Cut(Exception):
    """The text ends where more was needed."""


class Cursor:
    """The text so far, and how far it is read."""

    __slots__ = ("over", "place", "text")

    def __init__(self) -> None:
        self.text = ""
        self.place = 0
        self.over = False

    def at_end(self) -> Steps[bool]:
        """Whether nothing more comes; waits until that is known."""
        while self.place >= len(self.text):
            if self.over:
                return True
            yield
        return False

    def sign(self) -> Steps[str]:
        """The sign here. Raises ``Cut`` at the end."""
        if self.place >= len(self.text) and (yield from self.at_end()):
            raise Cut
        return self.text[self.place]

    def sign_or_none(self) -> Steps[str]:
        """The sign here; "" at the end."""
        return "" if (yield from self.at_end()) else self.text[self.place]

    def ahead(self, length: int) -> Steps[str]:
        """The next signs; fewer only at the end."""
        while len(self.text) < self.place + length and not self.over:
            yield
        return self.text[self.place : self.place + length]

    def until(self, sign: str, most: int) -> Steps[str]:
        """The text up to and including a sign, not moving; what is there of it where it does not come soon."""
        while True:
            found = self.text.find(sign, self.place, self.place + most)
            if found >= 0:
                return self.text[self.place : found + len(sign)]
            if self.over or len(self.text) - self.place >= most:
                return self.text[self.place : self.place + most]
            yield

    def where(self, start: int) -> tuple[int, int]:
        """Line and column here, both from 1, counted from a start."""
        read = self.text[start : self.place]
        return read.count("\n") + 1, len(read) - read.rfind("\n")
