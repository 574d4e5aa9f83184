"""Decides the newest message of a conversation, alone or in the context of earlier ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from assistant.conversation.outcomes import CallFailed, CallPending, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.answer import lists_of, take_answer, take_either
from assistant.models.demo.clauses import deeds_of, is_question
from assistant.models.demo.correct import take_correction, take_instead, take_offer
from assistant.models.demo.decide import Message, decide_message, read_message
from assistant.models.demo.decision import (
    Ask,
    Decision,
    Exchange,
    Help,
    Planned,
    Prove,
    Running,
    Slot,
    Smalltalk,
    Unsure,
    slots_of,
)
from assistant.models.demo.documents import Near, after_documents, from_documents, from_files
from assistant.models.demo.entities import Entities
from assistant.models.demo.fill import fill
from assistant.models.demo.identity import offered, take_proof, with_person
from assistant.models.demo.recall import take_recall
from assistant.models.demo.resolve import resolve, thing_slot
from assistant.models.demo.things import Scene, Shown, named_in, named_thing, noun_of, pointed_at, scene_of
from assistant.models.demo.understand import Match, Nearest

REMEMBERED: Final = 5
"""The meaning of the last message depends on at most this number of messages, including itself."""

_NO_DOCUMENTS: Final = Near()


def think(
    exchanges: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
    today: date,
    nearest: Nearest,
    near: Near = _NO_DOCUMENTS,
) -> Decision:
    """Decide the last exchange's message.

    It keeps no state: to find an earlier question, it decides its message again.
    """
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
    """Whether the calls wait until the customer answers the question.

    This applies if all calls are side effects. Their own confirmation would come between the calls and the
    question.
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
    if (running := take_running(message, fresh, earlier)) is not None:
        return running
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


_IT: Final = re.compile(r"\b(?:it|that|this)\b")


def take_running(message: Message, fresh: Decision, earlier: Sequence[Exchange]) -> Decision | None:
    """Tell the state of running calls.

    Returns None if the message neither asks about the running calls nor requests one of them again.
    """
    running = tuple(call for one in earlier for call in one.begun)
    planned = [(plan.spec.name, dict(plan.arguments)) for plan in fresh.calls]
    again = tuple(one for one in running if (one.call.tool, dict(one.call.arguments)) in planned)
    if again:
        return Decision(reply=Running(again))
    meant = _asked_about(message, running, earlier) if running else ()
    return Decision(reply=Running(meant)) if meant and _is_about(meant, message, fresh) else None


def _asked_about(
    message: Message, running: tuple[CallPending, ...], earlier: Sequence[Exchange]
) -> tuple[CallPending, ...]:
    """Returns the running calls that the customer asks about: by name, or as "it" if they were the last
    topic.
    """
    if not is_question(message.text) or message.entities != Entities():
        return ()
    named = tuple(one for one in running if _names(message, one.call.tool))
    latest = next(one for one in reversed(earlier) if one.outcomes or one.begun)
    return named or (latest.begun if _IT.search(message.text) else ())


def _is_about(meant: Sequence[CallPending], message: Message, fresh: Decision) -> bool:
    """Whether all other calls are lookups of things that the question does not name."""
    own = {one.call.tool for one in meant}
    others = [plan.spec for plan in fresh.calls if plan.spec.name not in own]
    return all(spec.effect == "read" and not _names(message, spec.name) for spec in others)


def _names(message: Message, tool: str) -> bool:
    return any(named_in(word, tool) for word in re.findall(r"[a-z]+", message.text))


def _waiting(before: Decision, last: Exchange, specs: Mapping[str, ToolSpec]) -> tuple[Planned, ...]:
    """Returns the side effects that were read back or that failed.

    A narrator's view has no earlier outcomes: there it is what was decided then.
    """
    if last.outcomes:
        open_ = [*last.waiting, *(one for one in last.outcomes if isinstance(one, CallFailed))]
        calls = (one.call for one in open_)
        plans = (Planned(specs[one.tool], one.arguments) for one in calls if one.tool in specs)
    else:
        plans = () if before.reply is not None else before.calls
    return tuple(plan for plan in plans if plan.spec.effect == "write")


def _topic(before: Decision, earlier: Sequence[Exchange]) -> str | None:
    """Returns the tool of the last topic."""
    if isinstance(before.reply, Ask):
        return before.reply.spec.name
    if isinstance(before.reply, Unsure):
        return before.reply.options[0].spec.name
    outcomes = next((one.outcomes for one in reversed(earlier) if one.outcomes), ())
    return outcomes[-1].call.tool if outcomes else None


_POINTS_BACK: Final = re.compile(
    r"^(?:ok |okay |and |so |then |well |hm+ )*(?:what|how) about\b|^(?:and|or)\b|\b(?:that|this"
    r"|the (?:other|first|second|third|last|next|latest)) (?:one|order|appointment|invoice)\b"
    r"|^(?:the )?(?:other|first|second|third|last)\b|^(?:on |at |for )?(?:the )?\w+(?: then)?\??$"
    r"|\bagain\b|\bthe (?:next day|day (?:after|before)|following day|previous day)\b"
)
_NEXT_DAY: Final = re.compile(
    r"\bthe (?:next day|following day|day after\b|(?P<back>day before|previous day))(?! tomorrow)"
)
_AGAIN: Final = re.compile(r"\b(?:one|again|repeat that|what did you say)\b")


