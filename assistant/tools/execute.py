"""Runs a call: checks its arguments and the customer, runs the tool, and turns the result into an outcome.

Begin with :func:`prepare` and :func:`run_call`. Errors of tools never leave this module.
"""

import asyncio
from dataclasses import replace
from functools import partial

import structlog

from assistant.conversation.calls import NOT_JSON, TOO_MANY, Call
from assistant.conversation.customer import Customer, Level
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded, Outcome, denied_as_unknown
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError, BadArguments, TooManyCalls
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.resilience import CircuitOpen
from assistant.tools.concurrency import (
    ConcurrencyLimiter,
    ConcurrencyLimiters,
    NoThreadAvailable,
    run_with_timeout,
    running_for,
)
from assistant.tools.media import BuildOutcome, Transform, outcome_builder
from assistant.tools.outcomes import (
    UNEXPECTED,
    ExecutedCall,
    identification_result,
    mask_in_logs,
    missing_credential,
    outcome_of_error,
    redact,
    secrets_of,
    unkept_outcome,
)
from assistant.tools.reconcile import reconcile
from assistant.tools.registry import Tools
from assistant.tools.retry import (
    AttemptResult,
    Raised,
    catch_errors,
    is_retryable,
    run_once,
    run_with_retries,
)
from assistant.tools.tool import NotSerializable, PreparedCall, ToolContext, ToolResult

log = structlog.get_logger(__name__)

_NOT_ANSWERING = "that service isn't answering at the moment"
_CROWDED = "too many people are asking for that just now"


async def execute(
    ready: PreparedCall,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: ConcurrencyLimiters,
    transform: Transform | None = None,
) -> ExecutedCall:
    """Run one call to its outcome. Raises only ``CancelledError``.

    ``timeout_s`` includes the wait for a slot, all attempts and the pauses between them. When it is over, the
    call has its outcome, even if the tool cannot be stopped. ``transform`` is applied to its media
    afterwards. The outcome and the logs never contain the customer's credential.
    """
    with mask_in_logs(customer), running_for(customer.tenant):
        ran = await _execute(
            ready,
            customer=customer,
            context=context,
            timeout_s=timeout_s,
            clock=clock,
            gates=gates,
            transform=transform,
        )
    return replace(ran, outcome=redact(ran.outcome, secrets_of(customer)))


async def _execute(
    ready: PreparedCall,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: ConcurrencyLimiters,
    transform: Transform | None,
) -> ExecutedCall:
    spec, call = ready.tool.spec, ready.call
    if spec.credential and customer.credential is None:
        return ExecutedCall(outcome=missing_credential(call))
    limiter = gates.for_tool(spec.name)
    began = clock.monotonic()
    until = began + timeout_s
    refusal = await _acquire_slot(limiter, ready, timeout_s, clock)
    if refusal is not None:
        log.warning("tool not run", tool=call.tool, call=context.key, why=refusal.for_model)
        return ExecutedCall(outcome=refusal)
    limiter.circuit.enter()
    work = (
        run_with_retries(ready, customer, context, until=until, clock=clock, jitter=gates.jitter)
        if spec.retries and (spec.effect == "read" or spec.idempotent)
        else run_once(ready, customer, context)
    )
    left_s = until - clock.monotonic()
    after_s = timeout_s
    try:
        came = await run_with_timeout(
            left_s, work, clock, ended=limiter.release, too_late=partial(_log_late_result, call, context)
        )
        after_s = _rounded_seconds(clock.monotonic() - began, timeout_s)
    except TimeoutError as error:
        came = Raised(error)
    except asyncio.CancelledError:
        limiter.circuit.left()
        raise
    _report_to_circuit(limiter, came)
    if spec.role == "identifies" and (tried := identification_result(call, came, context.key)) is not None:
        return tried
    if spec.effect == "write" and isinstance(came, Raised) and not isinstance(came.error, AssistantError):
        # The call was interrupted or timed out, but the side effect may have taken place.
        end = await reconcile(ready, customer=customer, context=context, clock=clock)
        if isinstance(end, CallSucceeded):
            return ExecutedCall(outcome=end)
    return ExecutedCall(
        outcome=await _outcome(ready, came, context.key, after_s, outcome_builder(transform, clock))
    )


async def _acquire_slot(
    limiter: ConcurrencyLimiter, ready: PreparedCall, timeout_s: float, clock: Clock
) -> CallFailed | None:
    """Take a slot at the tool's limiter. Returns None if the call has its slot, or an outcome with the reason
    if it cannot get one.
    """
    if (shut := limiter.circuit.open()) is not None:
        return _circuit_open_outcome(ready.call, shut)
    if limiter.try_acquire(ready.tool.spec.max_concurrency):
        return None
    try:
        async with clock.timeout(timeout_s):
            await limiter.acquire()
    except TimeoutError:
        told = f"Too many calls of {ready.call.tool!r} are running: none ended in {timeout_s:g} s. It did not run."
        return CallFailed(call=ready.call, say=_CROWDED, for_model=told)
    if (shut := limiter.circuit.open()) is not None:
        # The circuit opened while this call was waiting.
        limiter.release()
        return _circuit_open_outcome(ready.call, shut)
    return None


