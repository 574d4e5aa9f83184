"""Hears "it" as the thing that was last talked about."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.deeds import deeds_of
from assistant.models.offline.match import Match
from assistant.models.offline.slots import slots_of
from assistant.models.offline.things import named_in, noun_of
from assistant.models.offline.understand import Nearest

_POINTER: Final = re.compile(
    r"\b(?:it|that|this|them|both|that one|this one|the (?:first|second|third|last|other|next) one)"
    r"(?=$|\s+(?:to|on|at|for|from|by|instead|again|then|too|now|of)\b)"
)
_WHEN: Final = re.compile(r"^(?:and |so )?(?:when|where|what time|which day)\b")


def about(topic: str | None, specs: Mapping[str, ToolSpec], nearest: Nearest) -> Nearest:
    """The same ranking, in which "cancel it" is nearest to what cancels things of the last tool's kind.

    ``topic`` is that tool's name; None where nothing has been talked about.
    """
    spec = specs.get(topic) if topic else None
    if spec is None:
        return nearest
    noun = noun_of(spec, slots_of(spec))
    named = {slot.noun for one in specs.values() for slot in slots_of(one) if slot.kind == "reference"}
    if not any(named_in(one, spec.name) for one in named if one):
        return nearest  # "book that" is no word about the look-up that found a free time

    def spelled_out(clause: str) -> Sequence[Match]:
        points = deeds_of(clause) or _WHEN.search(clause)
        return nearest(_POINTER.sub(f"my {noun}", clause) if points else clause)

    return spelled_out
