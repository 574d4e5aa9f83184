"""Finds out which message of the assistant's a tool's pictures and files belong to."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.entries import (
    CallEnded,
    CallRef,
    Logged,
    MessageClosed,
    ResultsTold,
    TurnStarted,
)
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or file: which call gave it, and where it stands in the log."""

    call: CallRef
    seq: int
    index: int
    media: Media


class Attached:
    """Follows a conversation. Must be fed its entries from the first one, in order.

    What a call gave is attached to the first answer that is completed after it. What came so late that its turn
    had gone on without it waits for the message that tells of it, or for the next turn.
    """

    def __init__(self) -> None:
        self._due: list[Attachment] = []
        self._late: list[Attachment] = []

    def take(self, logged: Logged) -> tuple[Attachment, ...]:
        """What is attached to the message that this entry completes; nothing for any other entry."""
        match logged.entry:
            case CallEnded(outcome=CallSucceeded(call=call, media=media), late=late) if media:
                ref = logged.turn_id, call.id
                came = [Attachment(ref, logged.seq, index, one) for index, one in enumerate(media)]
                (self._late if late else self._due).extend(came)
            case ResultsTold(calls=calls):
                self._take_up(calls)
            case TurnStarted():
                self._take_up([one.call for one in self._late])
            case MessageClosed(kind="response"):
                due, self._due = self._due, []
                return _once(due)
            case _:
                pass
        return ()

    def _take_up(self, calls: Sequence[CallRef]) -> None:
        self._due += [one for one in self._late if one.call in calls]
        self._late = [one for one in self._late if one.call not in calls]


def _once(attachments: Sequence[Attachment]) -> tuple[Attachment, ...]:
    """The same, but what two calls gave alike is shown once."""
    return tuple({one.media: one for one in attachments}.values())
