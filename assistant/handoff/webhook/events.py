"""What the desk is told of a conversation: a pure function of its log."""

from collections.abc import Iterator, Sequence

from assistant.conversation.attached import with_files
from assistant.conversation.entries import CustomerSaid, Handoff, Logged, PassedOn
from assistant.conversation.people import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import Line, transcript
from assistant.conversation.values import Json

Event = dict[str, Json]


def events(key: ConversationKey, entries: Sequence[Logged], after: int) -> Iterator[tuple[int, Event]]:
    """The events of the entries with a number above ``after``, each with that number.

    The request itself is not among them: it wants an answer, and is made by :func:`requested`.
    """
    said: dict[str, CustomerSaid] = {}
    for place, logged in enumerate(entries):
        entry = logged.entry
        if isinstance(entry, CustomerSaid):
            said[entry.message_id] = entry
        if logged.seq <= after:
            continue
        match entry:
            case PassedOn(message_id=message_id, handoff_id=handoff_id):
                message: Event = {
                    "id": message_id,
                    "text": with_files(said[message_id].text, said[message_id].attachments),
                }
                yield logged.seq, _event("message.created", key, logged, handoff_id, message=message)
            case Handoff(state="ticket", handoff_id=handoff_id, why=why, ticket=ticket):
                lines = transcript(ConversationState(entries[:place]))
                told: Event = {"why": why, "ticket": ticket, "transcript": _told(lines)}
                yield logged.seq, _event("handoff.ticket", key, logged, handoff_id, **told)
            case Handoff(state="accepted" | "ended" as state, handoff_id=handoff_id, name=name):
                yield logged.seq, _event(f"handoff.{state}", key, logged, handoff_id, name=name)
            case _:
                pass


def requested(key: ConversationKey, entries: Sequence[Logged], handoff_id: str, customer: Event) -> Event:
    """The event of a request that stands in these entries."""
    for place, logged in enumerate(entries):
        entry = logged.entry
        if isinstance(entry, Handoff) and (entry.handoff_id, entry.state) == (handoff_id, "requested"):
            lines = transcript(ConversationState(entries[:place]))
            told: Event = {"why": entry.why, "customer": customer, "transcript": _told(lines)}
            return _event("handoff.requested", key, logged, handoff_id, **told)
    raise KeyError(handoff_id)


def _event(kind: str, key: ConversationKey, logged: Logged, handoff_id: str, **told: Json) -> Event:
    place: Event = {"conversation_id": key.conversation, "handoff_id": handoff_id, "at": logged.at_ms}
    return {"event": kind, "event_id": f"{key.conversation}/{logged.seq}", **place, **told}


def _told(lines: Sequence[Line]) -> list[Json]:
    return [{"from": line.speaker, "name": line.name or None, "text": line.text} for line in lines]
