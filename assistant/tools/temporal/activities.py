"""What a process of ours does for a long call on Temporal: runs its tool, finds out, records its end."""

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
from assistant.ports import Clock, Log
from assistant.tools.execute import prepare, unkept_outcome
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
"""How often a process says that a call still runs, and hears that the customer has stopped it."""

_MOST_AT_ONCE = 500
"""Long calls that one process runs at the same time; others wait for another process, or a place."""

MOST_BYTES = 2_000_000
"""An outcome with its media, as JSON. Temporal refuses more than 2 MB."""

_KEPT = 50
"""So many ended calls keep their outcomes, in case Temporal did not receive them."""

_PAUSE_S = 5.0
"""Before another try to reach Temporal, and between two looks whether it is there."""

_MISSED = 12
"""After so many looks a call that no attempt waits for is ended here: Temporal gave it to another process."""


@dataclass(slots=True)
class _Run:
    """A call that this process has claimed, runs, or has run. It outlives an attempt of which Temporal lost sight.

    ``missed``: how often Temporal was there in a row, while no attempt waited for this.
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
        companies: gives the newest tools of each tenant that this process has.
        calls: the log, which has the calls with their arguments.
        record: takes outcomes and progress.
        clock: measures.
        process: an id that no other process has.

    Attributes:
        queue: the task queue of this process alone.
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
        """The task queue of this process, which has the tool; None: the conversation was erased.

        Otherwise an error, and Temporal asks other processes. Nothing has run.
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
        """Run the tool of a claimed call to its outcome. If it runs, or has run, go on with that."""
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
        """Say that it runs, until its end."""
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
        """End what Temporal waits for no longer; ``there``: whether Temporal was there at this look."""
        for run in self._runs.values():
            run.missed = run.missed + 1 if there and not run.attempts else 0
            if run.missed > _MISSED and run.work is not None:
                run.work.cancel()

    async def _beat(self, run: _Run) -> None:
        while True:
            activity.heartbeat(*([asdict(run.newest)] if run.newest is not None else []))
            await self._clock.sleep(_BEAT_S)

    async def _is_wanted(self, order: LongCallOrder) -> bool:
        """Whether the workflow still waits for the call; True while that cannot be asked."""
        try:
            return await self._runner.is_open(order.key.tenant, order.idempotency_key)
        except LongRunnerAway:
            return True

    async def _drop(self, order: LongCallOrder, run: _Run) -> None:
        self._runs.pop(_place(order), None)
        if run.work is not None:
            run.work.cancel()
            # What it still reports must not come after this process has closed its conversations.
            await asyncio.wait({run.work}, timeout=STOP_S)

    async def close(self) -> None:
        """End all that still runs here."""
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
        return _ended(fitting(outcome, ready, order.idempotency_key), ms)

    @activity.defn(name=FIND_OUT)
    async def find_out(
        self, given: dict[str, Any], begun: bool, stopped: bool, progress: dict[str, Any] | None
    ) -> dict[str, Any] | None:
        """The outcome of a call whose tool was not seen to end, or has not begun; None: it was erased."""
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
                    outcome = outcome and fitting(outcome, ready, order.idempotency_key)
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
        """The call, with the arguments that it runs with; None: the conversation was erased."""
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


def fitting(outcome: Outcome, ready: PreparedCall, key: str) -> Outcome:
    """The outcome, if Temporal takes it. Else its largest files are left out; where that does not do, it failed."""
    while (size := _size(outcome)) > MOST_BYTES:
        told = f"{size} bytes with the rest of the result; Temporal passes on at most {MOST_BYTES}"
        if isinstance(outcome, CallSucceeded) and outcome.media:
            largest = max(outcome.media, key=lambda one: len(one.data))
            left = tuple(one for one in outcome.media if one is not largest)
            clause = f"{largest.name or largest.mime}: it has {told}"
            log.warning("media left out", tool=ready.call.tool, call=key, why=clause)
            outcome = replace(outcome, media=left, omitted=(*outcome.omitted, clause))
        else:
            why = f"The result has {size} bytes; Temporal passes on at most {MOST_BYTES}. Return less of it."
            return unkept_outcome(ready, why, key)
    return outcome


def _size(outcome: Outcome) -> int:
    return len(orjson.dumps(_ended(outcome, 0)))


def _ended(outcome: Outcome, ms: int) -> dict[str, Any]:
    """The entry without the call's arguments, which are in the log."""
    bare = replace(outcome, call=replace(outcome.call, arguments={}, opaque=None))
    return entry_to_json(CallEnded(outcome=bare, duration_ms=ms, late=True))


def _place(order: LongCallOrder) -> str:
    return f"{order.key.tenant}/{order.idempotency_key}"


def _refusal(why: str, *, kind: str | None = None) -> ApplicationError:
    """An error that the workflow handles, and that no log needs a traceback of."""
    return ApplicationError(why, type=kind, category=ApplicationErrorCategory.BENIGN)


@asynccontextmanager
async def _not_cancelled() -> AsyncGenerator[None]:
    """The end of this process is an error, which is tried again; to Temporal a cancelled activity is at its end."""
    try:
        yield
    except asyncio.CancelledError:
        _break_off("the process ended")


def _break_off(why: str) -> NoReturn:
    raise _refusal(why, kind=BROKEN_OFF) from None


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
        """Work until cancelled. While Temporal cannot be used, that is tried again after each ``pause``."""
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
        """Notice when Temporal goes away and comes back; its client connects again by itself."""
        while True:
            await pause(_PAUSE_S)
            with suppress(LongRunnerAway):  # logged
                await self._runner.check()
            self._activities.end_unwanted(there=self._runner.away is None)
