"""Runs one call through its tool's gate to its outcome, whatever the tool does."""

import asyncio
from dataclasses import replace
from functools import partial

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallFailed, CallSucceeded, Outcome
from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.resilience import CircuitOpen
from assistant.tooling.context import ToolContext
from assistant.tooling.media import Find, Transform, finding
from assistant.tooling.result import ToolResult
from assistant.tooling.running.attempts import Came, Raised, attempt, attempts, may_pass
from assistant.tooling.running.found_out import found_out
from assistant.tooling.running.gate import Gate, Gates
from assistant.tooling.running.identity import Ran, identity_tried
from assistant.tooling.running.outcome import failed, no_credential
from assistant.tooling.running.pool import NoThread
from assistant.tooling.running.ready import Ready
from assistant.tooling.running.redact import kept_out_of_logs, redacted, secrets_of
from assistant.tooling.running.within import within
from assistant.tooling.written import Unkeepable

log = structlog.get_logger(__name__)

_LEFT_ALONE = "that service isn't answering at the moment"
_CROWDED = "too many people are asking for that just now"
_DONE_UNSEEN = "it was sent off, but I can't see what came of it"


async def carry_out(
    ready: Ready,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: Gates,
    transform: Transform | None = None,
) -> Ran:
    """Run one call to its outcome. Raises nothing but ``CancelledError``.

    Waiting for a place counts, and so does every attempt with the pauses between them: when ``timeout_s`` is
    up the call has its outcome, whether or not the tool can be stopped. Its media go through ``transform`` after
    that. Nothing of the customer's credential stands in the outcome, or in what is logged on the way.
    """
    with kept_out_of_logs(customer):
        ran = await _carry_out(
            ready,
            customer=customer,
            context=context,
            timeout_s=timeout_s,
            clock=clock,
            gates=gates,
            transform=transform,
        )
    return replace(ran, outcome=redacted(ran.outcome, secrets_of(customer)))


async def _carry_out(
    ready: Ready,
    *,
    customer: Customer,
    context: ToolContext,
    timeout_s: float,
    clock: Clock,
    gates: Gates,
    transform: Transform | None,
) -> Ran:
    spec, call = ready.tool.spec, ready.call
    if spec.credential and customer.credential is None:
        return Ran(outcome=no_credential(call))
    gate = gates.of(spec.name)
    began = clock.monotonic()
    until = began + timeout_s
    refusal = await _let_in(gate, ready, timeout_s, clock)
    if refusal is not None:
        log.warning("tool not run", tool=call.tool, call=context.key, why=refusal.for_model)
        return Ran(outcome=refusal)
    gate.circuit.enter()
    work = (
        attempts(ready, customer, context, until=until, clock=clock, jitter=gates.jitter)
        if spec.retries and (spec.effect == "read" or spec.idempotent)
        else attempt(ready, customer, context)
    )
    left_s = until - clock.monotonic()
    after_s = timeout_s
    try:
        came = await within(left_s, work, clock, ended=gate.leave, too_late=partial(_dropped, call, context))
        after_s = _told(clock.monotonic() - began, timeout_s)
    except TimeoutError as error:
        came = Raised(error)
    except asyncio.CancelledError:
        gate.circuit.left()
        raise
    _judge(gate, came)
    if spec.role == "identifies" and (tried := identity_tried(call, came, context.key)) is not None:
        return tried
    if spec.effect == "write" and isinstance(came, Raised) and not isinstance(came.error, AssistantError):
        # It broke off or came to no end: what it was to do may be done all the same.
        end = await found_out(ready, customer=customer, context=context, clock=clock)
        if isinstance(end, CallSucceeded):
            return Ran(outcome=end)
    return Ran(outcome=await _outcome(ready, came, context.key, after_s, finding(transform, clock)))


async def _let_in(gate: Gate, ready: Ready, timeout_s: float, clock: Clock) -> CallFailed | None:
    """Take a place at the tool's gate; why there is none, where that is so."""
    if (shut := gate.circuit.open()) is not None:
        return _left_alone(ready.call, shut)
    if gate.entered(ready.tool.spec.at_once):
        return None
    try:
        async with clock.timeout(timeout_s):
            await gate.wait()
    except TimeoutError:
        told = f"Too many calls of {ready.call.tool!r} are running: none ended in {timeout_s:g} s. It did not run."
        return CallFailed(call=ready.call, say=_CROWDED, for_model=told)
    if (shut := gate.circuit.open()) is not None:
        # It broke while this one was waiting.
        gate.leave()
        return _left_alone(ready.call, shut)
    return None


def _left_alone(call: Call, shut: CircuitOpen) -> CallFailed:
    told = f"The service behind {call.tool!r} is not answering: {shut}. It did not run; do not call it again now."
    return CallFailed(call=call, say=_LEFT_ALONE, for_model=told)


def _judge(gate: Gate, came: Came) -> None:
    """Tell the circuit whether the service is there. One that refuses is."""
    if isinstance(came, ToolResult):
        gate.circuit.answered()
    elif isinstance(came.error, NoThread | asyncio.CancelledError):
        gate.circuit.left()
    elif isinstance(came.error, AssistantError) and not may_pass(came):
        gate.circuit.answered()
    else:
        gate.circuit.failed()


def _told(took_s: float, timeout_s: float) -> float:
    """How long a call took that gave up by itself, in tenths of a second as one tells it: never "0 s".

    >>> _told(1.0004, 50), _told(0.003, 50), _told(0.003, 0.05)
    (1.0, 0.1, 0.05)
    """
    return min(max(round(took_s, 1), 0.1), timeout_s)


async def _outcome(ready: Ready, came: Came, key: str, after_s: float, find: Find) -> Outcome:
    try:
        if isinstance(came, ToolResult):
            return await find(ready.call, came, key)
        error = came.error
    except Unkeepable as unkeepable:
        error = unkeepable
    outcome = failed(ready.call, error, key, after_s)
    if (
        isinstance(error, Unkeepable)
        and ready.tool.spec.effect == "write"
        and isinstance(outcome, CallFailed)
    ):
        return replace(outcome, say=_DONE_UNSEEN)
    return outcome


def _dropped(call: Call, context: ToolContext, task: asyncio.Task[Came]) -> None:
    came = task.result()
    how = type(came.error).__name__ if isinstance(came, Raised) else "a result"
    log.info("what a tool came to was too late and is dropped", tool=call.tool, call=context.key, came=how)
