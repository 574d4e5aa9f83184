"""Counts by an estimate until a vocabulary is there: reading one takes longer than a customer should wait."""

from collections.abc import Callable
from threading import Lock, Thread

import structlog

from assistant.models.tokens.estimate import Estimate
from assistant.ports import Counter

log = structlog.get_logger(__name__)


class LoadedLater:
    """A counter that is read in a thread as soon as it is first asked; until then, an estimate counts.

    Where it cannot be read the log says so, and the estimate stays.

    Args:
        read: reads it. May raise ``OSError`` or ``ValueError``.
    """

    def __init__(self, read: Callable[[], Counter]) -> None:
        self._read = read
        self._counter: Counter = Estimate()
        self._thread: Thread | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """That of whoever counts at the moment."""
        return self._counter.name

    def count(self, text: str) -> int:
        """The tokens of a text, by whoever counts at the moment."""
        if self._thread is None:
            self._begin()
        return self._counter.count(text)

    def load(self) -> None:
        """Wait until it is read. Blocks: for commands, and for a start that must know it exactly."""
        self._begin().join()

    def _begin(self) -> Thread:
        with self._lock:
            if self._thread is None:
                # No daemon: a process that ends meanwhile waits, instead of pulling the floor from under it.
                self._thread = Thread(target=self._load, name="vocabulary")
                self._thread.start()
            return self._thread

    def _load(self) -> None:
        try:
            self._counter = self._read()
        except (OSError, ValueError) as error:
            log.warning("tokens are estimated: no vocabulary", why=str(error))
