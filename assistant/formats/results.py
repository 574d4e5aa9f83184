"""How a call ended, in words for a model."""

from typing import assert_never

from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Standing,
)
from assistant.formats.json_text import json_text


def result_text(outcome: Standing) -> str:
    """What stands where the model looks for the result.

    Data is JSON; what is not data begins with "Error: ". Only a call that worked may read as "found nothing".

    >>> from assistant.conversation.calls import Call
    >>> result_text(CallEmpty(call=Call(id="c1.1", tool="get_open_invoices"), value=[]))
    '[] (it worked; nothing was found)'
    """
    match outcome:
        case CallSucceeded(value=value):
            return json_text(value)
        case CallEmpty(value=value):
            return f"{json_text(value)} (it worked; nothing was found)"
        case CallFailed(for_model=for_model):
            return f"Error: {for_model}"
        case CallDenied(for_model=for_model):
            return f"Error: not allowed, so not run: {for_model}"
        case CallTimedOut(after_s=after_s):
            return f"Error: no result within {after_s:g} s; whether there is one is not known"
        case CallCancelled(same_as=same_as, why=why) if same_as:
            return f"Error: not run again: {why}"
        case CallCancelled(why=why):
            return f"Error: cancelled before it had a result: {why}"
        case CallPending():
            return "Error: no result yet: it is still running, and its result will be told when it comes"
        case CallUnknown():
            return "Error: it was started, and whether it took effect is not known"
        case _:
            assert_never(outcome)
