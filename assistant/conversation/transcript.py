"""The transcript: each message with its speaker and kind, and how far it was delivered.

Customers, widgets and agents read the transcript.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.conversation.entries import CustomerMessage
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import AssistantMessage, is_heard_out
from assistant.conversation.values import MessageKind
from assistant.conversation.views import HandoffMessage, with_files


@dataclass(frozen=True, slots=True)
class MessageDelivery:
    """Numbers of characters of one message.

    ``generated`` is the number in the log, ``sent`` the number that was sent to a client, ``seen`` the number
    that was visible to the customer, and ``heard`` the number that the customer heard. ``heard`` is None if
    the message is not spoken.
    """

    generated: int
    sent: int
    seen: int
    heard: int | None = None


def message_deliveries(state: ConversationState) -> dict[str, MessageDelivery]:
    """Returns how far each message was delivered, by its id, in order. No side effects.

    A completed message counts as sent, because each client gets it, now or when it connects. Of a message
    that was cut off or is unfinished, only the part counts that is known to be sent.
    """
    messages = (message for turn in state.turns for message in turn.messages)
    return {message.id: _reach(message) for message in messages if not message.withheld}


def delivered_text(message: AssistantMessage) -> str:
    """Returns the part of a message that the customer can have read, or has heard if it is spoken.

    Written text counts as read, even if it was cut off or no client was connected, because a client gets it
    when it reconnects.
    """
    return message.text if is_heard_out(message) else message.text[: message.heard]


def _reach(message: AssistantMessage) -> MessageDelivery:
    generated = len(message.text)
    whole = message.kind is not None and not message.interrupted
    sent = generated if whole else max(message.sent, message.seen)
    return MessageDelivery(generated, sent, message.seen, message.heard)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One message of the transcript. ``kind`` is None for messages of the customer or an agent, and for an
    open one.

    ``name`` is the agent's name. ``interrupted`` is True if it was cut off, or not heard to its end.
    """

    message_id: str
    speaker: Literal["customer", "assistant", "person"]
    text: str
    name: str = ""
    kind: MessageKind | None = None
    interrupted: bool = False


def transcript(state: ConversationState) -> tuple[TranscriptLine, ...]:
    """Returns all messages in order; messages that wait for their turn come last. No side effects.

    Spoken text is included up to the heard position.
    """
    lines: list[TranscriptLine] = []
    for turn in state.turns:
        lines.extend(_remarks(turn.before))
        if not turn.unasked:
            lines.append(_customers(turn.message))
        lines.extend(
            TranscriptLine(
                message_id=message.id,
                speaker="assistant",
                text=delivered_text(message),
                kind=message.kind,
                interrupted=message.interrupted or not is_heard_out(message),
            )
            for message in turn.messages
            if message.heard != 0 and not message.withheld
        )
    lines.extend(_remarks(state.remarks))
    lines.extend(_customers(said) for said in state.waiting)
    return tuple(lines)


def _customers(said: CustomerMessage) -> TranscriptLine:
    """Returns the customer's text, followed by the names of its files."""
    text = with_files(said.text, said.attachments)
    return TranscriptLine(message_id=said.message_id, speaker="customer", text=text)


def _remarks(remarks: Iterable[HandoffMessage]) -> Iterator[TranscriptLine]:
    for one in remarks:
        if one.for_assistant:
            continue
        speaker = "person" if one.name else "customer"
        text = with_files(one.text, one.attachments)
        yield TranscriptLine(message_id=one.message_id, speaker=speaker, text=text, name=one.name)
