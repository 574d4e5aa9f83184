"""Asks a tool what became of a side effect whose end nobody saw."""

from typing import cast

import structlog

from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallFailed, CallSucceeded
from assistant.ports import Clock
from assistant.tooling.context import ToolContext
from assistant.tooling.result import ToolResult
from assistant.tooling.running.attempts import caught
from assistant.tooling.running.outcome import kept
from assistant.tooling.running.ready import Ready
from assistant.tooling.running.redact import kept_out_of_logs, redacted, secrets_of
from assistant.tooling.running.within import within
from assistant.tooling.tool import CheckedTool
from assistant.tooling.written import Unkeepable

log = structlog.get_logger(__name__)

CHECK_S = 5.0
"""So long a tool's ``check`` may take."""

_NOT_DONE = "that did not go through"
_NOT_DONE_FOR_MODEL = "It was begun and did not take place; it may be tried again."


async def found_out(
    ready: Ready, *, customer: Customer, context: ToolContext, clock: Clock
) -> CallSucceeded | CallFailed | None:
    """What became of a side effect that was begun: it took place, or it did not; None when nobody can tell.

    ``context`` has the key that it was begun with. Raises nothing but ``CancelledError``.
    """
    if not ready.tool.spec.checked or not isinstance(ready.tool, CheckedTool):
        return None
    if ready.tool.spec.credential and customer.credential is None:
        return None
    with kept_out_of_logs(customer):
        end = await _asked(ready, customer, context, clock)
    return None if end is None else cast("CallSucceeded | CallFailed", redacted(end, secrets_of(customer)))


async def _asked(
    ready: Ready, customer: Customer, context: ToolContext, clock: Clock
) -> CallSucceeded | CallFailed | None:
    call = ready.call
    assert isinstance(ready.tool, CheckedTool)  # noqa: S101 - asked before
    asked = ready.tool.check(ready.arguments, customer=customer, context=context)
    try:
        came = await within(CHECK_S, caught(asked), clock, too_late=lambda _: None)
        if came is None:
            return CallFailed(call=call, say=_NOT_DONE, for_model=_NOT_DONE_FOR_MODEL)
        if isinstance(came, ToolResult):
            return CallSucceeded(call=call, value=kept(call, came.value, context.key).value)
        why = type(came.error).__name__
    except (TimeoutError, Unkeepable) as error:
        why = type(error).__name__
    log.warning("a tool could not tell whether it was done", tool=call.tool, call=context.key, why=why)
    return None
