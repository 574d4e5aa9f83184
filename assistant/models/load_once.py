"""Makes an object once, even if many threads ask for it at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LoadOnce(Generic[T]):
    """An object that ``make`` returns. The first caller makes it in its thread; other callers wait.

    If ``make`` raises, the next call tries again.
    """

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = threading.Lock()

    def __call__(self) -> T:
        """Return the object; make it first if necessary."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
