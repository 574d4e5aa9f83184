"""``hushed``: while a person has the conversation, the assistant neither speaks nor does anything."""

from collections.abc import Iterator, Mapping

from assistant.conversation.entries import (
    CallStarted,
    CustomerSaid,
    Handoff,
    MessageOpened,
    MessageText,
    ModelAsked,
    TurnStarted,
)
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held

_DOES: Mapping[type[object], str] = {
    TurnStarted: "it began a turn",
    ModelAsked: "it asked a model",
    CallStarted: "it started a call",
    MessageOpened: "it began to speak",
    MessageText: "it went on speaking",
}


def hushed(held: Held) -> Iterator[Complaint]:
    """Complain of the first that the assistant does between a person's coming and the end of that, each time."""
    name, number = None, 0
    for logged in held.played.entries:
        match logged.entry:
            case CustomerSaid(client_message_id=id_):
                number = int(id_[1:])
            case Handoff(state="accepted", name=who):
                name = who
            case Handoff():
                name = None
            case entry if name is not None and type(entry) in _DOES:
                yield Complaint(
                    turn=number,
                    check="hushed",
                    expected=f"silence while {name} has the conversation",
                    found=_DOES[type(entry)],
                    at_ms=logged.at_ms - held.played.began_ms,
                    seq=logged.seq,
                    place=("turns", number - 1) if number else (),
                )
                name = None
            case _:
                pass
