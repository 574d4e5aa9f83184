"""The turn's one output."""

from typing import Protocol

from assistant.conversation.entries import Entry


class Record(Protocol):
    """Append an entry to the log; what is durable is published to the clients, in order.

    The turn's state knows the entry as soon as the call returns. Text that is recorded while an earlier
    append is under way is joined with its neighbours.
    """

    async def __call__(self, entry: Entry, *, durable: bool = False) -> None:
        """Record one entry; with ``durable`` return only when it would survive a crash.

        Raises ``LogError`` when this or an earlier entry could not be kept: then the turn must end.
        """
        ...
