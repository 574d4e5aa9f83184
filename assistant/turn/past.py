"""What a request is given of the past: the turns since the summary, and the summary behind the instructions."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from assistant.conversation.documents import result_ref
from assistant.conversation.entries import ModelRole
from assistant.conversation.snapshots import head_and_tail
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.memory.budget import Budget, Within
from assistant.prompts.earlier import Earlier
from assistant.turn.parts import Parts
from assistant.turn.running_turn import RunningTurn

_SHARE = 4
"""At most this part of a budget is the summary's: what was said last matters most."""

_LEAST = 64
"""Characters below which a summary is not cut further."""


def recent(turn: RunningTurn) -> Sequence[TurnState]:
    """The turns before this one that no summary stands for, oldest first."""
    earlier, summary = turn.earlier, turn.conversation.summary
    if summary is None:
        return earlier
    # From the end: a summary is asked for before the turns after it are many.
    after = next((place for place in range(len(earlier), 0, -1) if earlier[place - 1].id == summary.up_to), 0)
    return earlier[after:]


def with_summary(system: str, turn: RunningTurn, parts: Parts, role: ModelRole) -> str:
    """The instructions, with what was said in the turns that are left out behind them, if there are any.

    What stands before the summary is the same with and without it. A summary that is larger than its share of
    the budget keeps head and tail.
    """
    told = told_of_summary(turn, parts, role)
    return f"{system}\n\n{told}" if told else system


def told_of_summary(turn: RunningTurn, parts: Parts, role: ModelRole) -> str:
    """What the instructions end with where a summary stands for turns that are left out; "" where none does."""
    summary = turn.conversation.summary
    return "" if summary is None else _told(summary.text, parts, parts.models[role].budget)


def within(
    turn: RunningTurn,
    parts: Parts,
    role: ModelRole,
    tools: tuple[ToolSpec, ...],
    refs: Mapping[str, str] = MappingProxyType({}),
) -> Within | None:
    """What the view of a request must go with; None: it may be as large as it is.

    ``refs`` names whole results by their calls' ids, where these are not the running turn's own.
    """
    budget = parts.models[role].budget
    if budget is None:
        return None
    conversation, id_ = turn.key.conversation, turn.state.id

    def ref(call: str) -> str:
        return refs.get(call) or result_ref(conversation, id_, call)

    return Within(budget=budget, tools=tools, ref=ref)


def _told(text: str, parts: Parts, budget: Budget | None) -> str:
    told = parts.book.render(Earlier(summary=text))
    if budget is None:
        return told
    share = budget.tokens // _SHARE
    while len(text) > _LEAST and (size := budget.sizes.text(told)) > share:
        text = head_and_tail(text, min(len(text) * share // size, len(text) * 9 // 10))
        told = parts.book.render(Earlier(summary=text))
    return told