def _circuit_open_outcome(call: Call, shut: CircuitOpen) -> CallFailed:
    told = f"The service behind {call.tool!r} is not answering: {shut}. It did not run; do not call it again now."
    return CallFailed(call=call, say=_NOT_ANSWERING, for_model=told)


def _report_to_circuit(limiter: ConcurrencyLimiter, came: AttemptResult) -> None:
    """Tell the circuit breaker whether the service works. If it refuses a call, it still works."""
    if isinstance(came, ToolResult):
        limiter.circuit.answered()
    elif isinstance(came.error, NoThreadAvailable | asyncio.CancelledError):
        limiter.circuit.left()
    elif isinstance(came.error, AssistantError) and not is_retryable(came):
        limiter.circuit.answered()
    else:
        limiter.circuit.failed()


def _rounded_seconds(took_s: float, timeout_s: float) -> float:
    """Returns the duration of a call that timed out, rounded to tenths of a second, but never 0.

    >>> _rounded_seconds(1.0004, 50), _rounded_seconds(0.003, 50), _rounded_seconds(0.003, 0.05)
    (1.0, 0.1, 0.05)
    """
    return min(max(round(took_s, 1), 0.1), timeout_s)


async def _outcome(
    ready: PreparedCall, came: AttemptResult, key: str, after_s: float, find: BuildOutcome
) -> Outcome:
    try:
        if isinstance(came, ToolResult):
            return await find(ready.call, came, key)
        error = came.error
    except NotSerializable as unkeepable:
        error = unkeepable
    if isinstance(error, NotSerializable):
        return unkept_outcome(ready, error, key)
    return outcome_of_error(ready.call, error, key, after_s)


def _log_late_result(call: Call, context: ToolContext, task: asyncio.Task[AttemptResult]) -> None:
    came = task.result()
    how = type(came.error).__name__ if isinstance(came, Raised) else "a result"
    log.info("a tool returned too late; its result is dropped", tool=call.tool, call=context.key, came=how)


def prepare(call: Call, tools: Tools, customer: Customer) -> PreparedCall | Outcome:
    """Check a call before it runs. Never raises: a problem becomes an outcome that a model can correct."""
    try:
        tool = tools.get(call.tool)
        arguments = tool.validate(_arguments_of(call))
    except Exception as error:
        # Custom types of the tool check arguments with their own code.
        return outcome_of_error(call, error, call.id, 0.0)
    if not customer.is_at_least(tool.spec.requires):
        return level_too_low(call, tool.spec.requires, tools)
    if tool.spec.role == "identifies" and customer.known:
        told = f"The customer is known already; go on without {call.tool!r}."
        return CallDenied(call=call, say="I know already who you are", for_model=told)
    if tool.spec.credential and customer.credential is None:
        return missing_credential(call)
    return PreparedCall(call=call, tool=tool, arguments=arguments)


def _arguments_of(call: Call) -> JsonObject:
    if NOT_JSON in call.arguments:
        raise BadArguments(call.tool, [f"not a JSON object: {call.arguments[NOT_JSON]!r}"])
    if TOO_MANY in call.arguments:
        raise TooManyCalls(str(call.arguments[TOO_MANY]))
    return call.arguments


async def run_call(
    ready: PreparedCall,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: ConcurrencyLimiters | None = None,
) -> Outcome:
    """Run one call to its outcome. Raises only ``CancelledError``.

    A failing tool affects only its own answer. ``gates`` are the limiters of the process; without them the
    call has no limit.
    """
    ran = await execute(
        ready,
        customer=customer,
        context=context,
        timeout_s=timeout_s,
        clock=clock,
        gates=gates or ConcurrencyLimiters(clock),
    )
    return ran.outcome


async def read_back(
    ready: PreparedCall, customer: Customer, book: PromptBook, clock: Clock | None = None
) -> str | CallFailed | None:
    """Returns the tool's own clause for the call, or None if the tool has none. If the tool failed to make
    the clause, returns an outcome with the reason.

    With a ``clock``, making the clause has the same time limit as the call itself.
    """
    call, spec = ready.call, ready.tool.spec
    asked = catch_errors(ready.tool.read_back(ready.arguments, customer=customer, book=book))
    if clock is None:
        came = await asked
    else:
        try:
            came = await run_with_timeout(spec.timeout_s, asked, clock, too_late=lambda _: None)
        except TimeoutError as error:
            came = Raised(error)
    if not isinstance(came, Raised):
        return came
    outcome = outcome_of_error(call, came.error, call.id, spec.timeout_s)
    if isinstance(outcome, CallFailed):
        return outcome
    return CallFailed(call=call, say=UNEXPECTED, for_model="The wording of its question took too long.")


def level_too_low(call: Call, requires: Level, tools: Tools) -> CallDenied:
    """Returns the denial, with what would help: to sign in, or to be identified here if a tool can do that."""
    if requires == "signed_in":
        told = f"{call.tool!r} needs a customer who has signed in; what they say here is not enough."
        return CallDenied(call=call, say="you would have to sign in for that", for_model=told)
    told = f"{call.tool!r} needs a customer whose identity is known; this one is anonymous."
    verifying = " or ".join(other.name for other in tools.specs if other.role == "identifies")
    cure = f" {verifying} can verify them; ask for what it needs." if verifying else ""
    return denied_as_unknown(call, told + cure)
