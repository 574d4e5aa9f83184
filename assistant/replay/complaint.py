"""Something that is not as it was expected to be."""

from dataclasses import dataclass
from typing import TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Where something stands in a cassette's file, from the top: ``("turns", 0, "expect", "hears", 1)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One difference, for whoever mends it.

    Args:
        turn: the turn's number from 1; 0: the conversation as a whole.
        check: the expectation's or the check's name, as it stands in the file ("hears", "grounded"); or
            "script", "order" and "frames" for what is held to without being written down.
        expected: what should have been; it may have several lines.
        found: what was.
        at_ms: when, after the conversation began; None where there is no moment.
        seq: the entry of the log with which it began, where it is about a message, a call or an entry: two things
            may come in the same millisecond.
        place: where the expectation stands in the file; for a check that does not stand there, the turn.
    """

    turn: int
    check: str
    expected: str
    found: str
    at_ms: int | None = None
    seq: int | None = None
    place: Place = ()

    def __str__(self) -> str:
        """A line for logs; :func:`assistant.replay.expect.marked.marked` has the one for people."""
        where = f"turn {self.turn}" if self.turn else "the conversation"
        when = f" at {self.at_ms:,} ms" if self.at_ms is not None else ""
        return f"{where}{when}: {self.check}: expected {self.expected}; found {self.found}"
