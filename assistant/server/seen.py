"""Reads a client's cursor as what the customer saw: which message, how far."""

from collections.abc import Sequence

from assistant.conversation.entries import Logged, MessageClosed, MessageOpened, MessageText


def seen(entries: Sequence[Logged], seq: int) -> tuple[str, int] | None:
    """The newest message at entry ``seq``, and how many characters of it there were by then.

    None where the assistant had said nothing.
    """
    message_id, up_to = None, 0
    for logged in reversed(entries[:seq]):
        match logged.entry:
            case MessageText(message_id=said, text=text) if message_id in {None, said}:
                message_id, up_to = said, up_to + len(text)
            case MessageOpened(message_id=said) if message_id in {None, said}:
                return said, up_to
            case MessageClosed(message_id=said) if message_id is None:
                message_id = said
            case _:
                pass
    return None
