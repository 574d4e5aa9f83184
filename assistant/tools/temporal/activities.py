"""The activities of one of our processes for long calls: run a tool, find out an outcome, record the end."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any, NoReturn

import orjson
import structlog
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from assistant.conversation.calls import Call
from assistant.conversation.codec import entry_from_json, entry_to_json, kind_named
from assistant.conversation.entries import CallEnded, LongCallProgressed
from assistant.conversation.outcomes import (
    CallProgress,
    CallSucceeded,
    CallUnknown,
    Outcome,
    stopped_outcome,
)
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.storage_ports import Log
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
    BROKEN_OFF,
    CLAIM,
    CONVERSATIONS_QUEUE,
    FIND_OUT,
    RECORD,
    RUN,
    TOOLS_QUEUE,
    LongCallWorkflow,
)
from assistant.tools.tool import CallLog, PreparedCall, ToolContext

log = structlog.get_logger(__name__)

_BEAT_S = 1.0
"""How often, in seconds, a process reports that a call is running, and learns that the customer has stopped
it."""

_MOST_AT_ONCE = 500
"""The most long calls that one process runs at the same time. Others wait for another process, or a free
slot."""

MOST_BYTES = 2_000_000
"""The largest outcome with its media, as JSON. Temporal refuses more than 2 MB."""

_KEPT = 50
"""The number of ended calls whose outcomes are kept, in case Temporal did not receive them."""

_PAUSE_S = 5.0
"""The seconds before another attempt to reach Temporal, and between two checks of the connection."""

_MISSED = 12
"""After this number of checks, a call for which no attempt waits is ended here: Temporal gave it to another
process."""


@dataclass(slots=True)
class _Run:
    """A call that this process has claimed, is running, or has run. It may live longer than an attempt of
    Temporal.

    ``missed`` is the number of consecutive checks in which Temporal was reachable, but no attempt waited for
    this call.
    """

    call: Call
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    newest: LongCallProgressed | None = None
    work: asyncio.Task[dict[str, Any]] | None = None
    attempts: int = 0
    missed: int = 0


class Activities:
    """The activities of this process.

    Args:
        runner: the connection.
        companies: returns the current tools of each tenant that this process has.
        calls: the log with the calls and their arguments.
        record: records outcomes and progress.
        clock: measures the time.
        process: a unique id of this process.

    Attributes:
        queue: the task queue of only this process.
    """

    def __init__(
        self,
        runner: TemporalRunner,
        companies: Mapping[str, Callable[[], CompanyTools]],
        calls: Log,
        record: RecordElsewhere,
        clock: Clock,
        process: str,
    ) -> None:
        self._runner, self._companies, self._calls = runner, companies, calls
        self._record_elsewhere, self._clock = record, clock
        self._runs: OrderedDict[str, _Run] = OrderedDict()
        self.queue = f"meanwhile-process-{process}"

    @activity.defn(name=CLAIM)
    async def claim(self, given: dict[str, Any]) -> str | None:
        """Returns the task queue of this process if this process has the tool, or None if the conversation
        was erased.

        If this process does not have the tool, this method raises, and Temporal asks other processes. The
        method runs no tool.
        """
        order = order_from_json(given)
        try:
            call = await self._call(order)
        except LogError as error:
            raise _refusal(f"this process cannot read the log: {error}") from error
        if call is None:
            return None
        if call.tool not in self._company(order).tools:
            raise _refusal(f"this process has no tool {call.tool!r} of tenant {order.key.tenant!r}")
        known = self._runs.get(_place(order))
        if known is None or (known.work is not None and known.work.cancelled()):
            self._runs[_place(order)] = _Run(call)
        return self.queue

    @activity.defn(name=RUN)
    async def run(self, given: dict[str, Any], stopped: bool) -> dict[str, Any]:
        """Run the tool of a claimed call to its outcome.

        If it is running or has run, continue with that run.
        """
        order = order_from_json(given)
        run = self._runs.get(_place(order))
        if run is None or (run.work is not None and run.work.cancelled()):
            _break_off("this process does not run it")
        if run.work is None:
            run.work = asyncio.create_task(self._run(order, run))
        if stopped:
            run.stop.set()
        return await self._attend(order, run)

    async def _attend(self, order: LongCallOrder, run: _Run) -> dict[str, Any]:
        """Send heartbeats until the call ends."""
        assert run.work is not None  # noqa: S101 - set before
        beating = asyncio.create_task(self._beat(run))
        run.attempts += 1
        try:
            while True:
                try:
                    return await asyncio.shield(run.work)
                except asyncio.CancelledError:
                    if run.work.done() and not run.work.cancelled():
                        return run.work.result()
                    why = activity.cancellation_details()
                    if why is not None and why.cancel_requested and not run.work.done():
                        run.stop.set()
                        continue
                    if why is None or why.worker_shutdown or not await self._is_wanted(order):
                        await self._drop(order, run)
                        _break_off("the process ended")
                    raise _refusal("it still runs; Temporal was away") from None
        finally:
            beating.cancel()
            run.attempts -= 1
            run.missed = 0

    def end_unwanted(self, *, there: bool) -> None:
        """End runs for which Temporal no longer waits.

        ``there`` says whether Temporal was reachable in this check.
        """
        for run in self._runs.values():
            run.missed = run.missed + 1 if there and not run.attempts else 0
            if run.missed > _MISSED and run.work is not None:
                run.work.cancel()

    async def _beat(self, run: _Run) -> None:
        while True:
            activity.heartbeat(*([asdict(run.newest)] if run.newest is not None else []))
            await self._clock.sleep(_BEAT_S)

    async def _is_wanted(self, order: LongCallOrder) -> bool:
        """Whether the workflow still waits for the call; True if that is unknown."""
        try:
            return await self._runner.is_open(order.key.tenant, order.idempotency_key)
        except LongRunnerAway:
            return True

    async def _drop(self, order: LongCallOrder, run: _Run) -> None:
        self._runs.pop(_place(order), None)
        if run.work is not None:
            run.work.cancel()
            # Its reports must not arrive after this process has closed its conversations.
            await asyncio.wait({run.work}, timeout=STOP_S)

    async def close(self) -> None:
        """End all runs in this process."""
        works = [run.work for run in self._runs.values() if run.work is not None]
        for work in works:
            work.cancel()
        if works:
            await asyncio.wait(works, timeout=STOP_S)

    async def _run(self, order: LongCallOrder, run: _Run) -> dict[str, Any]:
        async def report(progress: LongCallProgressed) -> None:
            run.newest = progress
            await self._record_elsewhere(order.key, order.turn_id, progress)

        began = self._clock.monotonic()
        company = self._company(order)
        ready = prepare(run.call, company.tools, order.customer)
        if not isinstance(ready, PreparedCall):
            return _ended(ready, 0)
        outcome = await run_long(
            ready,
            customer=order.customer,
            context=self._context(order, run.call),
            clock=self._clock,
            gates=company.gates,
            transform=company.transform,
            stop=run.stop,
            report=report,
        )
        ended = [place for place, one in self._runs.items() if one.work is not None and one.work.done()]
        for place in ended[:-_KEPT]:
            del self._runs[place]
        ms = round((self._clock.monotonic() - began) * 1000)
        return _ended(fitting(outcome, order.idempotency_key), ms)

    @activity.defn(name=FIND_OUT)
    async def find_out(
        self, given: dict[str, Any], begun: bool, stopped: bool, progress: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """Returns the outcome of a call whose end was not seen, or which has not begun. Returns None if the
        call was erased.
        """
        order = order_from_json(given)
        so_far = None
        if progress is not None:
            so_far = CallProgress(done=progress["done"], total=progress["total"], unit=progress["unit"])
        async with _not_cancelled():
            call = await self._call(order)
            if call is None:
                return None
            outcome: Outcome | None = None
            if begun:
                ready = prepare(call, self._company(order).tools, order.customer)
                if isinstance(ready, PreparedCall):
                    context = self._context(order, call)
                    outcome = await reconcile(
                        ready, customer=order.customer, context=context, clock=self._clock
                    )
            if outcome is None and stopped and (order.repeatable or not begun):
                outcome = stopped_outcome(call, so_far)
        return _ended(outcome or CallUnknown(call=call), 0)

    @activity.defn(name=RECORD)
    async def record(self, given: dict[str, Any], ended: dict[str, Any]) -> None:
        """Record the outcome in the conversation."""
        order = order_from_json(given)
        entry = entry_from_json(kind_named(CallEnded), ended)
        assert isinstance(entry, CallEnded)  # noqa: S101 - of this kind
        async with _not_cancelled():
            call = await self._call(order)
            if call is not None:
                whole = replace(entry, outcome=replace(entry.outcome, call=call))
                await self._record_elsewhere(order.key, order.turn_id, whole)

    async def _call(self, order: LongCallOrder) -> Call | None:
        """Returns the call with its final arguments, or None if the conversation was erased."""
        state = ConversationState(await self._calls.read(order.key))
        if not state.knows_turn(order.turn_id):
            return None
        turn = state.turn(order.turn_id)
        call, started = turn.requested[order.call_id], turn.started[order.call_id]
        return call if started.arguments is None else replace(call, arguments=dict(started.arguments))

    def _company(self, order: LongCallOrder) -> CompanyTools:
        company = self._companies.get(order.key.tenant)
        if company is None:
            raise _refusal(f"this process has no tenant {order.key.tenant!r}")
        return company()

    def _context(self, order: LongCallOrder, call: Call) -> ToolContext:
        return ToolContext(
            key=order.idempotency_key,
            call_id=call.id,
            now=self._clock.now(),
            log=CallLog(call.tool, order.idempotency_key),
            visitor=order.key.customer,
        )


def fitting(outcome: Outcome, key: str) -> Outcome:
    """Returns the outcome, without its largest files if it has more bytes than Temporal accepts.

    Only as many files are left out as necessary. The value without files always fits.
    """
    while isinstance(outcome, CallSucceeded) and outcome.media and (size := _size(outcome)) > MOST_BYTES:
        largest = max(outcome.media, key=lambda one: len(one.data))
        left = tuple(one for one in outcome.media if one is not largest)
        told = f"{size} bytes with the rest of the result; Temporal passes on at most {MOST_BYTES}"
        clause = f"{largest.name or largest.mime}: it has {told}"
        log.warning("media left out", tool=outcome.call.tool, call=key, why=clause)
        outcome = replace(outcome, media=left, omitted=(*outcome.omitted, clause))
    return outcome


def _size(outcome: Outcome) -> int:
    return len(orjson.dumps(_ended(outcome, 0)))


def _ended(outcome: Outcome, ms: int) -> dict[str, Any]:
    """Returns the entry without the call's arguments, which are in the log."""
    bare = replace(outcome, call=replace(outcome.call, arguments={}, opaque=None))
    return entry_to_json(CallEnded(outcome=bare, duration_ms=ms, late=True))


