"""``told_once``: a result that an earlier turn did not tell is told later, and only once."""

from collections.abc import Iterator

from assistant.conversation.entries import CallRef, ResultsTold
from assistant.conversation.turn_state import is_heard_out
from assistant.replay.complaint import Complaint
from assistant.replay.expect.held import Held


def told_once(held: Held) -> Iterator[Complaint]:
    """Complain of each result that was told once more, though a message had told it to its end."""
    numbers = {turn.state.id: turn.number for turn in held.turns}
    tools = {(turn.state.id, one.call.id): one.call.tool for turn in held.turns for one in turn.calls}
    told: set[CallRef] = set()
    for logged in held.played.entries:
        if not isinstance(logged.entry, ResultsTold):
            continue
        for call in logged.entry.calls:
            if call in told:
                number = numbers.get(logged.turn_id, 0)
                yield Complaint(
                    turn=number,
                    check="told_once",
                    expected=f"the result of {tools.get(call, call[1])} is told once",
                    found="it was told again",
                    at_ms=logged.at_ms - held.played.began_ms,
                    seq=logged.seq,
                    place=("turns", number - 1) if number else (),
                )
        message = held.played.state.message(logged.entry.message_id)
        if message is not None and not message.interrupted and is_heard_out(message):
            told |= set(logged.entry.calls)
