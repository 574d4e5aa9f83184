"""The tasks of a conversation's calls: they outlive a turn that is cut short."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.entries import CallEnded, CallStarted
from assistant.conversation.outcomes import CallCancelled, Outcome
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.tooling.context import ToolContext
from assistant.tooling.run_call import Ready, run_call
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn

log = structlog.get_logger(__name__)

_GAVE_UP = "something within the tool was cancelled"
_STOPPED = "it was stopped before it ran"


@dataclass(frozen=True, slots=True)
class _CallLog:
    """A tool's log, which carries the call it serves."""

    tool: str
    call: str

    def info(self, event: str, /, **facts: object) -> None:
        """Something worth knowing happened."""
        log.info(event, tool=self.tool, call=self.call, **facts)

    def warning(self, event: str, /, **facts: object) -> None:
        """Something is odd, and the tool goes on."""
        log.warning(event, tool=self.tool, call=self.call, **facts)


class SessionCalls:
    """Starts calls and records their outcomes, whether or not the turn still waits for them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def start(self, ready: Ready, turn: RunningTurn, record: Record) -> None:
        """Record that the call starts, and run it. A side effect waits for that record to be durable.

        Cancelled while it waits, the call is recorded as cancelled and never runs.
        """
        call = ready.call
        key = f"{turn.key.conversation}/{turn.state.id}/{call.id}"
        writes = ready.tool.spec.effect == "write"
        try:
            await record(CallStarted(call_id=call.id, tool=call.tool, key=key), durable=writes)
        except asyncio.CancelledError:
            await record(CallEnded(outcome=CallCancelled(call=call, why=_STOPPED)))
            raise
        context = ToolContext(
            key=key,
            call_id=call.id,
            now=self._clock.now(),
            log=_CallLog(call.tool, key),
        )
        place = (turn.state.id, call.id)
        task = asyncio.create_task(self._run(ready, turn, context, record))
        self._tasks[place] = task
        task.add_done_callback(lambda _: self._tasks.pop(place, None))

    @property
    def idle(self) -> bool:
        """Whether no call runs."""
        return not self._tasks

    def running(self, turn_id: str, call_id: str) -> bool:
        """Whether the call has a task."""
        return (turn_id, call_id) in self._tasks

    async def ended(self, turn_id: str, calls: Sequence[Call], until: float | None = None) -> None:
        """Wait for the calls' outcomes, no longer than ``until``; a wait that ends leaves the calls alone."""
        tasks = [task for call in calls if (task := self._tasks.get((turn_id, call.id))) is not None]
        left_s = None if until is None else max(0.0, until - self._clock.monotonic())
        if tasks:
            with suppress(TimeoutError):
                async with self._clock.timeout(left_s):
                    await asyncio.wait(tasks)

    async def close(self, patience_s: float) -> None:
        """Let what is running end for a while, then cancel it; the log knows what has no outcome."""
        if not self._tasks:
            return
        tasks = tuple(self._tasks.values())
        _, late = await asyncio.wait(tasks, timeout=patience_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _run(
        self,
        ready: Ready,
        turn: RunningTurn,
        context: ToolContext,
        record: Record,
    ) -> None:
        began = self._clock.monotonic()
        try:
            outcome: Outcome = await run_call(
                ready,
                customer=turn.customer,
                context=context,
                timeout_s=ready.tool.spec.timeout_s,
                clock=self._clock,
            )
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            # Something within the tool was cancelled, not the call: that must not look like a stop.
            outcome = CallCancelled(call=ready.call, why=_GAVE_UP)
        ms = round((self._clock.monotonic() - began) * 1000)
        try:
            late = turn.state.how is not None or ready.call.id in turn.state.pending
            await record(CallEnded(outcome=outcome, ms=ms, late=late))
        except LogError as error:
            # The turn meets the same failure and ends; the call has run, and the log says that it started.
            log.error("outcome not recorded", call=ready.call.id, error=str(error))
