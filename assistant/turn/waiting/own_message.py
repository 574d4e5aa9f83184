"""Which messages are the waiting voice's: their ids tell, for whoever looks for what was announced or answered."""

from assistant.conversation.turn_state import SaidMessage, TurnState


def next_id(turn: TurnState) -> str:
    """The id of the next message of the waiting voice: ``t3/w1``, and so on."""
    return f"{turn.id}/w{sum(map(is_own, turn.messages)) + 1}"


def is_own(message: SaidMessage) -> bool:
    """Whether the waiting voice said it: it announces nothing and answers nothing."""
    return message.id.rpartition("/")[2].startswith("w")
