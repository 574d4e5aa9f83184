"""Calls that take minutes to days: the port of their runner, and how a call runs, reports and stops."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import LongCallEntry, LongCallProgressed, RunnerName
from assistant.conversation.outcomes import (
    CallCancelled,
    CallProgress,
    LongCallStatus,
    Outcome,
    stopped_outcome,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.execute import execute
from assistant.tools.media import Transform
from assistant.tools.registry import Tools
from assistant.tools.tool import CheckedTool, PreparedCall, Tool, ToolContext, ToolResult

log = structlog.get_logger(__name__)

PROGRESS_S = 1.0
"""The least seconds between two recorded reports of a tool. Of several, the newest is recorded."""

STOP_S = 5.0
"""The seconds that a tool has to finish after the customer has stopped it."""


class LongRunnerAway(AssistantError):
    """The system that runs long calls does not answer. The request is repeated later."""

    say = "I can't reach what runs that at the moment"


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallOrder:
    """The data with which another process runs a long call. The call itself, with its arguments, is in the
    log.

    ``idempotency_key`` is that of the call. ``repeatable`` is True if it may run again after a crash.
    ``customer`` has no credential.
    """

    key: ConversationKey
    turn_id: str
    call_id: str
    customer: Customer
    idempotency_key: str
    repeatable: bool
    timeout_s: float


class LongRunner(Protocol):
    """Runs long calls outside of the process that has the conversation, which may end meanwhile.

    The outcome and progress of a call are recorded by
    :meth:`assistant.sessions.session.Session.record_long_call`, in the process that has the conversation at
    that time. Methods raise ``LongRunnerAway``.
    """

    @property
    def name(self) -> RunnerName:
        """The runner's name in the log."""
        ...

    @property
    def away(self) -> str | None:
        """The reason why the runner does not answer, or None if it answered the last request."""
        ...

    async def start(self, order: LongCallOrder) -> None:
        """Accept a call. A repetition with the same key has no effect."""
        ...

    async def stop(self, tenant: str, idempotency_key: str) -> None:
        """Make a call stop. Its outcome follows, and says how far the call got. After the call's end, this
        has no effect.
        """
        ...

    async def erase(self, tenant: str, idempotency_keys: Sequence[str]) -> None:
        """End these calls immediately, without an outcome, and delete all stored data of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyTools:
    """The tools of one tenant at one moment, and the objects that their calls share."""

    tools: Tools
    gates: ConcurrencyLimiters
    transform: Transform | None = None


class RecordElsewhere(Protocol):
    """Records an outcome or progress of a long call in its conversation, in whichever process that is open."""

    async def __call__(self, key: ConversationKey, turn_id: str, entry: LongCallEntry) -> None:
        """Record an outcome or progress. When this returns, an outcome is durable.

        If this raises an ``AssistantError``, the caller tries again later.
        """
        ...


class LongCallControl(Protocol):
    """The long calls of a conversation, for the tool that stops them."""

    def listed(self) -> Sequence[tuple[LongCallStatus, Call]]:
        """Returns the running long calls, oldest first."""
        ...

    async def stop(self, ref: str) -> LongCallStatus | Outcome:
        """Stop one of the long calls, and wait briefly for its end. Returns the call's status after that."""
        ...


def may_run_again(spec: ToolSpec) -> bool:
    """Whether a call that was interrupted may run again: a lookup, or an idempotent write."""
    return spec.effect == "read" or spec.idempotent


Report = Callable[[LongCallProgressed], Awaitable[None]]
"""Records the progress of a call."""


class ProgressReports:
    """Records the reports of a running tool, at most one in ``PROGRESS_S``."""

    def __init__(self, call_id: str, report: Report, clock: Clock) -> None:
        self._call_id, self._report, self._clock = call_id, report, clock
        self._to_report: LongCallProgressed | None = None
        self._last: LongCallProgressed | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def newest(self) -> CallProgress | None:
        """The newest report."""
        last = self._last
        return None if last is None else CallProgress(done=last.done, total=last.total, unit=last.unit)

    def note(self, done: int, total: int, unit: str) -> None:
        """Record this report soon. Never raises."""
        told = LongCallProgressed(
            call_id=self._call_id, done=int(done), total=int(total), unit=str(unit)[:_LONGEST_UNIT]
        )
        if told != self._last:
            self._last = self._to_report = told
            if self._task is None:
                self._task = asyncio.create_task(self._tell())

    async def finish(self) -> None:
        """Record the newest report, if it is not recorded yet."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
        await self._tell_newest()

    async def _tell(self) -> None:
        while self._to_report is not None:
            await self._tell_newest()
            await self._clock.sleep(PROGRESS_S)
        self._task = None

    async def _tell_newest(self) -> None:
        newest = self._to_report
        if newest is None:
            return
        try:
            await self._report(newest)
        except AssistantError as error:
            # Progress is not essential, so the call continues.
            log.warning("progress not recorded", call=self._call_id, why=str(error))
        # If ``finish`` cancels this task before this line, it records the report again.
        if self._to_report is newest:
            self._to_report = None


_LONGEST_UNIT = 40


async def run_long(
    ready: PreparedCall,
    *,
    customer: Customer,
    context: ToolContext,
    clock: Clock,
    gates: ConcurrencyLimiters,
    transform: Transform | None,
    stop: asyncio.Event,
    report: Report,
) -> Outcome:
    """Run a long call to its outcome. Raises only ``CancelledError``: then this process ends, but not the
    call.

    When ``stop`` is set, the function is cancelled. The value that it then returns, or the ``ToolError`` that
    it raises, is the outcome. If it does neither, the outcome is ``cancelled``, unless ``reconcile`` says
    that it was done.
    """
    progress = ProgressReports(ready.call.id, report, clock)
    tool = _StoppableTool(ready.tool, stop, clock)
    try:
        ran = await execute(
            replace(ready, tool=tool),
            customer=customer,
            context=replace(context, reporter=progress.note),
            timeout_s=ready.tool.spec.timeout_s,
            clock=clock,
            gates=gates,
            transform=transform,
        )
    finally:
        await progress.finish()
    if isinstance(ran.outcome, CallCancelled) and tool.stopped:
        return stopped_outcome(ready.call, progress.newest)
    return ran.outcome


class _StoppableTool:
    """A tool whose function is cancelled when ``stop`` is set, and may then report what it has done."""

    def __init__(self, tool: Tool, stop: asyncio.Event, clock: Clock) -> None:
        self._tool, self._stop, self._clock = tool, stop, clock
        self.spec = tool.spec
        self.stopped = False

    def validate(self, arguments: JsonObject) -> JsonObject:
        return self._tool.validate(arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        if self._stop.is_set():
            self.stopped = True
            raise asyncio.CancelledError
        work = asyncio.create_task(self._tool.run(arguments, customer=customer, context=context))
        asked = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({work, asked}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self.stopped = True
                work.cancel()
                async with self._clock.timeout(STOP_S):
                    await asyncio.wait({work})
            return work.result()
        except TimeoutError:
            if work.done():
                raise
            # The function ignores the cancellation. Its later result is dropped.
            raise asyncio.CancelledError from None
        finally:
            asked.cancel()
            work.cancel()

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        if not isinstance(self._tool, CheckedTool):
            raise LookupError(f"{self.spec.name} has no reconcile")  # noqa: TRY004 - means unknown
        return await self._tool.check(arguments, customer=customer, context=context)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        return await self._tool.read_back(arguments, customer=customer, book=book)
