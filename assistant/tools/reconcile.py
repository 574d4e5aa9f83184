"""Asks a tool's ``reconcile=`` function whether a write took place, if its end was not seen."""

from collections.abc import Awaitable, Callable, Mapping
from inspect import Parameter, isasyncgenfunction, isgeneratorfunction, signature
from typing import TypeAlias, cast

import structlog

from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.ports import Clock
from assistant.tools.concurrency import call_function, run_with_timeout, running_for
from assistant.tools.outcomes import mask_in_logs, redact, secrets_of, serialize_result
from assistant.tools.retry import catch_errors
from assistant.tools.schema import Parameters, injected_source, type_hints, typed_parameter
from assistant.tools.tool import CheckedTool, NotSerializable, PreparedCall, ToolContext, ToolResult

Check: TypeAlias = Callable[..., Awaitable[object] | object]
"""Takes any of the tool's parameters, ``Customer`` and ``ToolContext``. Returns the result of the write, or
None."""


def check_problems(function: Check, parameters: Parameters) -> list[str]:
    """Returns the reasons why a function cannot be called with a call's arguments, or cannot return a result."""
    problems: list[str] = []
    hints = type_hints(function, problems)
    if isgeneratorfunction(function) or isasyncgenfunction(function):
        problems.append("yields; return what was done, or None")
    own = set(parameters.names.values())
    for one in signature(function).parameters.values():
        if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL):
            problems.append(f"takes {one.name!r}, which cannot be given by name")
        elif _is_foreign(one, hints, own):
            written = typed_parameter(one.name) if one.name not in hints else None
            why = f" without its type; write {written}" if written else ", which the tool does not"
            problems.append(f"takes {one.name!r}{why}")
    return problems


async def call_check(
    function: Check, values: Mapping[str, object], customer: Customer, context: ToolContext
) -> object:
    """Call the ``reconcile=`` function with the values of its parameters. The exceptions of the function pass
    through.
    """
    hints = type_hints(function, [])
    injected = {"customer": customer, "context": context}
    given: dict[str, object] = {}
    for one in signature(function).parameters.values():
        source = injected_source(hints.get(one.name))
        if source is not None:
            given[one.name] = injected[source]
        elif one.kind is Parameter.VAR_KEYWORD:
            given |= {name: value for name, value in values.items() if name not in given}
        elif one.name in values:
            given[one.name] = values[one.name]
    with running_for(customer.tenant):
        return await call_function(function, given)


def _is_foreign(one: Parameter, hints: Mapping[str, object], own: set[str]) -> bool:
    if one.kind is Parameter.VAR_KEYWORD or one.default is not Parameter.empty:
        return False
    return one.name not in own and injected_source(hints.get(one.name)) is None


log = structlog.get_logger(__name__)

CHECK_S = 5.0
"""The time limit of a tool's ``reconcile`` function in seconds."""

_NOT_DONE = "that did not go through"
_NOT_DONE_FOR_MODEL = "It was begun and did not take place; it may be tried again."


async def reconcile(
    ready: PreparedCall, *, customer: Customer, context: ToolContext, clock: Clock
) -> CallSucceeded | CallFailed | None:
    """Returns the outcome of a side effect that had begun: the outcome says whether the side effect took
    place.

    Returns None if this is unknown.

    ``context`` has the key with which it began. Raises only ``CancelledError``.
    """
    if not ready.tool.spec.checked or not isinstance(ready.tool, CheckedTool):
        return None
    if ready.tool.spec.credential and customer.credential is None:
        return None
    with mask_in_logs(customer):
        end = await _asked(ready, customer, context, clock)
    return None if end is None else cast("CallSucceeded | CallFailed", redact(end, secrets_of(customer)))


async def _asked(
    ready: PreparedCall, customer: Customer, context: ToolContext, clock: Clock
) -> CallSucceeded | CallFailed | None:
    call = ready.call
    assert isinstance(ready.tool, CheckedTool)  # noqa: S101 - asked before
    asked = ready.tool.check(ready.arguments, customer=customer, context=context)
    try:
        came = await run_with_timeout(CHECK_S, catch_errors(asked), clock, too_late=lambda _: None)
        if came is None:
            return CallFailed(call=call, say=_NOT_DONE, for_model=_NOT_DONE_FOR_MODEL)
        if isinstance(came, ToolResult):
            return CallSucceeded(call=call, value=serialize_result(call, came.value, context.key).value)
        why = type(came.error).__name__
    except (TimeoutError, NotSerializable) as error:
        why = type(error).__name__
    log.warning("a tool could not tell whether it was done", tool=call.tool, call=context.key, why=why)
    return None
