"""The transcript: what was said, by whom and as what. For customers, widgets and human agents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.conversation.interlude import Remark
from assistant.conversation.state import ConversationState
from assistant.conversation.values import MessageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of the transcript. ``kind`` is None for the customer's, a person's, and one still being said.

    ``name`` is the person's.
    """

    message_id: str
    speaker: Literal["customer", "assistant", "person"]
    text: str
    name: str = ""
    kind: MessageKind | None = None
    interrupted: bool = False


def transcript(state: ConversationState) -> tuple[Line, ...]:
    """Everything said, in order; messages that wait for their turn come last. Pure."""
    lines: list[Line] = []
    for turn in state.turns:
        lines.extend(_remarks(turn.before))
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
    lines.extend(_remarks(state.remarks))
    lines.extend(
        Line(message_id=said.message_id, speaker="customer", text=said.text) for said in state.waiting
    )
    return tuple(lines)


def _remarks(remarks: Iterable[Remark]) -> Iterator[Line]:
    for one in remarks:
        speaker = "person" if one.name else "customer"
        yield Line(message_id=one.message_id, speaker=speaker, text=one.text, name=one.name)
