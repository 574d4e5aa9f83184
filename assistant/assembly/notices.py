"""Tells whoever listens what became of an edit."""

from collections.abc import Callable
from typing import TypeAlias

from assistant.server.notices import Notice
from assistant.sessions.listeners import Listeners

Listener: TypeAlias = Callable[[Notice], None]


class Notices:
    """Hands notices on, and remembers the problem that is not solved yet."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._listeners = Listeners[Notice]()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hand every notice from now on to ``listener``, on the loop; gives back what stops it.

        A listener must not block or raise.
        """
        return self._listeners.add(listener)

    def mention(self, news: str) -> None:
        """Tell them something that is no edit's matter; not while a problem stands there to be seen."""
        if self.problem is None:
            self._listeners.tell(Notice(problem=False, message=news))

    def tell(self, notice: Notice) -> None:
        """Tell everybody who listens."""
        self.problem = notice.message if notice.problem else None
        self._listeners.tell(notice)
