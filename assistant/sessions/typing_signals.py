"""Who is typing in a conversation right now. Nothing of it is stored, and a signal may be lost."""

from collections.abc import Callable
from math import inf

from assistant.conversation.sharing import Typist
from assistant.ports import Clock
from assistant.sessions.listeners import Listeners

EVERY_S = 1.0
"""Signals of one side that come faster are dropped."""


class TypingSignals:
    """Passes on that the customer types, or the agent: to pages of this server, and to other servers.

    Args:
        clock: what times are measured by.
        tell_others: tells the other servers; None: there are none.
    """

    def __init__(self, clock: Clock, tell_others: Callable[[Typist], None] | None) -> None:
        self._clock, self._tell_others = clock, tell_others
        self._listeners = Listeners[Typist]()
        self._last: dict[Typist, float] = {}

    def listen(self, listener: Callable[[Typist], None]) -> Callable[[], None]:
        """Call ``listener`` with each later signal; returns a function that ends it."""
        return self._listeners.add(listener)

    def note(self, typist: Typist, *, everywhere: bool) -> None:
        """Someone types on a page of this server. ``everywhere``: a page of another server may show it."""
        now = self._clock.monotonic()
        if now - self._last.get(typist, -inf) < EVERY_S:
            return
        self._last[typist] = now
        self._listeners.notify(typist)
        if everywhere and self._tell_others is not None:
            self._tell_others(typist)

    def note_elsewhere(self, typist: Typist) -> None:
        """Someone types on a page of another server."""
        self._listeners.notify(typist)
