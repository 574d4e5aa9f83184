"""The views of one conversation, with what is finished remembered."""

from collections.abc import Sequence

from assistant.conversation.decider_view import decider_turn
from assistant.conversation.narrator_view import narrated_turn, telling_turn, told_turn
from assistant.conversation.outcomes import Outcome
from assistant.conversation.remembered_views import RememberedViews
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import View
from assistant.turn.harmless import harmless_turn


class Views:
    """What each model is given of this conversation: pure functions of its log, strangers' words made harmless."""

    __slots__ = ("_decided", "_told")

    def __init__(self) -> None:
        self._decided = RememberedViews(lambda turn: harmless_turn(decider_turn(turn)))
        self._told = RememberedViews(lambda turn: harmless_turn(told_turn(turn)))

    def decider(self, system: str, earlier: Sequence[TurnState], turn: TurnState, late: str = "") -> View:
        """The decision model's view of the running turn and the ones before it; ``late`` stands last of all."""
        return View(system, (*self._decided.of(earlier), harmless_turn(decider_turn(turn))), late)

    def narrator(self, system: str, earlier: Sequence[TurnState], turn: TurnState) -> View:
        """The narrator's view of the running turn and the ones before it."""
        return View(system, (*self._told.of(earlier), harmless_turn(narrated_turn(turn))))

    def telling(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        untold: Sequence[Outcome],
        round_: int,
    ) -> View:
        """The narrator's view, with results of earlier turns that are told in this round of the running one."""
        told = harmless_turn(telling_turn(turn, untold, round_))
        return View(system, (*self._told.of(earlier), told))
