"""The views of one conversation, with what is finished remembered."""

from collections.abc import Sequence

from assistant.conversation.model_views import decider_turn, narrated_turn, telling_turn, told_turn
from assistant.conversation.outcomes import Outcome
from assistant.conversation.remembered_views import RememberedViews
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView, View
from assistant.language.known import Source
from assistant.memory.budget import Within, fit, without_bulk
from assistant.tooling.registry import Tools
from assistant.turn.guardrails.call_evidence import Receipt
from assistant.turn.harmless import harmless_turn


class Views:
    """What each model is given of this conversation: pure functions of its log, strangers' words made harmless.

    With ``within`` a view never exceeds its budget; without it, it is as large as it is.

    Args:
        conversation: its id, by which whole results are named.

    Attributes:
        untrusted: whether a turn that is over has brought text of other people, by its id, and with which tools
            that was found out; kept by :mod:`assistant.turn.untrusted`.
    """

    __slots__ = ("_conversation", "_decided", "_told", "receipts", "sources", "untrusted")

    def __init__(self, conversation: str = "") -> None:
        self._conversation = conversation
        self.untrusted: dict[str, tuple[Tools, bool]] = {}
        self._decided = RememberedViews(lambda turn: harmless_turn(decider_turn(turn, conversation)))
        self._told = RememberedViews(lambda turn: harmless_turn(told_turn(turn)))
        # What results and messages state, read when an answer first holds a value.
        self.sources: dict[tuple[str, str, str], Source] = {}
        # What calls proved, by locale, turn and call, read when an answer first claims a deed.
        self.receipts: dict[str, dict[tuple[str, str], Receipt]] = {}

    def ended(self, turns: Sequence[TurnState]) -> tuple[TurnView, ...]:
        """Turns that are over as the decision model is given them later, one view each, in order."""
        return self._decided.of(turns)

    def decider(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        late: str = "",
        within: Within | None = None,
    ) -> View:
        """The decision model's view of the running turn and the ones before it; ``late`` stands last of all."""
        now = _now(decider_turn(turn, self._conversation), within)
        return _joined(View(system, (now,), late), self._decided, earlier, within)

    def narrator(
        self, system: str, earlier: Sequence[TurnState], turn: TurnState, within: Within | None = None
    ) -> View:
        """The narrator's view of the running turn and the ones before it."""
        now = _now(narrated_turn(turn), within)
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
        now = _now(telling_turn(turn, untold, round_), within)
        return _joined(View(system, (now,)), self._told, earlier, within)


def _now(turn: TurnView, within: Within | None) -> TurnView:
    """The running turn. What is far too large is cut first: to make megabytes harmless takes long."""
    if within is not None:
        turn = without_bulk(turn, within.budget.tokens, within.ref)
    return harmless_turn(turn)


def _joined(view: View, looks: RememberedViews, earlier: Sequence[TurnState], within: Within | None) -> View:
    """The view of the running turn, with those of the turns before it, or as many of them as fit."""
    if within is None:
        return View(view.system, (*looks.of(earlier), *view.turns), view.late)
    # One by one from the newest on: those that do not fit are not even looked at.
    newest_first = (looks.of((turn,))[0] for turn in reversed(earlier))
    return fit(view, len(earlier), newest_first, within)