def take_follow_up(message: Message, outcomes: Sequence[Outcome], scene: Scene) -> Decision | None:
    """Repeat the last lookup for the thing that the message means. Returns None if the message means none.

    If a shortened result lacks the thing, the complete result is loaded. A side effect is never repeated.
    """
    if not _POINTS_BACK.search(message.text) or any(
        piece.stance in ("negated", "retracted") for piece in message.pieces
    ):
        return None
    for outcome in reversed(outcomes):
        spec = scene.specs.get(outcome.call.tool)
        if spec is not None and spec.effect == "read":
            return _again(outcome, spec, message, scene)
    return None


def _again(outcome: Outcome, spec: ToolSpec, message: Message, scene: Scene) -> Decision | None:
    slots = slots_of(spec)
    found = tuple(one for one in scene.shown if one.call == outcome.call)
    if scene.loads is not None and (ref := _cut_out_of(outcome, found, message)):
        return Decision((Planned(scene.loads, {"ref": ref}),))
    things = {
        slot.name: thing
        for slot in slots
        if slot.kind == "reference"
        and (thing := named_thing(slot, message.entities, message.text, found)) is not None
    }
    before = outcome.call.arguments
    said = fill(slots, message.text, message.entities, scene.today)
    arguments = {**before, **_shifted(before, slots, message), **said, **things}
    points = bool(message.entities.places) or _AGAIN.search(message.text)
    if arguments == before and not points:
        return None
    return Decision((Planned(spec, arguments),))


def _cut_out_of(outcome: Outcome, found: Sequence[Shown], message: Message) -> str:
    """Returns the reference of the complete result if the message means a position that is not shown, or ""
    for any other message.
    """
    if not isinstance(outcome, CallSucceeded) or not message.entities.places:
        return ""
    shown = [
        pointed_at(one.items, message.text, message.entities, newest_first=one.newest_first)
        for one in found
        if any(one.items)
    ]
    return outcome.full_ref if all({} in chosen for chosen in shown) else ""


def _shifted(before: JsonObject, slots: Sequence[Slot], message: Message) -> dict[str, Json]:
    """Returns the day of "and the day after?": one day after the day of the last lookup."""
    shift = _NEXT_DAY.search(message.text)
    if shift is None or message.entities.days:
        return {}
    step = timedelta(days=-1 if shift["back"] else 1)
    return {
        slot.name: (date.fromisoformat(str(before[slot.name])) + step).isoformat()
        for slot in slots
        if slot.kind == "day" and before.get(slot.name) is not None
    }


def still_open(before: Decision, now: Decision, specs: Mapping[str, ToolSpec]) -> Decision:
    """Returns the same decision, with the earlier question as ``open`` unless the decision answers or drops
    it.
    """
    question = before.question
    if question is None or isinstance(now.reply, Ask | Unsure | Prove):
        return now
    dropped = isinstance(now.reply, Smalltalk) and now.reply.about in ("kept", "goodbye")
    if dropped or any(_ends(plan, question, specs) for plan in now.calls):
        return now
    return replace(now, open=question)


def _ends(plan: Planned, question: Ask | Unsure | Prove, specs: Mapping[str, ToolSpec]) -> bool:
    """Whether a call ends an open question: a side effect, or a list of another kind of things."""
    if plan.spec.effect == "write" or plan.spec.role != "tool":
        return True
    if isinstance(question, Prove):
        return False
    asked = question.options if isinstance(question, Unsure) else (question,)
    meant = {_noun(one.spec) for one in asked}
    return any(
        noun and noun not in meant and named_in(noun, plan.spec.name) for noun in map(_noun, specs.values())
    )


def _noun(spec: ToolSpec) -> str:
    slot = thing_slot(slots_of(spec))
    return slot.noun if slot is not None else ""


_POINTER: Final = re.compile(
    r"\b(?:it|that|this|them|both|that one|this one|the (?:first|second|third|last|other|next) one)"
    r"(?=$|\s+(?:to|on|at|for|from|by|instead|again|then|too|now|of)\b)"
)
_WHEN: Final = re.compile(r"^(?:and |so )?(?:when|where|what time|which day)\b")


def about(topic: str | None, specs: Mapping[str, ToolSpec], nearest: Nearest) -> Nearest:
    """Returns the same ranking, in which "it" stands for a thing of the last tool's kind: "cancel it" is
    "cancel my order".

    ``topic`` is that tool's name; None if there is none.
    """
    spec = specs.get(topic) if topic else None
    if spec is None:
        return nearest
    noun = noun_of(spec, slots_of(spec))
    named = {slot.noun for one in specs.values() for slot in slots_of(one) if slot.kind == "reference"}
    if not any(named_in(one, spec.name) for one in named if one):
        return nearest  # "book that" does not refer to the lookup that found a free time

    def spelled_out(clause: str) -> Sequence[Match]:
        points = deeds_of(clause) or _WHEN.search(clause)
        return nearest(_POINTER.sub(f"my {noun}", clause) if points else clause)

    return spelled_out
