"""The transcript: what was said, by whom and as what. For customers, widgets and human agents."""

from dataclasses import dataclass
from typing import Literal

from assistant.conversation.state import ConversationState
from assistant.conversation.values import MessageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of the transcript. ``kind`` is None for the customer's, and for one still being said."""

    message_id: str
    speaker: Literal["customer", "assistant"]
    text: str
    kind: MessageKind | None = None
    interrupted: bool = False


def transcript(state: ConversationState) -> tuple[Line, ...]:
    """Everything said, in order; messages that wait for their turn come last. Pure."""
    lines: list[Line] = []
    for turn in state.turns:
        if not turn.unasked:
            lines.append(Line(message_id=turn.message.message_id, speaker="customer", text=turn.message.text))
        lines.extend(
            Line(
                message_id=message.id,
                speaker="assistant",
                text=message.text,
                kind=message.kind,
                interrupted=message.interrupted,
            )
            for message in turn.messages
        )
    lines.extend(
        Line(message_id=said.message_id, speaker="customer", text=said.text) for said in state.waiting
    )
    return tuple(lines)
