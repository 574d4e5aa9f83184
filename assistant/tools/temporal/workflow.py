"""The workflow of one long call: run the tool, find out what became of it if that broke off, and record its end.

Its activities are in :mod:`assistant.tools.temporal.activities`. Workflow code runs again from its history, so it
uses no clock and nothing of ours. Old workflows go on with new code: a change of the steps needs
``workflow.patched``.
"""

from contextlib import suppress
from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError
from temporalio.exceptions import TimeoutError as TimedOut

WORKFLOW = "meanwhile-long-call"
RUN, FIND_OUT, RECORD = "run-long-call", "find-out-long-call", "record-long-call"

TOOLS_QUEUE = "meanwhile-tools"
"""The task queue of processes that have the tools: servers and workers."""

CONVERSATIONS_QUEUE = "meanwhile-conversations"
"""The task queue of processes that can open conversations: servers."""

NOT_HERE = "not_here"
"""The type of the error of a process that does not have the tool. Nothing has run."""

HEARTBEAT_TIMEOUT = timedelta(seconds=15)
"""A process that is not heard of for so long is dead, for the calls that it runs."""

_PAUSE = timedelta(seconds=10)
"""Until another process is tried, when one does not have the tool."""

_RECORDS = timedelta(seconds=60)
_ADDED = timedelta(seconds=60)
"""Past the tool's own time limit, which ends it earlier."""


@workflow.defn(name=WORKFLOW, sandboxed=False)
class LongCallWorkflow:
    """One long call. The signal ``stop`` lets it end early."""

    def __init__(self) -> None:
        self._stopped = False
        self._running: workflow.ActivityHandle[Any] | None = None

    @workflow.signal
    def stop(self) -> None:
        """Let the tool stop. What it has done by then is the outcome."""
        self._stopped = True
        if self._running is not None:
            self._running.cancel()

    @workflow.run
    async def run(self, order: dict[str, Any]) -> None:
        """Run the call, and record its outcome in the conversation, as often as it takes."""
        ended = await self._end_of(order)
        await workflow.execute_activity(
            RECORD,
            args=[order, ended],
            task_queue=CONVERSATIONS_QUEUE,
            start_to_close_timeout=_RECORDS,
            retry_policy=RetryPolicy(maximum_interval=timedelta(seconds=60)),
        )

    async def _end_of(self, order: dict[str, Any]) -> Any:
        progress: Any = None
        begun = False
        while not self._stopped:
            self._running = workflow.start_activity(
                RUN,
                order,
                start_to_close_timeout=timedelta(seconds=order["timeout_s"]) + _ADDED,
                heartbeat_timeout=HEARTBEAT_TIMEOUT,
                # An attempt that broke off may have done its work: only a repeatable call has another one.
                retry_policy=RetryPolicy(
                    maximum_attempts=0 if order["repeatable"] else 1,
                    maximum_interval=timedelta(seconds=60),
                    non_retryable_error_types=[NOT_HERE],
                ),
                cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            )
            try:
                return await self._running
            except ActivityError as error:
                if isinstance(error.cause, ApplicationError) and error.cause.type == NOT_HERE:
                    await self._pause()
                    continue
                # Cancelled: it had not begun, or another attempt had not. Running tools end with an outcome.
                begun = not isinstance(error.cause, CancelledError)
                if isinstance(error.cause, TimedOut) and error.cause.last_heartbeat_details:
                    (progress,) = error.cause.last_heartbeat_details
                break
        return await workflow.execute_activity(
            FIND_OUT, args=[order, begun, self._stopped, progress], start_to_close_timeout=_RECORDS
        )

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await workflow.wait_condition(lambda: self._stopped, timeout=_PAUSE)
