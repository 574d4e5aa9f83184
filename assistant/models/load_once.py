"""Makes a thing once, however many threads ask for it at the same time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class LoadOnce(Generic[T]):
    """The thing that ``make`` gives; the first to call waits for it, and so do all who call meanwhile.

    A ``make`` that raises is tried again at the next call.
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
