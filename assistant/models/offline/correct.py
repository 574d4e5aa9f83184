"""Changes a side effect that was read back and not agreed to: "no, Wednesday"."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Final

from assistant.conversation.outcomes import CallDenied
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Planned
from assistant.models.offline.fill import fill
from assistant.models.offline.slots import Slot, slots_of

_ONLY: Final = re.compile(r"\b(?:only|just)\b")
_BESIDE: Final = re.compile(
    r"\b(?:no|nope|not|sorry|wait|oh|actually|make|it|that|this|i|mean|meant|rather|instead|please"
    r"|better|the|on|at|to|for|is|in|of|should|be|change|move|switch"
    r"|prefer|would|'d|prefer|and|a|an|o'clock|am|pm|morning|afternoon|evening|one|order|number"
    r"|thanks|then|but|how|about|what|let's|say|by|yes|yeah|ok|okay|i'd|can|could|we|you|do|go|with)\b"
)


def take_correction(
    waiting: tuple[CallDenied, ...], message: Message, specs: Mapping[str, ToolSpec], today: date
) -> Decision | None:
    """The waiting calls with what the customer changed; None when the message says something else as well,
    or nothing that would fit.
    """
    calls = [one.call for one in waiting if one.call.tool in specs]
    if not calls:
        return None
    if _ONLY.search(message.text) and message.entities.places:
        place = message.entities.places[0].value
        kept = calls[place - 1 : place] if place > 0 else calls[-1:]
        return Decision(tuple(Planned(specs[one.tool], one.arguments) for one in kept)) if kept else None
    if not _is_only_values(message):
        return None
    changed: list[Planned] = []
    for call in calls:
        spec = specs[call.tool]
        new = fill(_changeable(slots_of(spec)), message.text, message.entities, today)
        changed.append(Planned(spec, {**call.arguments, **new}))
    same = all(plan.arguments == call.arguments for plan, call in zip(changed, calls, strict=True))
    # One value for two deeds: whose it is has to be said.
    return None if same or len(calls) > 1 else Decision(tuple(changed))


def _changeable(slots: tuple[Slot, ...]) -> list[Slot]:
    """What a correction is about: where there is an old and a new day, the new one."""
    return [slot for slot in slots if slot.role != "old"]


def _is_only_values(message: Message) -> bool:
    rest = list(message.text)
    for start, end in message.entities.ranges:
        rest[start:end] = " " * (end - start)
    return not re.search(r"\w", _BESIDE.sub("", "".join(rest)))
