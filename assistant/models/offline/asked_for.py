"""Of all that a look-up found, what the customer asked for: "what time is my eye test?" wants one appointment."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.models.offline.decide import Message, read_message
from assistant.models.offline.exchanges import Exchange
from assistant.models.offline.things import items_of, pointed_at
from assistant.models.offline.understand import Nearest


def asked_for(exchange: Exchange, today: date, nearest: Nearest) -> tuple[Outcome, ...]:
    """The exchange's outcomes, in which a list holds only what the customer described, if anything was."""
    message = read_message(exchange.said, today, nearest)
    return tuple(_narrowed(outcome, message) for outcome in exchange.outcomes)


def _narrowed(outcome: Outcome, message: Message) -> Outcome:
    if not isinstance(outcome, CallSucceeded) or not _is_list(outcome.value):
        return outcome
    chosen = pointed_at(items_of(outcome.value), _words_about(outcome.call.tool, message), message.entities)
    return replace(outcome, value=chosen) if chosen else outcome


def _words_about(tool: str, message: Message) -> str:
    """The pieces of the message that asked for this look-up; all of it where none did."""
    own = [piece.text for piece in message.pieces if piece.best.spec and piece.best.spec.name == tool]
    return " ".join(own) or message.text


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
