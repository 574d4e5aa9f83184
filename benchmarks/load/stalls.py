"""Measures how late an event loop runs what is due: its stalls."""

import asyncio
import time

_EVERY_S = 0.001


class Stalls:
    """Looks in every millisecond from the moment it is made; keeps by how much it was late, in ms."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self._loop = asyncio.get_running_loop()
        self._due = 0.0
        self._next()

    def forget(self) -> None:
        """Begin anew."""
        self.late_ms.clear()

    def worst_ms(self, part: float = 1.0) -> float:
        """The lateness that this part of the looks stayed under; 1 is the longest of all."""
        ordered = sorted(self.late_ms)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0

    def _next(self) -> None:
        self._due = time.perf_counter() + _EVERY_S
        self._loop.call_later(_EVERY_S, self._look)

    def _look(self) -> None:
        self.late_ms.append(max(0.0, (time.perf_counter() - self._due) * 1000))
        self._next()
