"""Which turn a frame belongs to."""

from collections.abc import Iterator

from assistant.replay.expect.part import Part
from assistant.replay.played import Heard


def frames_in(part: Part) -> Iterator[Heard]:
    """The frames of a turn: those of its entries, and what else came between its message and the next.

    All of them where the part is the whole conversation.
    """
    played = part.held.played
    if part.number == 0:
        yield from played.frames
        return
    turn_ids = {logged.seq: logged.turn_id for logged in played.entries if logged.turn_id}
    own_ids = {turn.state.id for turn in part.turns}
    said = {turn.number: turn.said_ms for turn in reversed(part.held.turns)} | dict(part.held.passed_on)
    until_ms = min((ms for number, ms in said.items() if number > part.number), default=None)
    for heard in played.frames:
        turn_id = turn_ids.get(_seq(heard))
        if turn_id is not None:
            own = turn_id in own_ids
        else:
            own = said[part.number] <= heard.at_ms and (until_ms is None or heard.at_ms < until_ms)
        if own:
            yield heard


def _seq(heard: Heard) -> int:
    seq = heard.frame.get("seq")
    # A welcome and a snapshot tell how far the log is; they are no entry's frame.
    durable = heard.frame["type"] not in {"welcome", "snapshot"}
    return seq if durable and isinstance(seq, int) else 0
