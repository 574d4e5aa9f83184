"""``how``: the way in which a turn ends."""

from collections.abc import Iterator

from assistant.replay.complaint import Complaint
from assistant.replay.expect.part import Part


def how(part: Part) -> Iterator[Complaint]:
    """Complain of a turn that ended otherwise; of a conversation the last turn counts."""
    wanted = part.expect.how
    last = part.turns[-1] if part.turns else None
    ended = last.state.how if last is not None else None
    if last is None and part.number in part.held.passed_on:
        ended = "passed_on"
    if wanted is None or ended == wanted:
        return
    at_ms = last.ended_ms if last is not None else None
    yield part.complaint("how", expected=wanted, found=ended or "it has not ended", at_ms=at_ms)
