"""Whether the customer knew what they answer when they spoke."""

from assistant.conversation.entries import ConfirmationAsked
from assistant.conversation.turn_state import TurnState
from assistant.turn.running_turn import RunningTurn


def was_heard(question: ConfirmationAsked, turn: RunningTurn) -> bool:
    """Whether the turn's message can agree to the question, which was open when it began.

    What is written can, and a button on the screen: the question stands there. What is said aloud, or keyed in on a
    phone, can when it was said after the question was asked, and the question was heard to its end. One that is not
    spoken was read.
    """
    said, placed = turn.state.message, turn.conversation.placed
    if not said.spoken:
        return True
    if placed[said.message_id] < placed[question.confirmation_id]:
        return False
    return _is_known(next(earlier for earlier in turn.earlier if earlier.asked is question))


def _is_known(asking: TurnState) -> bool:
    """Whether the read-back of this turn, the last thing said in it, was heard out or else read."""
    read_back = asking.messages[-1]
    if read_back.heard is None:
        # Where what was said before it is spoken, it is going to be, too.
        return all(message.heard is None for message in asking.messages)
    return read_back.heard >= len(read_back.text.rstrip())
