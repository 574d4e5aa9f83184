"""Of all that a look-up found, what the customer asked for: "what time is my eye test?" wants one appointment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Recall
from assistant.models.offline.fields import asked_in
from assistant.models.offline.recall import recall_of
from assistant.models.offline.resolve import thing_slot
from assistant.models.offline.slots import slots_of
from assistant.models.offline.things import items_of, named_in, pointed_at

# A narration that counts or adds up says something of all that was found.
_ABOUT_ALL: Final = re.compile(r"\b(?:length|count|sum|last|min|max)\b")


def asked_for(
    outcomes: Sequence[Outcome],
    message: Message,
    specs: Mapping[str, ToolSpec],
    before: Message | None = None,
) -> tuple[Outcome, ...]:
    """The outcomes, in which a list holds only what the customer described, if anything was.

    ``before`` is the message before: what it described is what "the other one" is another than.
    """
    return tuple(_narrowed(outcome, message, specs.get(outcome.call.tool), before) for outcome in outcomes)


def one_alone(outcomes: Sequence[Outcome], message: Message, specs: Mapping[str, ToolSpec]) -> Recall | None:
    """The one thing that is asked for by its place in a result of which the tool's own words can only tell all."""
    match outcomes:
        case (CallSucceeded() as outcome,):
            spec = specs.get(outcome.call.tool)
        case _:
            return None
    if spec is None or spec.effect != "read" or spec.role != "tool" or _can_be_narrowed(outcome, spec):
        return None
    said, items = _about(spec, message), items_of(outcome.value)
    newest = spec.sorted_by == "newest_first"
    chosen = pointed_at(items, said.text, said.entities, newest_first=newest) if said.entities.places else ()
    if len(items) == 1 or len(chosen) != 1 or not chosen[0]:
        return None
    return recall_of(items, chosen[0], said, asked_in(said.text, chosen[0]))


def _can_be_narrowed(outcome: CallSucceeded, spec: ToolSpec) -> bool:
    return _is_list(outcome.value) and spec.narration is not None and not _ABOUT_ALL.search(spec.narration)


def _narrowed(outcome: Outcome, message: Message, spec: ToolSpec | None, before: Message | None) -> Outcome:
    if not isinstance(outcome, CallSucceeded) or spec is None or not _can_be_narrowed(outcome, spec):
        return outcome
    said = _about(spec, message)
    items = items_of(outcome.value)
    there = tuple(item for item in items if item)
    newest = spec.sorted_by == "newest_first"
    told = pointed_at(items, before.text, before.entities, newest_first=newest) if before is not None else ()
    chosen = pointed_at(items, said.text, said.entities, told=told, newest_first=newest)
    if chosen := tuple(item for item in chosen if item):
        return replace(outcome, value=chosen)
    # Templates know nothing of what stands for the missing ones in a list that is shortened.
    return replace(outcome, value=there) if outcome.full_ref else outcome


def _about(spec: ToolSpec, message: Message) -> Message:
    """What of the message is about these things: what asks for them, or else for a deed on one of them."""
    wanted = [piece.best.spec for piece in message.pieces if piece.best.spec is not None]
    nouns = {one.name: slot.noun for one in wanted if (slot := thing_slot(slots_of(one))) is not None}
    deeds = [name for name, noun in nouns.items() if named_in(noun, spec.name)]
    return next((own for name in (spec.name, *deeds) if (own := message.about(name)) is not None), message)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
