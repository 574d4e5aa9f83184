"""A thing as the key of what is remembered of it, where what is in it cannot be hashed."""

from typing import Generic, TypeVar

_T = TypeVar("_T")


class Same(Generic[_T]):
    """Equal to another only when ``it`` is the very same object, which is kept for as long.

    >>> words = ["done"]
    >>> Same(words) == Same(words), Same(words) == Same(["done"])
    (True, False)
    """

    __slots__ = ("it",)

    def __init__(self, it: _T) -> None:
        self.it = it

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return id(self.it)
