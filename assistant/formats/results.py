"""How a call ended, in words for a model."""

from typing import assert_never

from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
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

_LONGEST_CLAUSE = 200


def result_text(outcome: Standing) -> str:
    """What stands where the model looks for the result.

    Data is JSON; what is missing begins with "Error: ". Only a call that worked may read as "found nothing".

    >>> from assistant.conversation.calls import Call
    >>> result_text(CallEmpty(call=Call(id="c1.1", tool="get_open_invoices"), value=[]))
    '[] (it worked; nothing was found)'
    """
    match outcome:
        case CallSucceeded(value=value, left_out=left_out, full_ref=ref) if ref:
            missing = (
                f"[came with it, and does not stand here: {_on_one_line(clause)}]" for clause in left_out
            )
            whole = f"[shortened; the whole result: {LOAD_IN_FULL} with ref {ref}]"
            return "\n".join([json_text(value), *missing, whole])
        case CallSucceeded(value=value, left_out=left_out):
            missing = (f"[left out, so that nobody sees it: {_on_one_line(clause)}]" for clause in left_out)
            return "\n".join([json_text(value), *missing])
        case CallEmpty(value=value):
            return f"{json_text(value)} (it worked; nothing was found)"
        case CallFailed(for_model=for_model):
            return f"Error: {for_model}"
        case CallAwaitingConfirmation():
            return "Not run yet. The customer is asked to confirm it, and it runs if they say yes."
        case CallDenied(for_model=for_model):
            return f"Error: not allowed, so not run: {for_model}"
        case CallTimedOut(after_s=after_s):
            return f"Error: no result within {after_s:g} s; whether there is one is not known"
        case CallCancelled(same_as=same_as) if same_as:
            return "The same call was made before in this turn; its result stands with that call."
        case CallCancelled(why=why):
            return f"Error: cancelled before it had a result: {why}"
        case CallPending():
            return "Error: no result yet: it is still running, and its result will be told when it comes"
        case CallUnknown():
            return "Error: it was started, and whether it took effect is not known"
        case _:
            assert_never(outcome)


def is_error(outcome: Standing) -> bool:
    """Whether a model must know that there is no result. An open question or a duplicate call is no mistake."""
    match outcome:
        case CallSucceeded() | CallEmpty() | CallAwaitingConfirmation():
            return False
        case CallCancelled(same_as=same_as):
            return not same_as
        case CallFailed() | CallDenied() | CallTimedOut() | CallPending() | CallUnknown():
            return True
        case _:
            assert_never(outcome)


def _on_one_line(clause: str) -> str:
    """A clause in which a file's name may stand, whoever chose it, with nothing in it that could end a note."""
    return " ".join(clause.replace("[", "(").replace("]", ")").split())[:_LONGEST_CLAUSE]
