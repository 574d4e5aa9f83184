"""Which entries a conversation accepts next, the same for every log."""

from collections.abc import Sequence

from assistant.conversation.entries import CustomerSaid, Logged
from assistant.errors import AlreadySaid, LogConflict


def follow_on(entries: Sequence[Logged], last: int) -> None:
    """Make sure that these entries go on from number ``last`` without a gap.

    Raises:
        LogConflict: a number is taken, or one is left out.
    """
    for expected, logged in enumerate(entries, last + 1):
        if logged.seq != expected:
            raise LogConflict(f"entry {logged.seq} does not follow: the next number is {expected}")


def said_in(entries: Sequence[Logged]) -> set[str]:
    """The ids that clients gave to the customer's messages among these entries.

    Raises:
        AlreadySaid: one of them comes twice.
    """
    said: set[str] = set()
    for logged in entries:
        if isinstance(logged.entry, CustomerSaid):
            message = logged.entry.client_message_id
            if message in said:
                raise said_already(message)
            said.add(message)
    return said


def said_already(message: str) -> AlreadySaid:
    """The refusal of a client's message id that is taken."""
    return AlreadySaid(f"client message {message!r} stands in this conversation already")
