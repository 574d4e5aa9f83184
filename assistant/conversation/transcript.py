"""The transcript: what was said, by whom and as what, and how far each message got.

Customers, widgets and human agents read the transcript.
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
    """Characters of one message.

    ``generated`` stands in the log, ``sent`` has gone to a client, ``seen`` was before the customer's eyes; so much
    was ``heard``, None for what is not spoken.
    """

    generated: int
    sent: int
    seen: int
    heard: int | None = None


def message_deliveries(state: ConversationState) -> dict[str, MessageDelivery]:
    """Every message's reach, by its id, in their order. Pure.

    A completed message counts as sent: every client gets it, now or when it connects. Of a message that was cut
    off or is still being said, only the part counts that is known to have been sent.
    """
    return {message.id: _reach(message) for turn in state.turns for message in turn.messages}


def delivered_text(message: AssistantMessage) -> str:
    """What of a message the customer can have read, or has heard where it is spoken.

    Written text counts as read, even if it was cut off or no client was connected: a client gets it when it
    comes back.
    """
    return message.text if is_heard_out(message) else message.text[: message.heard]


def _reach(message: AssistantMessage) -> MessageDelivery:
    generated = len(message.text)
    whole = message.kind is not None and not message.interrupted
    sent = generated if whole else max(message.sent, message.seen)
    return MessageDelivery(generated, sent, message.seen, message.heard)


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """One message of the transcript. ``kind`` is None for the customer's, a person's, and one still being said.

    ``name`` is the person's. ``interrupted``: it was cut off, or not heard out.
    """

    message_id: str
    speaker: Literal["customer", "assistant", "person"]
    text: str
    name: str = ""
    kind: MessageKind | None = None
    interrupted: bool = False


def transcript(state: ConversationState) -> tuple[TranscriptLine, ...]:
    """Everything said, in order; messages that wait for their turn come last. Pure.

    What is spoken stands there as far as it was heard.
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
            if message.heard != 0
        )
    lines.extend(_remarks(state.remarks))
    lines.extend(_customers(said) for said in state.waiting)
    return tuple(lines)


def _customers(said: CustomerMessage) -> TranscriptLine:
    """What the customer said; the files that came with it are named below."""
    text = with_files(said.text, said.attachments)
    return TranscriptLine(message_id=said.message_id, speaker="customer", text=text)


def _remarks(remarks: Iterable[HandoffMessage]) -> Iterator[TranscriptLine]:
    for one in remarks:
        speaker = "person" if one.name else "customer"
        text = with_files(one.text, one.attachments)
        yield TranscriptLine(message_id=one.message_id, speaker=speaker, text=text, name=one.name)
