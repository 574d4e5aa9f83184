"""One message of the assistant, as its entries have told so far."""

from dataclasses import dataclass

from assistant.conversation.values import MessageKind


@dataclass(slots=True, kw_only=True)
class SaidMessage:
    """One message of the assistant. ``kind`` is None while it is open.

    ``sent`` and ``seen`` are how many of its characters are known to have gone to a client, and to have been before
    the customer's eyes. ``heard`` is how many the customer has been told aloud; None for what is not spoken: then
    they read it.
    """

    id: str
    round: int
    text: str = ""
    kind: MessageKind | None = None
    call_ids: tuple[str, ...] = ()
    interrupted: bool = False
    own_words: bool = False
    sent: int = 0
    seen: int = 0
    heard: int | None = None


def is_heard_out(message: SaidMessage) -> bool:
    """Whether nothing of it is left to be heard; nothing ever is of what is not spoken.

    A full stop, or the signs that make a word bold, make no sound.

    >>> said = SaidMessage(id="t1/m1", round=1, text="On **Tuesday**.", heard=12)
    >>> is_heard_out(said), is_heard_out(SaidMessage(id="t1/m2", round=1, text="Or not.", heard=0))
    (True, False)
    """
    return message.heard is None or not any(map(str.isalnum, message.text[message.heard :]))
