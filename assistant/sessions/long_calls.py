"""The long calls of one conversation: starts them, continues them after a restart, stops them, records their
outcomes.

In one process the log is their whole state. A call runs as a task of the process that holds the conversation.
After a crash it runs again if that is safe; otherwise its tool's ``reconcile`` gives the outcome, or the
outcome is unknown. With a runner (Temporal) the call runs elsewhere, and this class only passes it on.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Protocol

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import (
    CallEnded,
    Entry,
    LongCallAccepted,
    LongCallEntry,
    LongCallProgressed,
    LongCallStarted,
    LongCallStopRequested,
)
from assistant.conversation.outcomes import (
    CallProgress,
    CallUnknown,
    LongCallStatus,
    Outcome,
    stopped_outcome,
    withdrawn_outcome,
)
from assistant.conversation.snapshots import snapshot_of
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import LongCall, TurnState
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.telemetry.context import begin_call
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.long_calls import (
    LongCallOrder,
    LongRunner,
    LongRunnerAway,
    may_run_again,
    run_long,
)
from assistant.tools.media import Transform
from assistant.tools.reconcile import reconcile
from assistant.tools.tool import PreparedCall, ToolContext

log = structlog.get_logger(__name__)

STOP_WAIT_S = 6.0
"""Seconds that the tool that stops a call waits for its end; a later end is reported separately."""

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0


class RecordIn(Protocol):
    """Append an entry to a turn."""

    async def __call__(self, turn_id: str, entry: Entry, *, durable: bool = False) -> None:
        """Record one entry. Raises ``LogError``."""
        ...


class LongCalls:
    """Runs or passes on the long calls of a conversation.

    Args:
        runner: runs them elsewhere; None: they run here.
    """

    def __init__(
        self,
        key: ConversationKey,
        state: ConversationState,
        record: RecordIn,
        clock: Clock,
        gates: ConcurrencyLimiters,
        transform: Callable[[], Transform | None],
        runner: LongRunner | None,
    ) -> None:
        self._key, self._state, self._record, self._clock = key, state, record, clock
        self._gates, self._transform, self._runner = gates, transform, runner
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stops: dict[str, asyncio.Event] = {}
        self._ends: dict[str, asyncio.Event] = {}

    @property
    def idle(self) -> bool:
        """Whether this process has nothing to do for them."""
        return not self._tasks

    def is_cared_for(self, turn_id: str, call_id: str) -> bool:
        """Whether the call runs here, or elsewhere."""
        if f"{turn_id}/{call_id}" in self._tasks:
            return True
        long = self._state.turn(turn_id).long.get(call_id)
        return long is not None and long.accepted

    async def start(
        self, ready: PreparedCall, turn: TurnState, customer: Customer, context: ToolContext
    ) -> None:
        """Record that the call is given to a runner, and start it. Its turn continues immediately."""
        name = self._runner.name if self._runner is not None else "embedded"
        started = LongCallStarted(call_id=ready.call.id, runner=name)
        await self._record(turn.id, started, durable=True)
        self._begin(ready, turn, customer, context)

    async def resume(
        self, ready: PreparedCall, turn: TurnState, customer: Customer, context: ToolContext
    ) -> Outcome | None:
        """Continue a call that another process began; returns its outcome if it cannot continue."""
        long = turn.long[ready.call.id]
        if long.runner != "embedded" and self._runner is not None:
            # With the same idempotency key, a new start is not a second run.
            self._begin(ready, turn, customer, context)
            return None
        if long.runner == "embedded" and may_run_again(ready.tool.spec) and not long.stopping:
            log.info("long call runs again", call=context.key, tool=ready.call.tool)
            self._begin(ready, turn, customer, context)
            return None
        end = await reconcile(ready, customer=customer, context=context, clock=self._clock)
        if end is None and long.stopping and may_run_again(ready.tool.spec):
            return stopped_outcome(ready.call, long.progress)
        return end or CallUnknown(call=ready.call)

    async def note(self, turn_id: str, entry: LongCallEntry) -> None:
        """Record another process's report. A known report changes nothing."""
        turn = self._state.turn(turn_id)
        match entry:
            case CallEnded():
                await self._ended(turn, entry)
            case LongCallAccepted(call_id=call_id):
                if call_id not in turn.outcomes and not turn.long[call_id].accepted:
                    await self._record(turn_id, entry)
            case LongCallProgressed(call_id=call_id, done=done, total=total, unit=unit):
                told = CallProgress(done=done, total=total, unit=unit)
                if call_id not in turn.outcomes and turn.long[call_id].progress != told:
                    await self._record(turn_id, entry)

    def listed(self) -> Sequence[tuple[LongCallStatus, Call]]:
        """The long calls that run now, and the calls that wait for staff, oldest first."""
        running = [
            (turn, call)
            for turn in self._state.turns
            if turn.long
            for call in (*turn.running, *turn.awaiting_approval)
        ]
        standing = [(turn.pending_status(call).long, call) for turn, call in running]
        return [(long, call) for long, call in standing if long is not None]

    async def stop(self, ref: str) -> LongCallStatus | Outcome:
        """Stop a running call, and wait for its end for a short time; returns its state then."""
        turn_id, _, call_id = ref.partition("/")
        turn = self._state.turn(turn_id)
        if (known := turn.outcomes.get(call_id)) is not None:
            return known
        if any(call.id == call_id for call in turn.awaiting_approval):
            await self._ended(turn, CallEnded(outcome=withdrawn_outcome(turn.requested[call_id]), late=True))
            return turn.outcomes[call_id]
        long = turn.long[call_id]
        if not long.stopping:
            await self._record(turn_id, LongCallStopRequested(call_id=call_id), durable=True)
        self._stops.setdefault(ref, asyncio.Event()).set()
        if long.accepted and ref not in self._tasks:
            self._keep(ref, self._pass_stop_on(ref))
        ended = self._ends.setdefault(ref, asyncio.Event())
        try:
            async with self._clock.timeout(STOP_WAIT_S):
                await ended.wait()
        except TimeoutError:
            pass
        call = turn.requested[call_id]
        status = turn.pending_status(call).long
        return turn.outcomes.get(call_id) or status or CallUnknown(call=call)

    def abandon(self) -> None:
        """Stop all work here immediately, without an outcome: another process continues it, or the customer is
        erased.
        """
        for task in self._tasks.values():
            task.cancel()

    async def close(self) -> None:
        """End this process's part. The log shows which calls run, and the next process continues them."""
        tasks = tuple(self._tasks.values())
        self.abandon()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def at_rest(self) -> None:
        """Wait until nothing is left to do here."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks.values()))

    def _begin(self, ready: PreparedCall, turn: TurnState, customer: Customer, context: ToolContext) -> None:
        ref = f"{turn.id}/{ready.call.id}"
        if turn.long[ready.call.id].runner == "embedded":
            self._keep(ref, self._run_here(ref, ready, turn, customer, context))
        else:
            order = LongCallOrder(
                key=self._key,
                turn_id=turn.id,
                call_id=ready.call.id,
                customer=customer,
                idempotency_key=context.key,
                repeatable=may_run_again(ready.tool.spec),
                timeout_s=ready.tool.spec.timeout_s,
            )
            self._keep(ref, self._pass_on(ref, order, turn.long[ready.call.id]))

    def _keep(self, ref: str, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks[ref] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._tasks.pop(ref, None))

    async def _run_here(
        self, ref: str, ready: PreparedCall, turn: TurnState, customer: Customer, context: ToolContext
    ) -> None:
        begin_call(turn.id, ready.call.id)
        began = self._clock.monotonic()
        try:
            outcome = await run_long(
                ready,
                customer=customer,
                context=context,
                clock=self._clock,
                gates=self._gates,
                transform=self._transform(),
                stop=self._stops.setdefault(ref, asyncio.Event()),
                report=partial(self._record, turn.id),
            )
            ms = round((self._clock.monotonic() - began) * 1000)
            await self._ended(turn, CallEnded(outcome=outcome, duration_ms=ms, late=True))
        except LogError as error:
            # The conversation is closed here. The log shows that the call started.
            log.error("outcome not recorded", call=context.key, error=str(error))

    async def _pass_on(self, ref: str, order: LongCallOrder, long: LongCall) -> None:
        """Give the call to the runner; try until that succeeds."""
        assert self._runner is not None  # noqa: S101 - the caller's condition
        await self._until_answered(partial(self._runner.start, order), order.idempotency_key)
        try:
            if order.call_id not in self._state.turn(order.turn_id).outcomes:
                await self._record(order.turn_id, LongCallAccepted(call_id=order.call_id))
        except LogError as error:
            log.error("not recorded", call=order.idempotency_key, error=str(error))
        if long.stopping:
            await self._pass_stop_on(ref)

    async def _pass_stop_on(self, ref: str) -> None:
        if self._runner is not None:
            turn_id, _, call_id = ref.partition("/")
            key = self._state.turn(turn_id).started[call_id].idempotency_key
            await self._until_answered(partial(self._runner.stop, self._key.tenant, key), key)

    async def _until_answered(self, ask: Callable[[], Awaitable[None]], key: str) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                await ask()
            except LongRunnerAway as error:
                if pause_s == _FIRST_PAUSE_S:
                    log.warning("long call waits: what runs it does not answer", call=key, why=str(error))
                await self._clock.sleep(pause_s)
                pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
            else:
                return

    async def _ended(self, turn: TurnState, entry: CallEnded) -> None:
        """Record the outcome once, and its snapshot for later turns."""
        call_id = entry.outcome.call.id
        if call_id not in turn.outcomes:
            await self._record(turn.id, entry, durable=True)
            if turn.how is not None and call_id not in turn.snapshots:
                await self._record(turn.id, snapshot_of(entry.outcome, self._key.conversation, turn.id))
        ended = self._ends.pop(f"{turn.id}/{call_id}", None)
        if ended is not None:
            ended.set()
