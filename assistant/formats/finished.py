"""What was made of finished turns, kept for as long as each turn lives."""

from typing import Generic, TypeVar
from weakref import ref

from assistant.conversation.views import TurnView

T = TypeVar("T")


class Finished(Generic[T]):
    """A memory keyed by the turn itself. Asked for every turn of every request, so it is a plain dict inside."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[T, ref[TurnView]]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, turn: TurnView) -> T | None:
        """What was kept for this very turn."""
        kept = self._kept.get(id(turn))
        return kept[0] if kept else None

    def keep(self, turn: TurnView, made: T) -> None:
        """Keep it. When the turn goes, this goes too, before another object can have its id."""
        key = id(turn)
        self._kept[key] = (made, ref(turn, lambda _: self._kept.pop(key, None)))
