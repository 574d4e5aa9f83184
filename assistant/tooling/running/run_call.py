"""Runs one call, and turns whatever happens into its outcome: the wall around the CRM teams' code."""

from assistant.conversation.calls import NOT_JSON, TOO_MANY, Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallDenied, CallFailed, Outcome, not_known
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments, TooManyCalls
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.tooling.context import ToolContext
from assistant.tooling.registry import Tools
from assistant.tooling.running.attempts import Raised, caught
from assistant.tooling.running.carry_out import carry_out
from assistant.tooling.running.gate import Gates
from assistant.tooling.running.outcome import UNEXPECTED, failed, is_nothing, no_credential
from assistant.tooling.running.ready import Ready
from assistant.tooling.running.within import within

__all__ = ["Ready", "is_nothing", "prepare", "read_back", "run_call"]


def prepare(call: Call, tools: Tools, customer: Customer) -> Ready | Outcome:
    """Check a call before it runs. Never raises: what is wrong is an outcome that a model can correct."""
    try:
        tool = tools.get(call.tool)
        arguments = tool.validate(_readable(call))
    except Exception as error:
        # Types of the team's own check arguments with code of their own.
        return failed(call, error, call.id, 0.0)
    if not customer.is_at_least(tool.spec.requires):
        return _not_known_enough(call, tool.spec, tools)
    if tool.spec.role == "identifies" and customer.known:
        told = f"The customer is known already; go on without {call.tool!r}."
        return CallDenied(call=call, say="I know already who you are", for_model=told)
    if tool.spec.credential and customer.credential is None:
        return no_credential(call)
    return Ready(call=call, tool=tool, arguments=arguments)


def _readable(call: Call) -> JsonObject:
    if NOT_JSON in call.arguments:
        raise BadArguments(call.tool, [f"not a JSON object: {call.arguments[NOT_JSON]!r}"])
    if TOO_MANY in call.arguments:
        raise TooManyCalls(str(call.arguments[TOO_MANY]))
    return call.arguments


async def run_call(
    ready: Ready,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: Gates | None = None,
) -> Outcome:
    """Run one call to its outcome. Raises nothing but ``CancelledError``.

    A tool that fails costs the customer that one answer and no other. ``gates`` are those of the process;
    without them this call goes alone.
    """
    ran = await carry_out(
        ready,
        customer=customer,
        context=context,
        timeout_s=timeout_s,
        clock=clock,
        gates=gates or Gates(clock),
    )
    return ran.outcome


async def read_back(
    ready: Ready, customer: Customer, book: PromptBook, clock: Clock | None = None
) -> str | CallFailed | None:
    """The tool's own clause for what the call would do; None when it has none, an outcome when it cannot.

    With a ``clock`` it may take as long as the call itself.
    """
    call, spec = ready.call, ready.tool.spec
    asked = caught(ready.tool.read_back(ready.arguments, customer=customer, book=book))
    if clock is None:
        came = await asked
    else:
        try:
            came = await within(spec.timeout_s, asked, clock, too_late=lambda _: None)
        except TimeoutError as error:
            came = Raised(error)
    if not isinstance(came, Raised):
        return came
    outcome = failed(call, came.error, call.id, spec.timeout_s)
    if isinstance(outcome, CallFailed):
        return outcome
    return CallFailed(call=call, say=UNEXPECTED, for_model="The wording of its question took too long.")


def _not_known_enough(call: Call, spec: ToolSpec, tools: Tools) -> CallDenied:
    """Why it is denied, and what would help: to sign in, or to be verified here where some tool can do that."""
    if spec.requires == "signed_in":
        told = f"{call.tool!r} needs a customer who has signed in; what they say here is not enough."
        return CallDenied(call=call, say="you would have to sign in for that", for_model=told)
    told = f"{call.tool!r} needs a customer whose identity is known; this one is anonymous."
    verifying = " or ".join(other.name for other in tools.specs if other.role == "identifies")
    cure = f" {verifying} can verify them; ask for what it needs." if verifying else ""
    return not_known(call, told + cure)
