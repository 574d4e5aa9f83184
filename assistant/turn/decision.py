"""What a round decided: calls to run, or none when the customer has been answered."""

from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.conversation.turn_state import Round


@dataclass(frozen=True, slots=True)
class Decision:
    """The calls of one round; none: the turn has its answer."""

    round: int
    calls: tuple[Call, ...] = ()


def decided(round_: Round) -> Decision:
    """The decision of a round that the log has closed."""
    return Decision(round_.number, tuple(round_.calls))


NOTHING_ASKED = Decision(0)
"""Stands for the decision of a turn that answers no message."""
