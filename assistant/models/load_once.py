"""Makes an object once, even if many threads ask for it at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LoadOnce(Generic[T]):
    """The object that ``make`` returns. The first caller makes it; others wait for it.

    If ``make`` raises, the next call tries again.
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = threading.Lock()

    def __call__(self) -> T:
        """The thing."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
