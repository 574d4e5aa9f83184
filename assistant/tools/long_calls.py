"""Calls that take minutes to days: the port of what runs them, and how one of them runs, reports and stops."""

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
"""A tool's reports are recorded at most so often; the newest one counts."""

STOP_S = 5.0
"""So long a tool may take to end what it is doing after the customer has stopped it."""


class LongRunnerAway(AssistantError):
    """The system that runs long calls does not answer. It is asked again."""

    say = "I can't reach what runs that at the moment"


@dataclass(frozen=True, slots=True, kw_only=True)
class LongCallOrder:
    """What another process needs to run a long call. The call itself, with its arguments, is in the log.

    ``idempotency_key`` is the call's own. ``repeatable``: it may be run again after a crash. ``customer`` has no
    credential.
    """

    key: ConversationKey
    turn_id: str
    call_id: str
    customer: Customer
    idempotency_key: str
    repeatable: bool
    timeout_s: float


class LongRunner(Protocol):
    """Runs long calls outside the process that holds the conversation, which may end meanwhile.

    What becomes of a call is recorded by :meth:`assistant.sessions.session.Session.record_long_call`, in whichever
    process holds its conversation then. Methods raise ``LongRunnerAway``.
    """

    @property
    def name(self) -> RunnerName:
        """Its name in the log."""
        ...

    @property
    def away(self) -> str | None:
        """Why it does not answer; None: it does, as far as is known."""
        ...

    async def start(self, order: LongCallOrder) -> None:
        """Accept a call. Doing it again with the same key starts nothing."""
        ...

    async def stop(self, tenant: str, idempotency_key: str) -> None:
        """Let a call stop. Its outcome follows, and says how far it got. Does nothing if it has ended."""
        ...

    async def erase(self, tenant: str, idempotency_keys: Sequence[str]) -> None:
        """End these calls at once, without an outcome, and delete all that is stored of them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyTools:
    """The tools of one tenant, at one moment, and what their calls share."""

    tools: Tools
    gates: ConcurrencyLimiters
    transform: Transform | None = None


class RecordElsewhere(Protocol):
    """Records what becomes of a long call in its conversation, wherever that is open."""

    async def __call__(self, key: ConversationKey, turn_id: str, entry: LongCallEntry) -> None:
        """An outcome is durable when this returns. Raises an ``AssistantError``; then it is tried again."""
        ...


class LongCallControl(Protocol):
    """The long calls of a conversation, for the tool that stops them."""

    def listed(self) -> Sequence[tuple[LongCallStatus, Call]]:
        """Those that run now, oldest first."""
        ...

    async def stop(self, ref: str) -> LongCallStatus | Outcome:
        """Stop one of them, and wait a moment for its end; how it stands then."""
        ...


def may_run_again(spec: ToolSpec) -> bool:
    """Whether a call that was cut off may be run once more: a lookup, or a write that honours its key."""
    return spec.effect == "read" or spec.idempotent


Report = Callable[[LongCallProgressed], Awaitable[None]]
"""Records how far a call is."""


class ProgressReports:
    """What a running tool reports, at most once in ``PROGRESS_S``."""

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
        """Record this soon. Never raises."""
        told = LongCallProgressed(
            call_id=self._call_id, done=int(done), total=int(total), unit=str(unit)[:_LONGEST_UNIT]
        )
        if told != self._last:
            self._last = self._to_report = told
            if self._task is None:
                self._task = asyncio.create_task(self._tell())

    async def finish(self) -> None:
        """Record what is not recorded yet."""
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
            # A courtesy: the call goes on.
            log.warning("progress not recorded", call=self._call_id, why=str(error))
        # If ``finish`` cancels this before here, it reports it once more: a tool may end at once.
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
    """Run a long call to its outcome. Raises only ``CancelledError``: then this process ends, not the call.

    When ``stop`` is set, the function is cancelled. What it returns then, or the ``ToolError`` that it raises, is
    the outcome. If it does neither, the outcome is ``cancelled``, unless its ``reconcile`` says that it was done.
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
    """A tool whose function is cancelled when ``stop`` is set, and may then say what it has done."""

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
            # It does not heed that it was cancelled. What it does from now on is unheard.
            raise asyncio.CancelledError from None
        finally:
            asked.cancel()
            work.cancel()

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        if not isinstance(self._tool, CheckedTool):
            raise LookupError(f"{self.spec.name} has no reconcile")  # noqa: TRY004 - it is then unknown
        return await self._tool.check(arguments, customer=customer, context=context)

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        return await self._tool.read_back(arguments, customer=customer, book=book)
