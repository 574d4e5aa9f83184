"""What a call says of the customer: who they are, where a tool finds that out."""

from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.conversation.values import JsonObject
from assistant.errors import ToolError
from assistant.tooling.result import ToolResult
from assistant.tooling.running.attempts import Came, may_pass
from assistant.tooling.running.outcome import found
from assistant.tooling.written import Unkeepable, write_down

_NO_MATCH = "I can't confirm who you are with what you gave me"
_NO_MATCH_FOR_MODEL = "It does not match. Nobody may know what of it does not; ask for all of it once more."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a call ended, and what it says of the customer beside that.

    ``matched`` is whether they are who they say they are; None when the call did not find that out.
    ``identified`` is the company's customer that they turned out to be.
    """

    outcome: Outcome
    matched: bool | None = None
    identified: Customer | None = None


def identity_tried(call: Call, came: Came, key: str) -> Ran | None:
    """What a tool that ``identifies`` found out; None when it came to nothing that says anything.

    Whatever was wrong, its words are the same: who guesses must not learn which part was right.
    """
    if not isinstance(came, ToolResult):
        refused = isinstance(came.error, ToolError) and not may_pass(came)
        return not_matched(call) if refused else None
    if came.identified is None:
        return not_matched(call)
    try:
        write_down(came.identified.id)
        outcome = found(call, ToolResult(_told(came.identified)), key)
    except Unkeepable:
        return not_matched(call)
    return Ran(outcome=outcome, matched=True, identified=came.identified)


def identified(call: Call, customer: Customer) -> CallSucceeded:
    """The end of a call that has found out who this customer is."""
    return CallSucceeded(call=call, value=_told(customer))


def not_matched(call: Call) -> Ran:
    """A try that did not match."""
    failed = CallFailed(call=call, say=_NO_MATCH, for_model=_NO_MATCH_FOR_MODEL)
    return Ran(outcome=failed, matched=False)


def _told(customer: Customer) -> JsonObject:
    """What models are told of it: never the company's number for them."""
    return {"verified": True, "name": customer.name}


def customer_of(result: object) -> Customer | None:
    """The customer that an identifying function gave. Raises ``TypeError`` for anything but one, or None."""
    if result is None or (isinstance(result, Customer) and isinstance(result.id, str) and result.id):
        return result
    raise TypeError(
        f"a tool that identifies gives a Customer with an id, or None, not a {type(result).__name__}"
    )
