"""Takes a message as a question about the last results: "what about the second one?", "and on Friday?"."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Planned
from assistant.models.offline.fill import fill
from assistant.models.offline.scene import Scene
from assistant.models.offline.slots import Slot, slots_of
from assistant.models.offline.things import Shown, named_thing, pointed_at

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
    """Repeat the last look-up for what the message points at; None when it points at nothing.

    Where what it points at was cut out of the result, the whole result is loaded. A side effect is never repeated.
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
    """The reference of the whole result, if a place in it is meant that is not shown any more; "" otherwise."""
    if not isinstance(outcome, CallSucceeded) or not message.entities.places:
        return ""
    shown = [
        pointed_at(one.items, message.text, message.entities, newest_first=one.newest_first)
        for one in found
        if any(one.items)
    ]
    return outcome.full_ref if all({} in chosen for chosen in shown) else ""


def _shifted(before: JsonObject, slots: Sequence[Slot], message: Message) -> dict[str, Json]:
    """The day that "and the day after?" means: the one that was asked about, and one more."""
    shift = _NEXT_DAY.search(message.text)
    if shift is None or message.entities.days:
        return {}
    step = timedelta(days=-1 if shift["back"] else 1)
    return {
        slot.name: (date.fromisoformat(str(before[slot.name])) + step).isoformat()
        for slot in slots
        if slot.kind == "day" and before.get(slot.name) is not None
    }
