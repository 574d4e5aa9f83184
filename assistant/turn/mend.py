"""Brings a turn to its end after a mistake of our own."""

from assistant.turn.apologise import apologise
from assistant.turn.finish import cancel_waiting, finish, finish_interrupted
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.remember import remember
from assistant.turn.running_turn import RunningTurn

_FAILED = "something went wrong before it ran"


async def mend(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Complete what is being said, apologise, and end the turn.

    Calls under way end by themselves; those that have not started will not. A turn that nobody asked for ends
    without a word: nobody would know what the apology is for, and what it had to tell is told with the next answer.
    """
    if turn.state.unasked:
        await finish_interrupted(turn, parts, record)
        return
    open_rounds = [round_.number for round_ in turn.state.rounds if round_.closed is None]
    number = open_rounds[0] if open_rounds else len(turn.state.rounds) + 1
    await apologise(turn, Hearing(turn, number, parts, record), "decision_failed", parts, record)
    await cancel_waiting(turn.state, _FAILED, record)
    await remember(turn, record)
    await finish(turn, parts, record)
