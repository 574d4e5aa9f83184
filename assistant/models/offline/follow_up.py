"""Takes a message as a question about the last results: "what about the second one?", "and on Friday?"."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Final

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Planned
from assistant.models.offline.fill import fill
from assistant.models.offline.results import named_thing
from assistant.models.offline.slots import slots_of

_POINTS_BACK: Final = re.compile(
    r"^(?:ok |okay |and |so |then |well |hm+ )*(?:what|how) about\b|^(?:and|or)\b|\b(?:that|this"
    r"|the (?:other|first|second|third|last|next|latest)) (?:one|order|appointment|invoice)\b"
    r"|^(?:the )?(?:other|first|second|third|last)\b|^(?:on |at |for )?(?:the )?\w+(?: then)?\??$"
)


def take_follow_up(
    message: Message, outcomes: tuple[Outcome, ...], specs: Mapping[str, ToolSpec], today: date
) -> Decision | None:
    """Repeat the last look-up for what the message points at; None when it points at nothing.

    A side effect is never repeated.
    """
    if not _POINTS_BACK.search(message.text) or any(
        piece.stance in ("negated", "retracted") for piece in message.pieces
    ):
        return None
    for outcome in reversed(outcomes):
        spec = specs.get(outcome.call.tool)
        if spec is not None and spec.effect == "read":
            return _again(outcome, spec, message, today)
    return None


def _again(outcome: Outcome, spec: ToolSpec, message: Message, today: date) -> Decision | None:
    slots = slots_of(spec)
    found = (outcome,) if isinstance(outcome, CallSucceeded) else ()
    things = {
        slot.name: thing
        for slot in slots
        if slot.kind == "reference"
        and (thing := named_thing(slot, message.entities, message.text, found)) is not None
    }
    arguments = {**outcome.call.arguments, **fill(slots, message.text, message.entities, today), **things}
    points = bool(message.entities.places) or "one" in message.text.split()
    if arguments == outcome.call.arguments and not points:
        return None
    return Decision((Planned(spec, arguments),))
