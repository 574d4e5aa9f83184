"""What of a conversation is to be put into fewer words: its oldest turns when it is long, and large results."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.decider_view import is_settled
from assistant.conversation.memories import Snapshot
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import TurnView
from assistant.memory.budget.remembered_sizes import RememberedSizes
from assistant.tooling.registry import Tools
from assistant.turn.untold import untold

HIGH, LOW = 0.7, 0.25
"""Parts of the room for a conversation: above the first, the oldest turns are summed up until the rest is below the
second. So it happens seldom, and in between the beginning stays the same, which providers remember. What stands for
them takes its part of the room between the two: they must be far apart.
"""

Look: TypeAlias = Callable[[Sequence[TurnState]], Sequence[TurnView]]
"""From turns to their views, in order."""

VERBATIM = 4
"""So many turns stay as they were said, whatever they take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeResult:
    """A result of which there is only the rule's shorter form so far."""

    turn: TurnState
    outcome: CallSucceeded
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class OldTurns:
    """The oldest turns that no summary stands for, as the decision model sees them, and what they take."""

    turns: tuple[TurnState, ...]
    views: Sequence[TurnView]
    tokens: int


def old_turns(
    state: ConversationState, views: Look, room: int, sizes: RememberedSizes, tools: Tools
) -> OldTurns | None:
    """The turns to be summed up now; None while there is room enough, or nothing can be.

    Turns with calls under way, with results that nobody was told, or with a question that is open stay as they
    are, and so does all that came after them.

    Args:
        state: the conversation.
        views: gives its turns as the decision model is given them.
        room: the tokens that one request has for them, and for what stands for earlier ones.
        sizes: counts them.
        tools: say which results are owed to the customer.
    """
    ended = [turn for turn in _verbatim(state) if turn.how is not None]
    tokens = {turn.id: sizes.turn(view) for turn, view in zip(ended, views(ended), strict=True)}
    left = sum(tokens.values())
    if left + (sizes.text(state.summary.text) if state.summary is not None else 0) <= room * HIGH:
        return None
    taken: list[TurnState] = []
    for turn in _settled(ended[:-VERBATIM], state, tools):
        if left <= room * LOW:
            break
        taken.append(turn)
        left -= tokens[turn.id]
    if not taken:
        return None
    sum_ = sum(tokens[turn.id] for turn in taken)
    return OldTurns(turns=tuple(taken), views=views(taken), tokens=sum_)


def large_results(state: ConversationState) -> Iterator[LargeResult]:
    """The results that a model may put into words better than the rule did, the newest first."""
    for turn in reversed(_verbatim(state)):
        for snapshot in turn.snapshots.values() if turn.how is not None else ():
            outcome = turn.outcomes.get(snapshot.call_id)
            if isinstance(outcome, CallSucceeded) and _is_cut(snapshot, outcome):
                yield LargeResult(turn=turn, outcome=outcome, snapshot=snapshot)


def _is_cut(snapshot: Snapshot, outcome: CallSucceeded) -> bool:
    """Whether the rule left something of the value out; where it is whole, only pictures and files are missing."""
    by_rule = snapshot.made_by == "rule" and not snapshot.complete
    return by_rule and snapshot.result_summary != outcome.value


def _verbatim(state: ConversationState) -> Sequence[TurnState]:
    """The turns that no summary stands for."""
    if state.summary is None:
        return state.turns
    return state.turns[state.turns.index(state.turn(state.summary.up_to)) + 1 :]


def _settled(turns: Sequence[TurnState], state: ConversationState, tools: Tools) -> Iterator[TurnState]:
    """The first of these turns, up to one of which something is still to come."""
    owed = {one.turn.id for one in untold(state, tools)}
    for turn in turns:
        asks = state.question is not None and turn.asked == state.question
        if asks or turn.id in owed or not is_settled(turn):
            return
        yield turn
