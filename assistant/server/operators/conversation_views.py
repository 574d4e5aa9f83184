"""How conversations look to operators: summaries, transcripts and changes, as frames."""

from collections.abc import Iterator, Sequence

from assistant.conversation.entries import AgentMessage, CustomerMessage, Handoff, Logged, MessageClosed
from assistant.server.attachments import (
    AddressOf,
    AttachmentService,
    AttachmentTracker,
    attachment_frames,
)
from assistant.server.frames.frame import JsonFrame
from assistant.server.operators.operator_frames import Summary
from assistant.server.projector import Projector, attachments_field, snapshot, spoken_field
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.session import Session

_ORDER = ("requested", "queued", "accepted", "unavailable", "ticket", None)


def summaries(handoffs: Sequence[SessionHandoff]) -> list[JsonFrame]:
    """Each conversation in short: those that wait first, then those that a person has, tickets, and the rest."""
    shown = sorted(
        (summary(each.session) for each in handoffs),
        key=lambda one: (_ORDER.index(one.state), one.asked_at or one.last_at),
    )
    return [one.model_dump() for one in shown]


def summary(session: Session) -> Summary:
    """One conversation in short."""
    handoff = session.state.handoff
    first = _first_of(session, handoff.handoff_id) if handoff is not None else None
    last = next(reversed(session.state.said.values()), None)
    return Summary(
        conversation_id=session.key.conversation,
        state=handoff.state if handoff else None,
        handoff_id=handoff.handoff_id if handoff else None,
        why=(first[1].why or None) if first else None,
        name=(handoff.name or None) if handoff else None,
        ticket=(handoff.ticket or None) if handoff else None,
        customer_name=session.customer.name,
        customer_level=session.customer.level,
        locale=last.locale if last else "en",
        asked_at=first[0] if first else None,
        last_at=session.entries[-1].at_ms if session.entries else 0,
        last_text=last.text if last else "",
    )


def _first_of(session: Session, handoff_id: str) -> tuple[int, Handoff] | None:
    """When the handoff began, and how."""
    for logged in session.entries:
        if isinstance(logged.entry, Handoff) and logged.entry.handoff_id == handoff_id:
            return logged.at_ms, logged.entry
    return None


def transcript(session: Session, attachments: AttachmentService | None = None) -> JsonFrame:
    """What was said, as a frame; ``attachments`` knows where the customer finds what tools gave."""
    shown = snapshot(session.entries, Projector(_no_hints, address_of=_address_of(session, attachments)))
    told: JsonFrame = {"type": "transcript", "conversation_id": session.key.conversation}
    return {**told, "messages": shown["messages"], "omitted": shown["omitted"]}


def change_frames(
    session: Session, batch: Sequence[Logged], attachments: AttachmentService | None = None
) -> Iterator[JsonFrame]:
    """The frames of what has just become durable in a conversation."""
    for logged in batch:
        message = _message(session, logged, _address_of(session, attachments))
        if message is not None:
            yield {"type": "message", "conversation_id": session.key.conversation, "message": message}
    if any(isinstance(logged.entry, Handoff) for logged in batch):
        yield {"type": "conversation", "conversation": summary(session).model_dump()}


def _no_hints(tool: str, locale: str) -> str:
    """Chips are for customers."""
    del tool, locale
    return ""


def _address_of(session: Session, attachments: AttachmentService | None) -> AddressOf | None:
    return attachments.address_of(session.key) if attachments is not None else None


def _message(session: Session, logged: Logged, address_of: AddressOf | None) -> JsonFrame | None:
    match logged.entry:
        case CustomerMessage(client_message_id=message_id, text=text) as entry:
            customers: JsonFrame = {"from": "customer", "message_id": message_id, "text": text}
            return {**customers, **spoken_field(entry), **attachments_field(entry), "at": logged.at_ms}
        case AgentMessage(message_id=message_id, name=name, text=text):
            return {
                "from": "person",
                "message_id": message_id,
                "name": name,
                "text": text,
                "at": logged.at_ms,
            }
        case MessageClosed(message_id=message_id, kind=kind, interrupted=interrupted):
            spoken = session.state.turn(logged.turn_id).message_said(message_id)
            heard: JsonFrame = {} if spoken.heard is None else {"heard": spoken.heard}
            said: JsonFrame = {"from": "assistant", "message_id": message_id, "turn_id": logged.turn_id}
            told: JsonFrame = {"kind": kind, "text": spoken.text, "interrupted": interrupted, "rating": None}
            return {**said, **told, **heard, **_attached(session, logged, address_of), "at": logged.at_ms}
        case _:
            return None


def _attached(session: Session, closed: Logged, address_of: AddressOf | None) -> JsonFrame:
    """What the customer was shown with the message that this entry completes."""
    if address_of is None:
        return {}
    following = AttachmentTracker()
    attached = [following.attached_by(logged) for logged in session.entries[: closed.seq]][-1]
    return {"attachments": attachment_frames(attached, address_of)} if attached else {}
