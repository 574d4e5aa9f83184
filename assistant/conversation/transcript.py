"""The transcript: what was said, by whom and as what. For customers, widgets and human agents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.conversation.attached import with_files
from assistant.conversation.entries import CustomerSaid
from assistant.conversation.interlude import Remark
from assistant.conversation.ledger import readable
from assistant.conversation.said_message import is_heard_out
from assistant.conversation.state import ConversationState
from assistant.conversation.values import MessageKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message of the transcript. ``kind`` is None for the customer's, a person's, and one still being said.

    ``name`` is the person's. ``interrupted``: it was cut off, or not heard out.
    """

    message_id: str
    speaker: Literal["customer", "assistant", "person"]
    text: str
    name: str = ""
    kind: MessageKind | None = None
    interrupted: bool = False


def transcript(state: ConversationState) -> tuple[Line, ...]:
    """Everything said, in order; messages that wait for their turn come last. Pure.

    What is spoken stands there as far as it was heard.
    """
    lines: list[Line] = []
    for turn in state.turns:
        lines.extend(_remarks(turn.before))
        if not turn.unasked:
            lines.append(_customers(turn.message))
        lines.extend(
            Line(
                message_id=message.id,
                speaker="assistant",
                text=readable(message),
                kind=message.kind,
                interrupted=message.interrupted or not is_heard_out(message),
            )
            for message in turn.messages
            if message.heard != 0
        )
    lines.extend(_remarks(state.remarks))
    lines.extend(_customers(said) for said in state.waiting)
    return tuple(lines)


def _customers(said: CustomerSaid) -> Line:
    """What the customer said; the files that came with it are named below."""
    text = with_files(said.text, said.attachments)
    return Line(message_id=said.message_id, speaker="customer", text=text)


def _remarks(remarks: Iterable[Remark]) -> Iterator[Line]:
    for one in remarks:
        speaker = "person" if one.name else "customer"
        text = with_files(one.text, one.attachments)
        yield Line(message_id=one.message_id, speaker=speaker, text=text, name=one.name)
