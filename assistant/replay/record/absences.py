"""When nobody was there to see an answer: the line was cut, or the page closed."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.entries import Connected, CustomerSaid, Disconnected, Logged


@dataclass(frozen=True, slots=True)
class Absence:
    """Unix times in ms; ``until_ms`` is None for a client that has not come back."""

    at_ms: int
    until_ms: int | None


def absences_in(entries: Sequence[Logged]) -> list[Absence]:
    """All of them, in order. As long as one of several clients is there, nobody is away."""
    found: list[Absence] = []
    there = 0
    for logged in entries:
        match logged.entry:
            case Connected():
                there += 1
                if found and found[-1].until_ms is None:
                    found[-1] = Absence(found[-1].at_ms, logged.at_ms)
            case CustomerSaid():
                # Nobody speaks from nowhere: the first client comes to a conversation that has not begun.
                there = max(there, 1)
            case Disconnected():
                there = max(there - 1, 0)
                if there == 0:
                    found.append(Absence(logged.at_ms, None))
            case _:
                pass
    return found
