"""Decides a whole conversation's latest message: by itself, or as part of what went before."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from assistant.conversation.outcomes import CallFailed
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.about import about
from assistant.models.offline.after_documents import after_documents
from assistant.models.offline.answer import take_answer
from assistant.models.offline.correct import take_correction
from assistant.models.offline.decide import decide_message, read_message
from assistant.models.offline.decision import Ask, Decision, Help, Planned, Smalltalk, Unsure
from assistant.models.offline.either import lists_of, take_either
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.follow_up import take_follow_up
from assistant.models.offline.from_documents import Near, from_documents
from assistant.models.offline.from_files import from_files
from assistant.models.offline.instead import take_instead
from assistant.models.offline.known import take_proof
from assistant.models.offline.offer import take_offer
from assistant.models.offline.person import offered, with_person
from assistant.models.offline.recall import take_recall
from assistant.models.offline.resolve import resolve
from assistant.models.offline.scene import scene_of
from assistant.models.offline.still_open import still_open
from assistant.models.offline.understand import Nearest

REMEMBERED: Final = 5
"""So many messages decide what the last one means."""

_NO_DOCUMENTS: Final = Near()


def think(
    exchanges: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
    today: date,
    nearest: Nearest,
    near: Near = _NO_DOCUMENTS,
) -> Decision:
    """Decide the last exchange's message. Pure: what was asked back before is found by deciding it again."""
    if not exchanges:
        return Decision(reply=Help(unmatched=False))
    decision = Decision()
    for last in range(max(1, len(exchanges) - REMEMBERED), len(exchanges) + 1):
        said = exchanges[last - 1].said
        now = _step(exchanges[:last], decision, specs, today, nearest)
        message = read_message(said, today, nearest)
        now = from_documents(now, message, said, near, today)
        now = after_documents(now, decision, exchanges[:last], message, near.search)
        now = from_files(now, exchanges[:last], near.search)
        now = with_person(now, specs)
        decision = still_open(decision, now, specs)
    return decision


def held_back(decision: Decision) -> bool:
    """Whether the calls wait for the answer to a question that could not be put after their results: a
    side effect has a question of its own.
    """
    writes = [plan for plan in decision.calls if plan.spec.effect == "write"]
    return isinstance(decision.reply, Ask) and bool(writes) and len(writes) == len(decision.calls)


def _step(
    exchanges: Sequence[Exchange],
    before: Decision,
    specs: Mapping[str, ToolSpec],
    today: date,
    nearest: Nearest,
) -> Decision:
    earlier = exchanges[:-1]
    scene = scene_of(exchanges, specs, today)
    message = read_message(exchanges[-1].said, today, about(_topic(before, earlier), specs, nearest))
    alone = decide_message(message, today)
    told = lists_of(next((one for one in reversed(earlier) if one.outcomes), None), specs)
    if (either := take_either(alone, message, told, scene)) is not None:
        return resolve(either, message, scene)
    fresh = resolve(alone, message, scene)
    if not earlier:
        return fresh
    proved = take_proof(before, message, fresh, earlier, specs)
    if proved is not None:
        return proved
    waiting = _waiting(before, earlier[-1], specs)
    corrected = take_instead(waiting, message, alone) or take_correction(waiting, message, scene)
    if corrected is not None:
        return corrected
    asked = offered(before, earlier[-1], exchanges[-1], specs) or before.question
    if isinstance(asked, Ask | Unsure):
        answered = take_answer(asked, message, fresh, scene)
        if answered is not None:
            if answered.reply is not asked:
                answered = resolve(answered, message, scene)
            return Decision(before.calls + answered.calls, answered.reply) if held_back(before) else answered
    if (recalled := take_recall(message, before, earlier, fresh, scene)) is not None:
        return recalled
    if isinstance(fresh.reply, Help | Unsure | Smalltalk | None) and not fresh.calls:
        outcomes = next((one.outcomes for one in reversed(earlier) if one.outcomes), ())
        return take_offer(message, scene) or take_follow_up(message, outcomes, scene) or fresh
    return fresh


def _waiting(before: Decision, last: Exchange, specs: Mapping[str, ToolSpec]) -> tuple[Planned, ...]:
    """The side effects that were read back or that failed. A narrator's view holds no earlier outcomes: there
    it is what was decided then.
    """
    if last.outcomes:
        open_ = [*last.waiting, *(one for one in last.outcomes if isinstance(one, CallFailed))]
        calls = (one.call for one in open_)
        plans = (Planned(specs[one.tool], one.arguments) for one in calls if one.tool in specs)
    else:
        plans = () if before.reply is not None else before.calls
    return tuple(plan for plan in plans if plan.spec.effect == "write")


def _topic(before: Decision, earlier: Sequence[Exchange]) -> str | None:
    """The tool that was last talked about."""
    if isinstance(before.reply, Ask):
        return before.reply.spec.name
    if isinstance(before.reply, Unsure):
        return before.reply.options[0].spec.name
    outcomes = next((one.outcomes for one in reversed(earlier) if one.outcomes), ())
    return outcomes[-1].call.tool if outcomes else None
