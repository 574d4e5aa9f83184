"""How a call is denied to somebody who is not known yet, and how to see that it was."""

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallDenied, Standing

_SAY = "I don't know yet who you are"


def not_known(call: Call, for_model: str) -> CallDenied:
    """The outcome of a call that needs a customer who is known; ``for_model`` says what would help.

    >>> is_not_known(not_known(Call(id="c1.1", tool="get_open_invoices"), ""))
    True
    """
    return CallDenied(call=call, say=_SAY, for_model=for_model)


def is_not_known(outcome: Standing) -> bool:
    """Whether a call was denied only because nobody knows yet who asks."""
    return isinstance(outcome, CallDenied) and outcome.say == _SAY