def _place(order: LongCallOrder) -> str:
    return f"{order.key.tenant}/{order.idempotency_key}"


def _refusal(why: str, *, kind: str | None = None) -> ApplicationError:
    """Returns an error that the workflow handles, and that needs no traceback in the log."""
    return ApplicationError(why, type=kind, category=ApplicationErrorCategory.BENIGN)


@asynccontextmanager
async def _not_cancelled() -> AsyncGenerator[None]:
    """Turn the end of this process into an error, which is retried.

    For Temporal, a cancelled activity has ended.
    """
    try:
        yield
    except asyncio.CancelledError:
        _break_off("the process ended")


def _break_off(why: str) -> NoReturn:
    raise _refusal(why, kind=BROKEN_OFF) from None


class TemporalWorker:
    """Runs the tasks that Temporal assigns to this process.

    Args:
        runner: the connection.
        activities: the activities of this process.
        conversations: whether this process can open conversations.
    """

    def __init__(self, runner: TemporalRunner, activities: Activities, *, conversations: bool) -> None:
        self._runner, self._activities, self._conversations = runner, activities, conversations

    async def run(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Work until cancelled. If Temporal cannot be used, try again after each ``pause``."""
        try:
            while True:
                try:
                    await self._runner.check()
                    await self._work(await self._runner.client(), pause)
                except LongRunnerAway:
                    pass  # logged
                except Exception:
                    log.exception("long calls are interrupted")
                await pause(_PAUSE_S)
        finally:
            await self._activities.close()

    async def _work(self, client: Client, pause: Callable[[float], Awaitable[None]]) -> None:
        ours = self._activities
        throttle = timedelta(seconds=_BEAT_S)
        workers = [
            Worker(
                client,
                task_queue=TOOLS_QUEUE,
                workflows=[LongCallWorkflow],
                workflow_runner=UnsandboxedWorkflowRunner(),
                activities=[ours.claim, ours.find_out],
                max_concurrent_activities=_MOST_AT_ONCE,
                max_heartbeat_throttle_interval=throttle,
            ),
            Worker(
                client,
                task_queue=ours.queue,
                activities=[ours.run],
                max_concurrent_activities=_MOST_AT_ONCE,
                max_heartbeat_throttle_interval=throttle,
            ),
        ]
        if self._conversations:
            workers.append(Worker(client, task_queue=CONVERSATIONS_QUEUE, activities=[ours.record]))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch(pause))
            for worker in workers:
                tasks.create_task(worker.run())

    async def _watch(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Notice when Temporal becomes unreachable and reachable. Its client reconnects by itself."""
        while True:
            await pause(_PAUSE_S)
            with suppress(LongRunnerAway):  # logged
                await self._runner.check()
            self._activities.end_unwanted(there=self._runner.away is None)
