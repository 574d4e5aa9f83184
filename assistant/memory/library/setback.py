"""What becomes of a document that could not be written: tried again later, or given up."""

from dataclasses import dataclass

from assistant.errors import AssistantError, DocumentRefused

_FIRST_PAUSE_S = 10
_LONGEST_PAUSE_S = 600
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class Setback:
    """Why it failed, in words for whoever looks after the documents. ``pause_s``: None for never again."""

    problem: str
    pause_s: int | None


def setback(error: Exception, tries: int) -> Setback:
    """What an error means for a document that has failed so often before.

    A store or a model that is away is waited for, with pauses that grow to ten minutes. A document that cannot be
    written is given up: at once if it was refused, after five tries if nobody has thought of what happened.

    >>> setback(AssistantError("the store is away"), 2)
    Setback(problem='the store is away', pause_s=40)
    """
    if isinstance(error, AssistantError):
        pause_s = None if isinstance(error, DocumentRefused) else _pause_s(tries)
        return Setback(str(error), pause_s)
    # A stranger's words may quote the document.
    problem = f"writing it ended with {type(error).__name__}, which nobody expected"
    return Setback(problem, None if tries + 1 >= _MOST_TRIES else _pause_s(tries))


def _pause_s(tries: int) -> int:
    return min(_FIRST_PAUSE_S * 2 ** min(tries, 10), _LONGEST_PAUSE_S)
