"""Makes the summaries of one conversation, as the entries in which they are kept."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.memories import Snapshot, Summary
from assistant.memory.summaries.dialogue import sum_up
from assistant.memory.summaries.extractive import extract
from assistant.memory.summaries.result import describe
from assistant.memory.summaries.room import Room
from assistant.memory.summaries.said import said_in
from assistant.memory.summaries.summary_model import SummaryModel
from assistant.sessions.left_to_summarise import LargeResult, OldTurns


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An entry of this turn ("" for none), and what operators are told of it, without what anybody said."""

    turn_id: str
    entry: Summary | Snapshot
    facts: Mapping[str, object]


async def summary_of(
    old: OldTurns, before: Summary | None, room: Room, model: SummaryModel | None, conversation: str
) -> Made:
    """What stands for these turns and for all before them.

    Args:
        old: the turns.
        before: what stands for those before them, if there are any.
        room: for what stands for all of them.
        model: writes it; None: a rule does.
        conversation: its id.

    Raises:
        ModelError, PromptError: the model could not; never without one.
    """
    last = old.turns[-1]
    locale, previous = last.message.locale, before.text if before is not None else ""
    said = said_in(old.views)
    used: Mapping[str, object] = {}
    if model is None:
        text = await asyncio.to_thread(extract, previous, said, room, locale)
    else:
        written = await sum_up(previous, said, by=model, room=room, locale=locale, conversation=conversation)
        text, used = written.text, _used(written.ended)
    made_by = "rule" if model is None else "model"
    facts = {"made_by": made_by, "turns": len(old.turns), "up_to": last.id, "tokens_before": old.tokens}
    return Made(
        turn_id="",
        entry=Summary(up_to=last.id, text=text, made_by=made_by),
        facts={**facts, "tokens_after": room.count(text), **used},
    )


async def snapshot_of(large: LargeResult, model: SummaryModel, conversation: str) -> Made:
    """What the model says of a large result, to stand in for the rule's shorter form.

    Raises:
        ModelError, PromptError: it could not.
    """
    turn = large.turn
    written = await describe(
        large.outcome,
        "" if turn.unasked else turn.message.text,
        by=model,
        locale=turn.message.locale,
        conversation=conversation,
    )
    entry = replace(large.snapshot, result_summary=written.text, complete=False, made_by="model")
    facts = {"turn": turn.id, "call": entry.call_id, "tool": entry.tool_name}
    return Made(turn_id=turn.id, entry=entry, facts={**facts, **_used(written.ended)})


def _used(ended: StreamEnded) -> Mapping[str, object]:
    """What the request took, as far as its provider says."""
    cost = None if ended.cost_usd is None else round(ended.cost_usd, 6)
    took = {
        "model": ended.model,
        "input_tokens": ended.input_tokens,
        "output_tokens": ended.output_tokens,
        "cost_usd": cost,
    }
    return {name: value for name, value in took.items() if value is not None}
