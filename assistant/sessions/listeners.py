"""A list of callbacks, called in the order in which they were added."""

from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

Event = TypeVar("Event", contravariant=True)


class Listeners(Generic[Event]):
    """Callbacks that are called with each event. They must not block or raise.

    >>> listeners, heard = Listeners[str](), []
    >>> stop = listeners.add(heard.append)
    >>> listeners.notify("one"), stop(), listeners.notify("two"), heard
    (None, None, None, ['one'])
    """

    __slots__ = ("_listeners",)

    def __init__(self) -> None:
        self._listeners: list[Callable[[Event], None]] = []

    def __len__(self) -> int:
        return len(self._listeners)

    def add(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call ``listener`` with each later event; returns a function that stops it, and may be called again."""
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    def notify(self, event: Event) -> None:
        """Call each current listener with the event."""
        for listener in tuple(self._listeners):
            listener(event)
