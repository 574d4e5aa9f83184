"""Remembers how finished turns look, so that a long conversation costs no more than a short one."""

from collections.abc import Callable, Sequence

from assistant.conversation.decider_view import is_settled
from assistant.conversation.memories import Snapshot
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView


class RememberedViews:
    """Views of turns, made once for each turn that can no longer change, and anew when another snapshot is made.

    Args:
        look: the pure function from a turn to its view.
    """

    __slots__ = ("_look", "_settled")

    def __init__(self, look: Callable[[TurnState], TurnView]) -> None:
        self._look = look
        self._settled: dict[str, tuple[tuple[Snapshot, ...], TurnView]] = {}

    def of(self, turns: Sequence[TurnState]) -> tuple[TurnView, ...]:
        """One view per turn, in order."""
        return tuple(self._view(turn) for turn in turns)

    def _view(self, turn: TurnState) -> TurnView:
        # Entries are never changed, so that comparing them is comparing which ones they are.
        snapshots = tuple(turn.snapshots.values())
        made_of, view = self._settled.get(turn.id, ((), None))
        if view is None or made_of != snapshots:
            view = self._look(turn)
            if is_settled(turn):
                self._settled[turn.id] = snapshots, view
        return view
