"""What happened while a turn was under way, each at its time after the customer's message."""

from collections.abc import Iterator, Sequence

from assistant.conversation.entries import Logged
from assistant.replay.cassette import Event
from assistant.replay.record.absences import Absence, absences_in
from assistant.replay.record.people import people_events, taken_over
from assistant.replay.record.restarts import Restart
from assistant.replay.record.spoken import Spoken, speaks_over


def events_of(
    turn: Spoken, next_: Spoken | None, entries: Sequence[Logged], restarts: Sequence[Restart]
) -> tuple[Event, ...]:
    """The stop, the cut lines and the restarts of one turn, and what people did up to the next message.

    A stop by which the customer spoke over the answer stands with the message that did.
    """
    found = [] if taken_over(turn, entries) else [*_stops(turn, next_)]
    found += [*people_events(turn, next_, entries), *_cuts(turn, absences_in(entries), restarts)]
    found += [
        Event(happens="restart", at_ms=max(0, restart.at_ms - turn.at_ms))
        for restart in restarts
        if restart.turn_id == turn.turn_id
    ]
    return tuple(sorted(found, key=lambda event: event.at_ms or 0))


def _stops(turn: Spoken, next_: Spoken | None) -> Iterator[Event]:
    if turn.interrupted and turn.ended_ms is not None and not (next_ and speaks_over(turn, next_)):
        yield Event(happens="stop", at_ms=turn.ended_ms - turn.at_ms)


def _cuts(turn: Spoken, absences: Sequence[Absence], restarts: Sequence[Restart]) -> Iterator[Event]:
    """Lines that were cut while the turn ran; the lines of a server that ended went with it."""
    if not turn.turn_id:
        return
    for absence in absences:
        back_ms = absence.until_ms or turn.ended_ms or absence.at_ms
        by_restart = any(absence.at_ms - 1 <= restart.at_ms <= back_ms + 1 for restart in restarts)
        if turn.at_ms <= absence.at_ms < (turn.ended_ms or absence.at_ms + 1) and not by_restart:
            yield Event(
                happens="disconnect", at_ms=absence.at_ms - turn.at_ms, for_ms=back_ms - absence.at_ms
            )
