"""The tasks of a conversation's tool calls. They continue when their turn is stopped.

A call that identifies the customer is also recorded here. From then on the conversation belongs to that
customer.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, CallStarted, IdentificationAttempted, Identified
from assistant.conversation.outcomes import CallDenied, CallUnknown, Outcome
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import JsonObject
from assistant.errors import LogError
from assistant.ports import Clock
from assistant.sessions.fair_steps import run_fairly
from assistant.sessions.long_calls import LongCalls
from assistant.storage_ports import FIRST_NUMBERING, Numbering
from assistant.telemetry.context import begin_call
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.execute import execute
from assistant.tools.media import Transform
from assistant.tools.outcomes import ExecutedCall, identity_not_matched
from assistant.tools.reconcile import reconcile
from assistant.tools.tool import CallLog, PreparedCall, ToolContext
from assistant.turn.context import Record, RunningTurn
from assistant.turn.finish import record_snapshots
from assistant.turn.start_call import not_started

log = structlog.get_logger(__name__)

MAX_TRIES = 5
"""The maximum number of failed attempts to identify in a conversation; then an agent has to do it."""


async def identify(ran: ExecutedCall, turn: RunningTurn, record: Record) -> ExecutedCall:
    """Record the result of an attempt to identify. After a match, all actions are for the company's customer.

    If two attempts in one turn find two customers, the first that ends is valid.
    """
    found = ran.identified
    known = turn.customer
    if found is not None and known.known and known.id != found.id:
        log.warning("two customers in one conversation", conversation=turn.key.conversation)
        ran = identity_not_matched(ran.outcome.call)
        found = None
    await record(IdentificationAttempted(matched=found is not None))
    if found is not None and not known.known:
        await record(Identified(level="verified", customer=found.id, name=found.name))
    return ran


_STOPPED = "it was stopped before it ran"
_NO_MORE_TRIES = "I can't check any more who you are in this conversation"
_NO_MORE_TRIES_FOR_MODEL = (
    "Too many tries did not match. Do not try again; offer a person if a tool can pass them on to one."
)


class ToolTasks:
    """Starts calls and records their outcomes, also when the turn no longer waits for them.

    Args:
        clock: gives times and durations.
        gates: the tools' concurrency limiters in this process; without them, this conversation has its own.
        transform: applied to tools' media, read again for each call, because an edit may change it.
        long_calls: the calls for which no turn waits; without them, their tools run like any other.
        numbering: its name is a part of the idempotency keys, so that no key repeats after an erasure or a
            restore.
    """

    def __init__(
        self,
        clock: Clock,
        gates: ConcurrencyLimiters | None = None,
        transform: Callable[[], Transform | None] = lambda: None,
        long_calls: LongCalls | None = None,
        numbering: Numbering = FIRST_NUMBERING,
    ) -> None:
        self._clock, self._transform, self._long = clock, transform, long_calls
        self._numbering = f"~{numbering.name}" if numbering.name else ""
        self._gates = gates or ConcurrencyLimiters(clock)
        self._trying = 0
        self._identifying = asyncio.Lock()
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def start(self, ready: PreparedCall, turn: RunningTurn, record: Record) -> None:
        """Record that the call starts, and run it. A side effect starts only when that record is on disk.

        If it is cancelled before that, it is recorded as cancelled and never runs. A customer who has failed to
        identify too often is denied another attempt.
        """
        call, spec = ready.call, ready.tool.spec
        if spec.role == "identifies" and turn.conversation.failed_tries + self._trying >= MAX_TRIES:
            denied = CallDenied(call=call, say=_NO_MORE_TRIES, for_model=_NO_MORE_TRIES_FOR_MODEL)
            await record(CallEnded(outcome=denied))
            return
        context = self._context(ready, turn)
        started = CallStarted(
            call_id=call.id,
            tool=call.tool,
            idempotency_key=context.key,
            arguments=_filled_in(call, turn.state),
        )
        stopped = not_started(ready, turn, _STOPPED)
        # Attempts that begin together count before any of them has ended.
        self._trying += spec.role == "identifies"
        try:
            await record(started, durable=spec.effect == "write" and not spec.long)
            if spec.long and self._long is not None:
                await self._long.start(ready, turn.state, _without_credential(turn.customer), context)
                return
        except BaseException as error:
            self._trying -= spec.role == "identifies"
            if isinstance(error, asyncio.CancelledError):
                await record(CallEnded(outcome=stopped, late=call.id in turn.state.pending))
            raise
        place = (turn.state.id, call.id)
        task = asyncio.create_task(
            run_fairly(turn.customer.tenant, partial(self._run, ready, turn, context, record))
        )
        self._tasks[place] = task
        task.add_done_callback(lambda _: self._tasks.pop(place, None))
        if spec.role == "identifies":
            task.add_done_callback(self._tried)

    @property
    def idle(self) -> bool:
        """Whether no call is running."""
        return not self._tasks and (self._long is None or self._long.idle)

    def running(self, turn_id: str, call_id: str) -> bool:
        """Whether the call has a task, or runs elsewhere."""
        if (turn_id, call_id) in self._tasks:
            return True
        return self._long is not None and self._long.is_cared_for(turn_id, call_id)

    async def ended(self, turn_id: str, calls: Sequence[Call], until: float | None = None) -> None:
        """Wait for the calls' outcomes, at most until ``until``. The calls continue after that.

        It does not wait for long calls.
        """
        tasks = [task for call in calls if (task := self._tasks.get((turn_id, call.id))) is not None]
        left_s = None if until is None else max(0.0, until - self._clock.monotonic())
        if tasks:
            await asyncio.wait(tasks, timeout=left_s)

    async def close(self, patience_s: float) -> None:
        """Let running calls continue for ``patience_s``, then cancel them. The log shows which have no outcome."""
        if self._long is not None:
            await self._long.close()
        if not self._tasks:
            return
        tasks = tuple(self._tasks.values())
        _, late = await asyncio.wait(tasks, timeout=patience_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _tried(self, _: asyncio.Task[None]) -> None:
        self._trying -= 1

    async def reconciled_outcome(self, ready: PreparedCall, turn: RunningTurn) -> Outcome | None:
        """The outcome of a side effect that began before a crash, from its tool's ``reconcile``; otherwise
        unknown. None: it is a long call, and continues.
        """
        context = self._context(ready, turn)
        long = turn.state.long.get(ready.call.id)
        if self._long is not None and long is not None and long.runner != "staff":
            return await self._long.resume(ready, turn.state, _without_credential(turn.customer), context)
        end = await reconcile(ready, customer=turn.customer, context=context, clock=self._clock)
        return end or CallUnknown(call=ready.call)

    def _context(self, ready: PreparedCall, turn: RunningTurn) -> ToolContext:
        begun = turn.state.started.get(ready.call.id)
        key = self._new_key(turn, ready.call) if begun is None else begun.idempotency_key
        return ToolContext(
            key=key,
            call_id=ready.call.id,
            now=self._clock.now(),
            log=CallLog(ready.call.tool, key),
            visitor=turn.key.customer,
            long_calls=self._long if ready.tool.spec.role == "stops" else None,
        )

    def _new_key(self, turn: RunningTurn, call: Call) -> str:
        """The key of a call that begins: ``<conversation>/<turn>/<call>``, and the numbering if it has a name."""
        return f"{turn.key.conversation}/{turn.state.id}/{call.id}{self._numbering}"

    async def _run(
        self, ready: PreparedCall, turn: RunningTurn, context: ToolContext, record: Record
    ) -> None:
        begin_call(turn.state.id, ready.call.id)
        began = self._clock.monotonic()
        ran = await execute(
            ready,
            customer=turn.customer,
            context=context,
            timeout_s=ready.tool.spec.timeout_s,
            clock=self._clock,
            gates=self._gates,
            transform=self._transform(),
        )
        ms = round((self._clock.monotonic() - began) * 1000)
        try:
            if ran.matched is not None:
                async with self._identifying:  # of two attempts with a match, the second must see the first
                    ran = await identify(ran, turn, record)
            late = turn.state.how is not None or ready.call.id in turn.state.pending
            await record(CallEnded(outcome=ran.outcome, duration_ms=ms, late=late))
            if turn.state.how is not None:
                await record_snapshots(turn, record)
        except LogError as error:
            # The turn meets the same failure and ends; the call has run, and the log shows that it started.
            log.error("outcome not recorded", call=ready.call.id, error=str(error))


def _without_credential(customer: Customer) -> Customer:
    return customer if customer.credential is None else replace(customer, credential=None)


def _filled_in(call: Call, turn: TurnState) -> JsonObject | None:
    """The arguments with which the call runs, if they differ from the decided ones."""
    decided = turn.requested.get(call.id, call)
    return call.arguments if call.arguments != decided.arguments else None
