"""The customer's messages in a log, each with the turn that answered it."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.entries import CustomerSaid, Logged, TurnEnded, TurnStarted

BARGE_IN_MS = 100
"""Whoever stops an answer and has the next message there so soon did both at once: they spoke over it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A message, and its turn: "" while it waits for one. ``ended_ms`` is None where the turn has not ended.

    Times are Unix times in ms.
    """

    said: CustomerSaid
    at_ms: int
    turn_id: str = ""
    ended_ms: int | None = None
    interrupted: bool = False


def spoken_in(entries: Sequence[Logged]) -> list[Spoken]:
    """All messages of the log, in order."""
    turns = {
        logged.entry.message_id: logged.entry.turn_id
        for logged in entries
        if isinstance(logged.entry, TurnStarted) and logged.entry.cause not in ("late_result", "handoff")
    }
    ends = {
        logged.entry.turn_id: (logged.at_ms, logged.entry.how)
        for logged in entries
        if isinstance(logged.entry, TurnEnded)
    }
    found: list[Spoken] = []
    for logged in entries:
        if isinstance(said := logged.entry, CustomerSaid):
            turn_id = turns.get(said.message_id, "")
            ended_ms, how = ends.get(turn_id, (None, None))
            found.append(
                Spoken(
                    said=said,
                    at_ms=logged.at_ms,
                    turn_id=turn_id,
                    ended_ms=ended_ms,
                    interrupted=how == "interrupted",
                )
            )
    return found


def speaks_over(before: Spoken, now: Spoken) -> bool:
    """Whether this message stopped the answer to the one before."""
    if not before.interrupted or before.ended_ms is None:
        return False
    return 0 <= now.at_ms - before.ended_ms <= BARGE_IN_MS
