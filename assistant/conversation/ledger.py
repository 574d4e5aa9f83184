"""How far each of the assistant's messages got: generated, sent, seen or heard."""

from dataclasses import dataclass

from assistant.conversation.said_message import SaidMessage, is_heard_out
from assistant.conversation.state import ConversationState


@dataclass(frozen=True, slots=True)
class Reach:
    """Characters of one message.

    ``generated`` stands in the log, ``sent`` has gone to a client, ``seen`` was before the customer's eyes; so much
    was ``heard``, None for what is not spoken.
    """

    generated: int
    sent: int
    seen: int
    heard: int | None = None


def ledger(state: ConversationState) -> dict[str, Reach]:
    """Every message's reach, by its id, in their order. Pure.

    What was completed counts as sent: whoever is there gets it, and whoever comes later. Of what was cut off, and
    of what is still being said, only what is known to have gone out.
    """
    return {message.id: _reach(message) for turn in state.turns for message in turn.messages}


def readable(message: SaidMessage) -> str:
    """What of a message the customer can have read, or has heard where it is spoken.

    What is written, be it cut off or said while nobody was there, they can have read: it stands in the
    conversation that a client is given when it comes back.
    """
    return message.text if is_heard_out(message) else message.text[: message.heard]


def _reach(message: SaidMessage) -> Reach:
    generated = len(message.text)
    whole = message.kind is not None and not message.interrupted
    sent = generated if whole else max(message.sent, message.seen)
    return Reach(generated, sent, message.seen, message.heard)
