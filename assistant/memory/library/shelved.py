"""What there is to know of a document without reading it."""

from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeAlias

from assistant.conversation.documents import Listed, Waiting

State: TypeAlias = Literal["waiting", "kept", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved(Listed):
    """A document, and how far it has come.

    ``waiting``: it is kept, but not found by meaning yet; ``kept``: it is found; ``failed``: it never will be, and
    ``problem`` says why. One that waits may have a problem too, and is tried again. ``done`` of its ``passages``
    have vectors; both are 0 before its turn has come.
    """

    state: State = "kept"
    problem: str = ""
    done: int = 0


def kept(listed: Listed) -> Shelved:
    """A document that the store has."""
    return Shelved(**asdict(listed), done=listed.passages)


def on_the_way(waiting: Waiting, done: int, passages: int) -> Shelved:
    """A document that the queue has."""
    state: State = "failed" if waiting.due_ms is None else "waiting"
    listed = replace(waiting.listed, passages=passages)
    return Shelved(**asdict(listed), state=state, problem=waiting.problem, done=done)
