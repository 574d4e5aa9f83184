"""One decision of a turn."""

from dataclasses import dataclass, field

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.entries import DecisionClosed


@dataclass(slots=True, kw_only=True)
class Round:
    """One decision: how often a model was asked for it, its calls so far, and whether it is final.

    ``error`` is how the last request failed, if it did. ``knew``: the calls that had their outcomes when it was
    sent. ``opaque`` is what the last reply wants back as a whole.
    """

    number: int
    attempts: int = 0
    error: str | None = None
    knew: frozenset[str] = frozenset()
    opaque: tuple[Opaque, ...] = ()
    calls: list[Call] = field(default_factory=list[Call])
    closed: DecisionClosed | None = None
