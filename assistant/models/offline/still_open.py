"""Keeps a question open while the customer asks something else: "actually, what do I owe?", and then an answer."""

from collections.abc import Mapping
from dataclasses import replace

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import Ask, Decision, Planned, Prove, Smalltalk, Unsure
from assistant.models.offline.resolve import thing_slot
from assistant.models.offline.slots import slots_of
from assistant.models.offline.things import named_in


def still_open(before: Decision, now: Decision, specs: Mapping[str, ToolSpec]) -> Decision:
    """The same decision, with the question of before where nothing in it answers or drops that."""
    question = before.question
    if question is None or isinstance(now.reply, Ask | Unsure | Prove):
        return now
    dropped = isinstance(now.reply, Smalltalk) and now.reply.about in ("kept", "goodbye")
    if dropped or any(_ends(plan, question, specs) for plan in now.calls):
        return now
    return replace(now, open=question)


def _ends(plan: Planned, question: Ask | Unsure | Prove, specs: Mapping[str, ToolSpec]) -> bool:
    """Whether a call leaves no room for the answer: a deed, or a list of other things to point at."""
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
