"""Says what of a conversation is to be put into fewer words next, and by whom."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from assistant.conversation.entries import CallRef
from assistant.conversation.people import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.memory.budget.budget import Budget
from assistant.memory.budget.sizes import text_tokens
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.summary_model import NO_BUDGET, SummaryModel, room_within
from assistant.prompts.instructions import Decider
from assistant.sessions.left_to_summarise import Look, large_results, old_turns
from assistant.sessions.summarise import Made, snapshot_of, summary_of
from assistant.turn.parts import Parts

_SHARE = 0.2
"""The part of the room for a conversation that a summary may take."""

_TURNS = ("", "")
"""Stands for the turns to be summed up, where results are named by their calls."""


@dataclass(frozen=True, slots=True)
class Due:
    """Something to be put into fewer words: ``of`` says what, in a word."""

    of: str
    ref: CallRef
    make: Callable[[], Awaitable[Made]]


def due(
    key: ConversationKey,
    state: ConversationState,
    views: Look,
    parts: Parts,
    given_up: Callable[[CallRef], bool] = lambda _: False,
) -> Due | None:
    """What is next: the turns first, whose results need no words of their own any more. None for nothing.

    Args:
        key: whose conversation it is.
        state: the conversation.
        views: gives its turns as the decision model is given them.
        parts: with the models' budgets, and the summary model.
        given_up: what the model could not do again and again; then a rule's work has to do.
    """
    model, budget = _model(parts), _smallest_budget(parts)
    if budget is not None:
        room = Room(most=_room_for_turns(parts, budget), count=partial(text_tokens, counter=budget.counter))
        old = old_turns(state, views, room.most, budget.sizes, parts.tools)
        if old is not None:
            by = None if given_up(_TURNS) else model
            share = room.share(_SHARE)
            make = partial(summary_of, old, state.summary, share, by, key.conversation)
            return Due("conversation", _TURNS, make)
    if model is None:
        return None
    for large in large_results(state):
        ref = (large.turn.id, large.snapshot.call_id)
        if not given_up(ref):
            return Due("result", ref, partial(snapshot_of, large, model, key.conversation))
    return None


def _model(parts: Parts) -> SummaryModel | None:
    role = parts.summariser
    if role is None:
        return None
    room = NO_BUDGET if role.budget is None else room_within(role.budget)
    return SummaryModel(model=role.model, options=role.options, book=parts.book, room=room)


def _smallest_budget(parts: Parts) -> Budget | None:
    """What stands in a summary must have room in every model's view."""
    budgets = [role.budget for role in parts.models.values() if role.budget is not None]
    return min(budgets, key=lambda budget: budget.tokens, default=None)


def _room_for_turns(parts: Parts, budget: Budget) -> int:
    """The tokens that a request has left beside instructions and tools."""
    system, _ = parts.book.parted(Decider(today=parts.clock.now().date()))
    return max(budget.tokens - budget.sizes.frame(system, "", parts.tools.offered), budget.tokens // 5)
