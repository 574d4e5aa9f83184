"""Tells whoever listens what became of an edit."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from assistant.server.notices import Notice

Listener: TypeAlias = Callable[[Notice], None]


class Notices:
    """Hands notices on, and remembers the problem that is not solved yet."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hand every notice from now on to ``listener``, on the loop; gives back what stops it.

        A listener must not block or raise.
        """
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    def tell(self, notice: Notice) -> None:
        """Tell everybody who listens."""
        self.problem = notice.message if notice.problem else None
        for listener in tuple(self._listeners):
            listener(notice)
