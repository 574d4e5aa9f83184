"""What a process of ours does for a long call on Temporal: runs its tool, finds out, records its end."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from datetime import timedelta
from typing import Any, NoReturn

import structlog
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from assistant.conversation.codec import entry_from_json, entry_to_json, kind_named
from assistant.conversation.entries import CallEnded, LongCallProgressed
from assistant.conversation.outcomes import CallProgress, CallUnknown, Outcome, stopped_outcome
from assistant.ports import Clock
from assistant.tools.execute import prepare
from assistant.tools.long_calls import (
    STOP_S,
    CompanyTools,
    LongCallOrder,
    LongRunnerAway,
    RecordElsewhere,
    run_long,
)
from assistant.tools.reconcile import reconcile
from assistant.tools.temporal.runner import TemporalRunner, order_from_json
from assistant.tools.temporal.workflow import (
    CONVERSATIONS_QUEUE,
    FIND_OUT,
    NOT_HERE,
    RECORD,
    RUN,
    TOOLS_QUEUE,
    LongCallWorkflow,
)
from assistant.tools.tool import CallLog, PreparedCall, ToolContext

log = structlog.get_logger(__name__)

_BEAT_S = 1.0
"""How often a process says that a call still runs, and hears that the customer has stopped it."""

_MOST_AT_ONCE = 500
"""Long calls that one process runs at the same time; others wait for another process, or a place."""

_LARGEST = 1_500_000
"""Characters of an outcome. Temporal refuses more than 2 MB."""

_PAUSE_S = 5.0
"""Before another try to reach Temporal."""


class Activities:
    """The activities of this process.

    Args:
        companies: gives the newest tools of each tenant that this process has.
        record: takes outcomes and progress.
        clock: measures.
    """

    def __init__(
        self, companies: Mapping[str, Callable[[], CompanyTools]], record: RecordElsewhere, clock: Clock
    ) -> None:
        self._companies, self._record_elsewhere, self._clock = companies, record, clock

    @activity.defn(name=RUN)
    async def run(self, given: dict[str, Any]) -> dict[str, Any]:
        """Run the tool to its outcome. If this process ends before, that is an error."""
        order = order_from_json(given)
        company = self._company(order)
        began = self._clock.monotonic()
        ready = prepare(order.call, company.tools, order.customer)
        if isinstance(ready, PreparedCall):
            outcome = await self._run(order, ready, company)
        else:
            outcome = ready
        return _ended(outcome, order, round((self._clock.monotonic() - began) * 1000))

    async def _run(self, order: LongCallOrder, ready: PreparedCall, company: CompanyTools) -> Outcome:
        stop = asyncio.Event()
        newest: list[LongCallProgressed] = []

        async def report(progress: LongCallProgressed) -> None:
            newest[:] = [progress]
            await self._record_elsewhere(order.key, order.turn_id, progress)

        async def beat() -> None:
            while True:
                activity.heartbeat(asdict(newest[0]) if newest else None)
                await self._clock.sleep(_BEAT_S)

        work = asyncio.create_task(
            run_long(
                ready,
                customer=order.customer,
                context=self._context(order),
                clock=self._clock,
                gates=company.gates,
                transform=company.transform,
                stop=stop,
                report=report,
            )
        )
        beating = asyncio.create_task(beat())
        try:
            while True:
                try:
                    return await asyncio.shield(work)
                except asyncio.CancelledError:
                    why = activity.cancellation_details()
                    if work.done() or why is None or not why.cancel_requested:
                        _broken_off()
                    stop.set()
        finally:
            beating.cancel()
            work.cancel()
            # What it still reports must not come after this process has closed its conversations.
            await asyncio.wait({work}, timeout=STOP_S)

    @activity.defn(name=FIND_OUT)
    async def find_out(
        self, given: dict[str, Any], begun: bool, stopped: bool, progress: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The outcome of a call whose tool was not seen to end, or has not begun."""
        order = order_from_json(given)
        so_far = None
        if progress is not None:
            so_far = CallProgress(done=progress["done"], total=progress["total"], unit=progress["unit"])
        async with _not_cancelled():
            outcome: Outcome | None = None
            if begun:
                ready = prepare(order.call, self._company(order).tools, order.customer)
                if isinstance(ready, PreparedCall):
                    outcome = await reconcile(
                        ready, customer=order.customer, context=self._context(order), clock=self._clock
                    )
            if outcome is None and stopped and (order.repeatable or not begun):
                outcome = stopped_outcome(order.call, so_far)
        return _ended(outcome or CallUnknown(call=order.call), order, 0)

    @activity.defn(name=RECORD)
    async def record(self, given: dict[str, Any], ended: dict[str, Any]) -> None:
        """Record the outcome in the conversation."""
        order = order_from_json(given)
        entry = entry_from_json(kind_named(CallEnded), ended)
        assert isinstance(entry, CallEnded)  # noqa: S101 - of this kind
        async with _not_cancelled():
            await self._record_elsewhere(order.key, order.turn_id, entry)

    def _company(self, order: LongCallOrder) -> CompanyTools:
        company = self._companies.get(order.key.tenant)
        if company is None or order.call.tool not in (tools := company()).tools:
            raise ApplicationError(
                f"this process has no tool {order.call.tool!r} of tenant {order.key.tenant!r}", type=NOT_HERE
            )
        return tools

    def _context(self, order: LongCallOrder) -> ToolContext:
        return ToolContext(
            key=order.idempotency_key,
            call_id=order.call.id,
            now=self._clock.now(),
            log=CallLog(order.call.tool, order.idempotency_key),
            visitor=order.key.customer,
        )


