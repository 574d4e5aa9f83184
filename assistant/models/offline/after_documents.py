"""Takes "and after five weeks?" as a question about what the documents were just searched for."""

import re
from collections.abc import Sequence
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Decision, Help, Planned, Unsure
from assistant.models.offline.entities import plain
from assistant.models.offline.exchanges import Exchange

_LEADS_ON: Final = re.compile(
    r"^(?:ok(?:ay)?|so|oh|well|hm+)?,?\s*(?:and|or|but|what about|how about|what if)\b"
)
_OF_THEIR_OWN: Final = re.compile(
    r"\b(?:my|mine|i|i'm|i've|me|you|your|when|where|what time|how much (?:do|is))\b", re.IGNORECASE
)
_LONGEST: Final = 9  # words; more is a question of its own


def after_documents(
    decision: Decision,
    before: Decision,
    exchanges: Sequence[Exchange],
    message: Message,
    search: ToolSpec | None,
) -> Decision:
    """The same decision, or one that searches for what was asked before together with what is asked now.

    Only right after a search, where nothing else is meant, or a look-up that the words do not ask for outright.
    """
    searched = [plan for plan in before.calls if plan.spec.role == "searches"]
    if search is None or not searched or not _leads_on(exchanges[-1].said):
        return decision
    if not _gives_way(decision, message):
        return decision
    topic = next((one.said for one in reversed(exchanges[:-1]) if not _leads_on(one.said)), "")
    question = f"{topic.strip()} {exchanges[-1].said.strip()}".strip()
    return Decision((Planned(search, {"question": question}),), open=decision.open)


def _leads_on(said: str) -> bool:
    return _LEADS_ON.match(plain(said).strip()) is not None and len(said.split()) <= _LONGEST


def _gives_way(decision: Decision, message: Message) -> bool:
    if any(piece.stance in ("negated", "retracted") for piece in message.pieces):
        return False
    if not decision.calls:
        return isinstance(decision.reply, Unsure) or (
            isinstance(decision.reply, Help) and decision.reply.unmatched
        )
    entities = message.entities
    if entities.days or entities.references or entities.places or _OF_THEIR_OWN.search(message.text):
        return False
    return all(
        plan.spec.role == "searches" or (plan.spec.effect == "read" and plan.spec.role == "tool")
        for plan in decision.calls
    )
