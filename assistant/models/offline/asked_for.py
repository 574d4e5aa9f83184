"""Of all that a look-up found, what the customer asked for: "what time is my eye test?" wants one appointment."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message
from assistant.models.offline.things import items_of, pointed_at

# A narration that counts or adds up says something of all that was found.
_ABOUT_ALL: Final = re.compile(r"\b(?:length|count|sum|last|min|max)\b")


def asked_for(
    outcomes: Sequence[Outcome], message: Message, specs: Mapping[str, ToolSpec]
) -> tuple[Outcome, ...]:
    """The outcomes, in which a list holds only what the customer described, if anything was."""
    return tuple(_narrowed(outcome, message, specs.get(outcome.call.tool)) for outcome in outcomes)


def _narrowed(outcome: Outcome, message: Message, spec: ToolSpec | None) -> Outcome:
    if not isinstance(outcome, CallSucceeded) or not _is_list(outcome.value):
        return outcome
    if spec is None or spec.narration is None or _ABOUT_ALL.search(spec.narration):
        return outcome
    chosen = pointed_at(items_of(outcome.value), _words_about(spec.name, message), message.entities)
    return replace(outcome, value=chosen) if chosen else outcome


def _words_about(tool: str, message: Message) -> str:
    """The pieces of the message that asked for this look-up; all of it where none did."""
    own = [piece.text for piece in message.pieces if piece.best.spec and piece.best.spec.name == tool]
    return " ".join(own) or message.text


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