def _ended(outcome: Outcome, order: LongCallOrder, ms: int) -> dict[str, Any]:
    ended = entry_to_json(CallEnded(outcome=outcome, duration_ms=ms, late=True))
    if len(repr(ended)) > _LARGEST:
        log.error("outcome too large for Temporal", tool=order.call.tool, call=order.idempotency_key)
        ended = entry_to_json(CallEnded(outcome=CallUnknown(call=order.call), duration_ms=ms, late=True))
    return ended


@asynccontextmanager
async def _not_cancelled() -> AsyncGenerator[None]:
    """The end of this process is an error, which is tried again; to Temporal a cancelled activity is at its end."""
    try:
        yield
    except asyncio.CancelledError:
        _broken_off()


def _broken_off() -> NoReturn:
    raise ApplicationError("the process ended", type="process_ended") from None


class TemporalWorker:
    """Runs what Temporal hands to this process.

    Args:
        runner: the connection.
        activities: what this process does.
        conversations: whether it can open conversations.
    """

    def __init__(self, runner: TemporalRunner, activities: Activities, *, conversations: bool) -> None:
        self._runner, self._activities, self._conversations = runner, activities, conversations

    async def run(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Work until cancelled. While Temporal cannot be reached, that is tried again after each ``pause``."""
        told = False
        while True:
            try:
                client = await self._runner.client()
                told = False
                await self._work(client)
            except LongRunnerAway as error:
                if not told:
                    log.warning("no long calls are run here", why=str(error))
                told = True
            except Exception:
                log.exception("long calls are interrupted")
            await pause(_PAUSE_S)

    async def _work(self, client: Client) -> None:
        workers = [
            Worker(
                client,
                task_queue=TOOLS_QUEUE,
                workflows=[LongCallWorkflow],
                workflow_runner=UnsandboxedWorkflowRunner(),
                activities=[self._activities.run, self._activities.find_out],
                max_concurrent_activities=_MOST_AT_ONCE,
                max_heartbeat_throttle_interval=timedelta(seconds=_BEAT_S),
            )
        ]
        if self._conversations:
            workers.append(
                Worker(client, task_queue=CONVERSATIONS_QUEUE, activities=[self._activities.record])
            )
        async with asyncio.TaskGroup() as tasks:
            for worker in workers:
                tasks.create_task(worker.run())
