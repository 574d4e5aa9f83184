"""Callbacks for events, and the notices for operators on the page."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

Event = TypeVar("Event", contravariant=True)


class Listeners(Generic[Event]):
    """Callbacks that are called with each event. They must not block or raise errors.

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
        """Call ``listener`` with each later event; returns a function that removes it, and may be called
        repeatedly.
        """
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    def notify(self, event: Event) -> None:
        """Call each current listener with the event."""
        for listener in tuple(self._listeners):
            listener(event)


@dataclass(frozen=True, slots=True)
class Notice:
    """A problem (``problem``), or the end of a problem, in words for operators."""

    problem: bool
    message: str


class Notices:
    """Sends notices to its listeners, and remembers the current problem."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._listeners = Listeners[Notice]()

    def listen(self, listener: Callable[[Notice], None]) -> Callable[[], None]:
        """Call ``listener`` on the loop with every later notice; returns a function that removes it.

        A listener must not block or raise errors.
        """
        return self._listeners.add(listener)

    def mention(self, news: str) -> None:
        """Send information that is not about an edit. It is dropped while a problem is shown."""
        if self.problem is None:
            self._listeners.notify(Notice(problem=False, message=news))

    def notify(self, notice: Notice) -> None:
        """Send a notice to every listener."""
        self.problem = notice.message if notice.problem else None
        self._listeners.notify(notice)
