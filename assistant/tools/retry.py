"""Calls a tool, and repeats the call if the error may be temporary."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import structlog

from assistant.conversation.customer import Customer
from assistant.errors import AssistantError, ToolError
from assistant.ports import Clock
from assistant.resilience import Jitter
from assistant.tools.concurrency import cancellation_shield
from assistant.tools.tool import PreparedCall, ToolContext, ToolResult

if TYPE_CHECKING:
    from tenacity import RetryCallState


log = structlog.get_logger(__name__)

_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 2.0


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception that a tool raised, kept as a value."""

    error: BaseException


T = TypeVar("T")

AttemptResult: TypeAlias = ToolResult | Raised


async def run_once(ready: PreparedCall, customer: Customer, context: ToolContext) -> AttemptResult:
    """Run the tool once. Raises only ``CancelledError``, if its task is cancelled."""
    return await catch_errors(ready.tool.run(ready.arguments, customer=customer, context=context))


async def catch_errors(work: Coroutine[Any, Any, T]) -> T | Raised:
    """Await third-party code. Raises only ``CancelledError``, if this task is cancelled."""
    try:
        return await cancellation_shield(work)
    except asyncio.CancelledError as error:
        if _is_cancelled():
            raise
        # Something inside of the tool was cancelled, but not the call, so this must not look like a stop.
        return Raised(error)
    except BaseException as error:
        # A tool that tries to exit the process only ends its own call.
        return Raised(error)


async def run_with_retries(
    ready: PreparedCall,
    customer: Customer,
    context: ToolContext,
    *,
    until: float,
    clock: Clock,
    jitter: Jitter,
) -> AttemptResult:
    """Run the tool, and repeat it after temporary failures. The result of the last attempt is returned.

    All attempts have the same idempotency key. If a tool asks for a pause, the pause is at least that long.
    No pause lasts beyond ``until``, in seconds of ``monotonic()``.
    """
    # Imported for the first tool with retries.
    from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt, wait_exponential

    last = stop_after_attempt(ready.tool.spec.retries + 1)
    growing = wait_exponential(multiplier=_FIRST_PAUSE_S, max=_LONGEST_PAUSE_S)

    def uneven(state: "RetryCallState") -> float:
        return _requested_delay_s(state) + growing(state) * (1 + jitter()) / 2

    def too_late(state: "RetryCallState") -> bool:
        return _is_cancelled() or clock.monotonic() + state.upcoming_sleep >= until

    again = AsyncRetrying(
        retry=retry_if_result(is_retryable),
        stop=lambda state: last(state) or too_late(state),
        wait=uneven,
        sleep=clock.sleep,
        retry_error_callback=_last_result,
    )
    return await again(_numbered_attempts(ready, customer, context))


def is_retryable(came: AttemptResult) -> bool:
    """Whether a repetition may help: after a bug or a broken connection, but not after a refusal."""
    if not isinstance(came, Raised):
        return False
    if isinstance(came.error, AssistantError):
        return isinstance(came.error, ToolError) and came.error.temporary
    return isinstance(came.error, Exception)


def _numbered_attempts(
    ready: PreparedCall, customer: Customer, context: ToolContext
) -> Callable[[], Awaitable[AttemptResult]]:
    number = 0

    async def next_attempt() -> AttemptResult:
        nonlocal number
        number += 1
        if number > 1:
            log.info("tool is tried again", tool=ready.call.tool, call=context.key, attempt=number)
        return await run_once(ready, customer, replace(context, attempt=number))

    return next_attempt


def _requested_delay_s(state: "RetryCallState") -> float:
    """Returns the pause in seconds that the tool asked for, or 0 if the tool asked for something that is not
    a number.
    """
    came = _last_result(state)
    asked = (
        came.error.retry_after_s if isinstance(came, Raised) and isinstance(came.error, ToolError) else None
    )
    return max(0.0, asked) if isinstance(asked, int | float) and isfinite(asked) else 0.0


def _last_result(state: "RetryCallState") -> AttemptResult:
    assert state.outcome is not None  # noqa: S101 - tenacity asks after an attempt
    came: AttemptResult = state.outcome.result()
    return came


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
