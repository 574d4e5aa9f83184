"""The workflow of one long call: claim a process, run the tool there, find out the outcome if that was
interrupted, and record it.

Its activities are in :mod:`assistant.tools.temporal.activities`. Temporal replays workflow code from its
history, so the code uses no clock and none of our modules. Old workflows continue with new code, so a change
of the steps needs ``workflow.patched``.
"""

from datetime import timedelta
from typing import Any

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, CancelledError, TimeoutType
from temporalio.exceptions import TimeoutError as TimedOut

WORKFLOW = "meanwhile-long-call"
CLAIM, RUN = "claim-long-call", "run-long-call"
FIND_OUT, RECORD = "find-out-long-call", "record-long-call"

TOOLS_QUEUE = "meanwhile-tools"
"""The task queue of processes that have the tools: servers and workers."""

CONVERSATIONS_QUEUE = "meanwhile-conversations"
"""The task queue of processes that can open conversations: servers."""

BROKEN_OFF = "broken_off"
"""The type of the error of a process that is ending, or no longer runs the tool."""

HEARTBEAT_TIMEOUT = timedelta(seconds=10)
"""If a process sends no heartbeat for this time, or Temporal was away, the process is asked for the
outcome."""

ANSWER_TIMEOUT = timedelta(seconds=20)
"""A process that does not answer within this time is dead. Its client reconnects within half of it."""

_LONGEST_PAUSE = timedelta(seconds=60)
"""The longest pause before another process is asked, if one does not have the tool."""

_RECORDS = timedelta(seconds=60)
_ADDED = timedelta(seconds=60)
"""Added to the tool's own time limit, which ends the tool earlier."""


@workflow.defn(name=WORKFLOW, sandboxed=False)
class LongCallWorkflow:
    """One long call. The signal ``stop`` makes it end early."""

    def __init__(self) -> None:
        self._stopped = False
        self._running: workflow.ActivityHandle[Any] | None = None

    @workflow.signal
    def stop(self) -> None:
        """Make the tool stop. What it has done by then is the outcome."""
        self._stopped = True
        if self._running is not None:
            self._running.cancel()

    @workflow.run
    async def run(self, order: dict[str, Any]) -> None:
        """Run the call, and record its outcome in the conversation. Both are repeated until they succeed."""
        ended = await self._end_of(order)
        if ended is None:
            return  # the conversation was erased
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
                CLAIM,
                order,
                start_to_close_timeout=_RECORDS,
                retry_policy=RetryPolicy(maximum_interval=_LONGEST_PAUSE),
                cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            )
            try:
                process = await self._running
            except ActivityError:
                break  # stopped before a process claimed it
            if process is None:
                return None
            asked = False
            while True:
                try:
                    return await self._attempt(process, [order, self._stopped], order)
                except ActivityError as error:
                    cause = error.cause
                if isinstance(cause, CancelledError):
                    if asked:
                        continue  # the process was not asked yet; ask it now, and tell it to stop
                    break  # it had not begun; a running tool would end with an outcome
                never = isinstance(cause, TimedOut) and cause.type is TimeoutType.SCHEDULE_TO_START
                begun = begun or not never or asked
                if isinstance(cause, TimedOut) and not never:
                    # The tool may still be running: Temporal or the network was away.
                    progress = next(iter(cause.last_heartbeat_details), progress)
                elif never or (isinstance(cause, ApplicationError) and cause.type == BROKEN_OFF):
                    break
                asked = True
            # An interrupted attempt may have done its work, so only a repeatable call is tried again.
            if begun and not order["repeatable"]:
                break
        return await workflow.execute_activity(
            FIND_OUT, args=[order, begun, self._stopped, progress], start_to_close_timeout=_RECORDS
        )

    async def _attempt(self, process: str, args: list[Any], order: dict[str, Any]) -> Any:
        self._running = workflow.start_activity(
            RUN,
            args=args,
            task_queue=process,
            schedule_to_start_timeout=ANSWER_TIMEOUT,
            start_to_close_timeout=timedelta(seconds=order["timeout_s"]) + _ADDED,
            heartbeat_timeout=HEARTBEAT_TIMEOUT,
            retry_policy=RetryPolicy(maximum_attempts=1),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
        )
        return await self._running
