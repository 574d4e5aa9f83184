"""Looks into the files that the customer has shown, for what is asked with them or right after."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import Decision, Help, Planned, Unsure
from assistant.models.offline.exchanges import Exchange

_STILL_SHOWN: Final = 3
"""So many messages after it may be about a file without saying so."""


def from_files(decision: Decision, exchanges: Sequence[Exchange], search: ToolSpec | None) -> Decision:
    """The same decision, or one that searches for what the last message asks.

    A question that comes with a file is about the file, also where a look-up was near; one that comes later, where
    nothing else is meant; a file alone asks for nothing yet. No side effect gives way, nor does a question for what
    a tool lacks.
    """
    said = exchanges[-1].said.strip()
    if not said and isinstance(decision.reply, Help):
        # Nothing was asked that nothing could fit.
        return replace(decision, reply=replace(decision.reply, unmatched=False))
    if search is None or not said or not any(one.files for one in exchanges[-_STILL_SHOWN:]):
        return decision
    looks_up = all(plan.spec.effect == "read" and plan.spec.role == "tool" for plan in decision.calls)
    unclear = not decision.calls and isinstance(decision.reply, Unsure | Help)
    asked_with_it = bool(exchanges[-1].files) and bool(decision.calls) and decision.reply is None and looks_up
    if not unclear and not asked_with_it:
        return decision
    return Decision((Planned(search, {"question": said}),), open=decision.open)
