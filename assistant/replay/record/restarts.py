"""When the server ended in the middle of a turn and started again, told from what it left undone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.conversation.entries import CallEnded, CallStarted, DecisionClosed, Logged, ModelAsked
from assistant.conversation.outcomes import CallUnknown
from assistant.replay.record.requests import Request
from assistant.replay.record.runs import found_out_later


@dataclass(frozen=True, slots=True)
class Restart:
    """A turn, and the Unix time in ms of the last that was heard of it before."""

    turn_id: str
    at_ms: int


def restarts_in(entries: Sequence[Logged], requests: Sequence[Request]) -> list[Restart]:
    """All of them, each once, in order.

    A model is asked again without having replied, or its calls are taken for all there are; a call begins
    twice; or nobody saw how one ended. How long the server was away cannot be told: in a replay it is back
    at once.
    """
    left = {(one.turn_id, one.asked.round, one.asked.attempt) for one in requests if one.given_up}
    found: list[Restart] = []
    explained = -1
    for began, place in _signs(entries, left):
        # What had begun before a restart that is known already was left undone by that one.
        if began > explained:
            found.append(_before(entries, place))
            explained = place
    return found


def _signs(entries: Sequence[Logged], left: set[tuple[str, int, int]]) -> Iterator[tuple[int, int]]:
    """Where something began that was left undone, and where that shows."""
    begun: dict[tuple[str, str], int] = {}
    abandoned: dict[tuple[str, int], int] = {}
    for place, logged in enumerate(entries):
        match logged.entry:
            case ModelAsked(round=round_, attempt=attempt):
                began = abandoned.pop((logged.turn_id, round_), None)
                if began is not None:
                    yield began, place
                if (logged.turn_id, round_, attempt) in left:
                    abandoned[logged.turn_id, round_] = place
            case DecisionClosed(round=round_, how="cut_off"):
                began = abandoned.pop((logged.turn_id, round_), None)
                if began is not None:
                    yield began, place
            case CallStarted(call_id=id_):
                if (logged.turn_id, id_) in begun:
                    yield begun[logged.turn_id, id_], place
                begun[logged.turn_id, id_] = place
            case CallEnded(outcome=CallUnknown(call=call)):
                yield begun.get((logged.turn_id, call.id), place), place
            case CallEnded(outcome=outcome) as ended if (
                began := begun.get((logged.turn_id, outcome.call.id))
            ) is not None and found_out_later(entries[began].at_ms, ended, logged.at_ms):
                yield began, place
            case _:
                pass


def _before(entries: Sequence[Logged], place: int) -> Restart:
    """Right after the last entry of the same turn."""
    turn_id = entries[place].turn_id
    last = next(logged for logged in reversed(entries[:place]) if logged.turn_id == turn_id)
    return Restart(turn_id, last.at_ms + 1)
