"""Remembers how finished turns look, so that a long conversation costs no more than a short one."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from assistant.conversation.entries import Snapshot
from assistant.conversation.model_views import is_settled
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView

_MadeOf: TypeAlias = tuple[tuple[Snapshot, ...], tuple[int | None, ...]]
"""The snapshots of a turn, and how much was heard of each of its messages."""


class RememberedViews:
    """Views of turns, made once for each turn that can no longer change.

    They are made anew when another snapshot is made, and when more was heard of what the turn said.

    Args:
        look: the pure function from a turn to its view.
    """

    __slots__ = ("_look", "_settled")

    def __init__(self, look: Callable[[TurnState], TurnView]) -> None:
        self._look = look
        self._settled: dict[str, tuple[_MadeOf, TurnView]] = {}

    def of(self, turns: Sequence[TurnState]) -> tuple[TurnView, ...]:
        """One view per turn, in order."""
        return tuple(self._view(turn) for turn in turns)

    def _view(self, turn: TurnState) -> TurnView:
        # Entries are never changed, so that comparing them is comparing which ones they are.
        made_of = tuple(turn.snapshots.values()), tuple(message.heard for message in turn.messages)
        known = self._settled.get(turn.id)
        if known is not None and known[0] == made_of:
            return known[1]
        view = self._look(turn)
        if is_settled(turn):
            self._settled[turn.id] = made_of, view
        return view
