"""Looks into the files that the customer has shown, for what is asked with them or later."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decision import Decision, Help, Planned, Unsure
from assistant.models.offline.entities import plain
from assistant.models.offline.exchanges import Exchange

_STILL_SHOWN: Final = 3
"""So many messages after it may be about a file without saying so."""

_SAYS_SO: Final = re.compile(
    r"\b(?:file|document|pdf|attachment|letter|scan|uploaded"
    r"|i (?:have |had |just )?(?:sent|attached|showed|shown))\b"
)
_ASKS: Final = re.compile(
    r"\?\s*$|^\W*(?:and |so |then )?(?:what|who|when|where|which|how|why|is|does|did)\b"
)


def from_files(decision: Decision, exchanges: Sequence[Exchange], search: ToolSpec | None) -> Decision:
    """The same decision, or one that searches for what the last message asks.

    A question that comes with a file, or speaks of one that was shown, is about the file, also where a look-up was
    near; what else comes right after, where nothing else is meant; and later, where it asks for what nothing here
    is for. A file alone asks for nothing yet. No side effect gives way, nor does a question for what a tool lacks.
    """
    said = exchanges[-1].said.strip()
    if not said and isinstance(decision.reply, Help):
        # Nothing was asked that nothing could fit.
        return replace(decision, reply=replace(decision.reply, unmatched=False))
    if search is None or not said or not any(one.files for one in exchanges):
        return decision
    lower = plain(said)
    looks_up = all(plan.spec.effect == "read" and plan.spec.role == "tool" for plan in decision.calls)
    just_shown = any(one.files for one in exchanges[-_STILL_SHOWN:])
    unclear = not decision.calls and isinstance(decision.reply, Unsure | Help) and just_shown
    unmatched = (
        isinstance(decision.reply, Help) and decision.reply.unmatched and _ASKS.search(lower) is not None
    )
    about_it = bool(exchanges[-1].files) or _SAYS_SO.search(lower) is not None
    asked_of_it = about_it and bool(decision.calls) and decision.reply is None and looks_up
    if not unclear and not unmatched and not asked_of_it:
        return decision
    return Decision((Planned(search, {"question": said}),), open=decision.open)
