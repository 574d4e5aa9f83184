"""What all logs do the same way: which entries a conversation accepts next, and whether it is unfinished."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assistant.conversation.entries import (
    CustomerMessage,
    ForwardedToAgent,
    Handoff,
    Logged,
    TurnEnded,
    TurnStarted,
)
from assistant.errors import AlreadySaid, LogConflict


def check_numbering(entries: Sequence[Logged], last: int) -> None:
    """Make sure that these entries go on from number ``last`` without a gap.

    Raises:
        LogConflict: a number is taken, or one is left out.
    """
    for expected, logged in enumerate(entries, last + 1):
        if logged.seq != expected:
            raise LogConflict(f"entry {logged.seq} does not follow: the next number is {expected}")


def client_message_ids(entries: Sequence[Logged]) -> set[str]:
    """The ids that clients gave to the customer's messages among these entries.

    Raises:
        AlreadySaid: one of them comes twice.
    """
    said: set[str] = set()
    for logged in entries:
        if isinstance(logged.entry, CustomerMessage):
            message = logged.entry.client_message_id
            if message in said:
                raise already_said(message)
            said.add(message)
    return said


def already_said(message: str) -> AlreadySaid:
    """The refusal of a client's message id that is taken."""
    return AlreadySaid(f"client message {message!r} stands in this conversation already")


@dataclass(frozen=True, slots=True)
class Progress:
    """What a log remembers of a conversation so as to find the unfinished ones without reading them.

    ``open_turn`` is the last turn's id while it has no end, ``waiting`` the last customer message's id
    while no turn has begun for it and no person has it, ``handoff`` the id of the newest request for a person
    until the assistant speaks again; "" for none.
    """

    open_turn: str = ""
    waiting: str = ""
    handoff: str = ""

    @property
    def unfinished(self) -> bool:
        """Whether the assistant, or a person, still has to answer."""
        return bool(self.open_turn or self.waiting or self.handoff)


def changes_progress(entries: Iterable[Logged]) -> bool:
    """Whether any of these entries can change a conversation's progress. Most cannot."""
    return any(
        isinstance(logged.entry, (CustomerMessage, TurnStarted, TurnEnded, Handoff, ForwardedToAgent))
        for logged in entries
    )


def progress_after(progress: Progress, entries: Iterable[Logged]) -> Progress:
    """Go on from ``progress`` by these entries, in their order."""
    open_turn, waiting, handoff = progress.open_turn, progress.waiting, progress.handoff
    for logged in entries:
        match logged.entry:
            case CustomerMessage(message_id=message):
                waiting = message
            case TurnStarted(turn_id=turn, message_id=message):
                open_turn = turn
                waiting = "" if message == waiting else waiting
            case ForwardedToAgent(message_id=message):
                waiting = "" if message == waiting else waiting
            case Handoff(handoff_id=handoff_id, state=state):
                handoff = "" if state == "ended" else handoff_id
            case TurnEnded(turn_id=turn):
                open_turn = "" if turn == open_turn else open_turn
            case _:
                pass
    return Progress(open_turn, waiting, handoff)
