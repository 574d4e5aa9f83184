"""The views of one conversation, with what is finished remembered."""

from collections.abc import Sequence

from assistant.conversation.decider_view import decider_turn
from assistant.conversation.narrator_view import narrated_turn, telling_turn, told_turn
from assistant.conversation.outcomes import Outcome
from assistant.conversation.remembered_views import RememberedViews
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView, View
from assistant.memory.budget.fit import Within, fit
from assistant.turn.harmless import harmless_turn


class Views:
    """What each model is given of this conversation: pure functions of its log, strangers' words made harmless.

    With ``within`` a view never exceeds its budget; without it, it is as large as it is.

    Args:
        conversation: its id, by which whole results are named.
    """

    __slots__ = ("_conversation", "_decided", "_told")

    def __init__(self, conversation: str = "") -> None:
        self._conversation = conversation
        self._decided = RememberedViews(self._decider)
        self._told = RememberedViews(lambda turn: harmless_turn(told_turn(turn)))

    def decider(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        late: str = "",
        within: Within | None = None,
    ) -> View:
        """The decision model's view of the running turn and the ones before it; ``late`` stands last of all."""
        return _joined(View(system, (self._decider(turn),), late), self._decided, earlier, within)

    def narrator(
        self, system: str, earlier: Sequence[TurnState], turn: TurnState, within: Within | None = None
    ) -> View:
        """The narrator's view of the running turn and the ones before it."""
        now = harmless_turn(narrated_turn(turn))
        return _joined(View(system, (now,)), self._told, earlier, within)

    def telling(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        untold: Sequence[Outcome],
        round_: int,
        within: Within | None = None,
    ) -> View:
        """The narrator's view, with results of earlier turns that are told in this round of the running one."""
        now = harmless_turn(telling_turn(turn, untold, round_))
        return _joined(View(system, (now,)), self._told, earlier, within)

    def _decider(self, turn: TurnState) -> TurnView:
        return harmless_turn(decider_turn(turn, self._conversation))


def _joined(view: View, looks: RememberedViews, earlier: Sequence[TurnState], within: Within | None) -> View:
    """The view of the running turn, with those of the turns before it, or as many of them as fit."""
    if within is None:
        return View(view.system, (*looks.of(earlier), *view.turns), view.late)
    # One by one from the newest on: those that do not fit are not even looked at.
    newest_first = (looks.of((turn,))[0] for turn in reversed(earlier))
    return fit(view, len(earlier), newest_first, within)
