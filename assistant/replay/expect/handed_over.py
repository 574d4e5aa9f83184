"""``handoff``: how a conversation goes to a person and comes back."""

from collections.abc import Iterator

from assistant.conversation.entries import CustomerSaid, Handoff, HandoffState
from assistant.replay.complaint import Complaint
from assistant.replay.expect.part import Part
from assistant.replay.expect.phrases import listed


def handed_over(part: Part) -> Iterator[Complaint]:
    """Complain where a request for a person went otherwise, from this message to the next."""
    wanted = part.expect.handoff
    if wanted is None:
        return
    found = [state for number, state in _states(part) if part.number in (0, number)]
    if found != list(wanted):
        yield part.complaint(
            "handoff", expected=listed(wanted, "no handoff"), found=listed(found, "no handoff")
        )


def _states(part: Part) -> Iterator[tuple[int, HandoffState]]:
    """Each state, with the number of the message that was the newest."""
    number = 0
    for logged in part.held.played.entries:
        match logged.entry:
            case CustomerSaid(client_message_id=id_):
                number = int(id_[1:])
            case Handoff(state=state):
                yield number, state
            case _:
                pass
