"""Keeps Python's garbage collections short while a server holds many conversations.

A conversation's objects live for minutes or days, and are freed when nothing refers to them; they need no
collector. Python's collector looks for objects that only refer to each other, and for that visits every object:
half a second for each thousand open conversations, in which all customers wait. So whatever survives a
collection is excluded from the next ones ("frozen"). Frozen objects that only refer to each other stay in memory.
To free these, all objects are visited again when a million are frozen, and then at each doubling: at a moment
without a turn, if there is one within ten minutes.
"""

import asyncio
import gc
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Final

from assistant.sessions.fair_steps import no_work

_OLDEST: Final = 2
"""The number of the generation whose collections visit all objects that are not frozen."""

_THRESHOLDS: Final = (700, 10, 2)
"""An oldest generation of at most some 25,000 objects, which takes about 10 ms."""


_LOOK_EVERY_S: Final = 0.05


class FrozenObjects:
    """Freezes what survives each collection of the oldest generation. Call :meth:`start` in the event loop.

    Args:
        most: all objects are visited again when more are frozen than this, and than twice as many as after
            the last visit.
        count_every: the frozen objects are counted after this number of collections, because counting takes
            time, too.
        wait_s: the longest wait for a moment without a turn.
    """

    def __init__(self, most: int = 1_000_000, count_every: int = 100, wait_s: float = 600.0) -> None:
        self._most, self._count_every, self._wait_s = most, count_every, wait_s
        self._waits: asyncio.TimerHandle | None = None
        self._collections = 0
        self._limit = inf

    def start(self) -> None:
        """Collect everything once, and freeze the rest: imported modules are never garbage."""
        self._loop = asyncio.get_running_loop()
        self._thresholds = gc.get_threshold()
        gc.set_threshold(*_THRESHOLDS)
        gc.callbacks.append(self._collected)
        self.collect_all()

    def stop(self) -> None:
        """Collect as Python does by default."""
        gc.callbacks.remove(self._collected)
        if self._waits is not None:
            self._waits.cancel()
        gc.set_threshold(*self._thresholds)
        gc.unfreeze()

    def collect_all(self) -> None:
        """Free frozen objects, too, if they only refer to each other. Stalls the loop."""
        self._limit = inf  # this collection needs no other one
        gc.unfreeze()
        gc.collect()
        self._limit = max(self._most, 2 * gc.get_freeze_count())

    def _collected(self, phase: str, info: Mapping[str, int]) -> None:
        if phase != "stop" or info["generation"] != _OLDEST:
            return
        gc.freeze()
        self._collections += 1
        if self._collections % self._count_every == 0 and gc.get_freeze_count() > self._limit:
            # Not now: Python does not begin a collection inside of another. This may be any thread.
            self._loop.call_soon_threadsafe(self._collect_soon)

    def _collect_soon(self) -> None:
        if self._waits is None:
            self._look(self._loop.time() + self._wait_s)

    def _look(self, until: float) -> None:
        if no_work() or self._loop.time() >= until:
            self._waits = None
            self.collect_all()
        else:
            self._waits = self._loop.call_later(_LOOK_EVERY_S, self._look, until)


@contextmanager
def short_collections(
    most: int = 1_000_000, count_every: int = 100, wait_s: float = 600.0
) -> Generator[FrozenObjects]:
    """Keep collections short inside the block; the options are those of :class:`FrozenObjects`."""
    frozen = FrozenObjects(most, count_every, wait_s)
    frozen.start()
    try:
        yield frozen
    finally:
        frozen.stop()
