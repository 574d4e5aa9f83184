"""Something that is not as it was expected to be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One difference, for whoever mends it.

    Args:
        turn: the turn's number from 1; 0: the conversation as a whole.
        check: the expectation's or the check's name, as it stands in the file: "hears", "grounded".
        expected: what should have been.
        found: what was.
        at_ms: when, after the conversation began; None where there is no moment.
        place: where the expectation stands in the file, from the top: ``("turns", 0, "expect", "hears", 1)``.
    """

    turn: int
    check: str
    expected: str
    found: str
    at_ms: int | None = None
    place: tuple[str | int, ...] = ()
