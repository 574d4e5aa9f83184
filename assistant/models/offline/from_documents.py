"""Looks into the documents for what no tool is for, where something that they say is near."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.clauses import split
from assistant.models.offline.decide import Message, decide_message
from assistant.models.offline.decision import Decision, Help, Planned, Unsure
from assistant.models.offline.entities import find_entities, plain

NEAR: Final = 0.46
"""The cosine from which on a document is taken to say something about what is asked."""

_A_PART: Final = 0.5  # for a part of a message whose other parts are answered otherwise
_NEARER: Final = 0.02  # a document that is so little further away than a look-up still goes first
_BEFORE_ASKING: Final = 0.1  # and so before a question which of several tools was meant


@dataclass(frozen=True, slots=True)
class Near:
    """``search`` looks into the documents, None where nothing does; ``scores`` says how near they are to texts."""

    search: ToolSpec | None = None
    scores: Mapping[str, float] = field(default_factory=dict[str, float])


def texts_of(said: str, today: date) -> list[str]:
    """What of a message is to be scored: all of it, and its parts.

    >>> texts_of("Where is my order, and can I send it back?", date(2026, 11, 23))
    ['where is my order, and can i send it back?', 'where is my order', 'can i send it back']
    """
    text = plain(said)
    clauses = split(text, find_entities(said, today).ranges)
    return [text, *(clause.text for clause in clauses if len(clauses) > 1)]


def from_documents(decision: Decision, message: Message, said: str, near: Near, today: date) -> Decision:
    """The same decision, or one that searches the documents: for all of what was ``said``, or a part of it.

    No side effect gives way to a document, nor does a question for what a tool lacks.
    """
    if near.search is None:
        return decision
    score = near.scores.get(message.text, 0.0)
    if score >= _enough(decision, message, today):
        return Decision((Planned(near.search, {"question": said.strip()}),), open=decision.open)
    if not decision.calls:
        return decision
    parts = _left_over(message, said, near.scores)
    return replace(
        decision, calls=(*decision.calls, *(Planned(near.search, {"question": it}) for it in parts[:1]))
    )


def _enough(decision: Decision, message: Message, today: date) -> float:
    """How near a document must be to stand for this decision; out of reach where none may."""
    never, nearest = 2.0, max((piece.best.score for piece in message.pieces if piece.best.spec), default=0.0)
    if decision.calls:
        # Read by itself: an answer to a question, or "and on Friday?", owes its call to what went before.
        alone = decide_message(message, today)
        looks_up = all(plan.spec.effect == "read" and plan.spec.role == "tool" for plan in decision.calls)
        if alone != decision or not looks_up or message.entities.references:
            return never
        return max(NEAR, nearest - _NEARER)
    match decision.reply:
        case Help(unmatched=True):
            return NEAR
        case Unsure():
            return max(NEAR, nearest - _BEFORE_ASKING)
        case _:
            return never


def _left_over(message: Message, said: str, scores: Mapping[str, float]) -> Sequence[str]:
    """The parts of a message that no tool is for and that a document is near to."""
    return [
        said[piece.start : piece.end].strip()
        for piece in message.pieces
        if piece.stance not in ("negated", "retracted")
        and not piece.sure
        and scores.get(piece.text, 0.0) >= _A_PART
    ]
