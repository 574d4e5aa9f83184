"""The metrics and traces of this process; watches its queues, its jobs and its event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

import structlog

from assistant.conversation.documents import QueuedDocument
from assistant.conversation.state import ConversationState
from assistant.errors import LogError, StoreError
from assistant.jobs import Job, JobKind, Jobs, QueueLength, running_job
from assistant.ports import Clock
from assistant.storage_ports import WriteQueue
from assistant.telemetry import definitions as metrics
from assistant.telemetry.metrics import Metrics
from assistant.telemetry.observer import TenantTelemetry

if TYPE_CHECKING:
    from assistant.telemetry.traces import Traces

log = structlog.get_logger(__name__)

_LOOK_S: Final = 0.25
"""How often the lag of the event loop is measured."""

_QUEUES_S: Final = 10.0
"""The shortest interval in seconds between two reads of the queues, however many monitoring systems ask."""

_PATIENCE_S: Final = 3.0
"""How long a scrape waits for the queues; monitoring systems usually give up after ten."""

_DOCUMENTS: Final = "document"


class Queues(Protocol):
    """The queues of an installation: its jobs, and its documents."""

    @property
    def jobs(self) -> Jobs:
        """The background work."""
        ...

    @property
    def writes(self) -> WriteQueue:
        """The documents that are not written yet."""
        ...


class Telemetry:
    """Counts and traces for all tenants of this process.

    Args:
        clock: measures durations.
        release: the version of this program.
        traces: sends spans; None: traces are off.
    """

    def __init__(self, clock: Clock, *, release: str, traces: "Traces | None" = None) -> None:
        self.values = Metrics()
        self._clock, self._traces = clock, traces
        self._tenants: dict[str, TenantTelemetry] = {}
        self._open: list[tuple[TenantTelemetry, Callable[[], Iterable[ConversationState]]]] = []
        self._queues: Queues | None = None
        self._read_at = float("-inf")
        self._scraping = asyncio.Lock()
        self.values.add(metrics.BUILD, release)

    def of_tenant(self, tenant: str) -> TenantTelemetry:
        """Returns the metrics and traces of one tenant."""
        if tenant not in self._tenants:
            self._tenants[tenant] = TenantTelemetry(tenant, self.values, self._traces)
        return self._tenants[tenant]

    def watch_conversations(
        self,
        tenant: str,
        tools: Callable[[], Container[str]],
        open_now: Callable[[], Iterable[ConversationState]],
    ) -> None:
        """Report a tenant's open conversations. ``tools`` are the names that may be values of a label."""
        one = self.of_tenant(tenant)
        one.tools = tools
        self._open.append((one, open_now))

    def line_logged(self, level: str) -> None:
        """Report that a line was logged. Lines below a warning are not counted."""
        level = "error" if level in ("exception", "critical") else level
        if level in ("warning", "error"):
            self.values.add(metrics.LOG_LINES, level)

    def watch_queues(self, queues: Queues) -> None:
        """Report how long these queues are."""
        self._queues = queues

    def watched(self, kinds: Sequence[JobKind]) -> list[JobKind]:
        """Returns the same kinds of jobs; when one runs, it is counted and traced."""
        return [replace(kind, run=self._counted(kind.name, kind.run)) for kind in kinds]

    async def watch_loop(self) -> None:
        """Measure how late the event loop is, until cancelled."""
        while True:
            before = self._clock.monotonic()
            await self._clock.sleep(_LOOK_S)
            lag_s = self._clock.monotonic() - before - _LOOK_S
            self.values.observe(metrics.LOOP_LAG, value=lag_s)

    async def scrape(self) -> bytes:
        """Returns all metrics as they are now, in Prometheus' text format."""
        async with self._scraping:
            self._read_conversations()
            await self._read_queues()
            # It takes some milliseconds for each thousand series: meanwhile the event loop goes on.
            return await asyncio.to_thread(self.values.render)

    async def close(self) -> None:
        """Send the last spans."""
        if self._traces is not None:
            await self._traces.close()

    def _read_conversations(self) -> None:
        now_ms = self._clock.now_ms()
        every: dict[metrics.Metric, dict[tuple[str, ...], float]] = {}
        for tenant, open_now in self._open:
            tenant.expire_questions(now_ms)
            for metric, values in tenant.gauges(open_now()).items():
                every.setdefault(metric, {}).update(values)
        for metric, values in every.items():
            self.values.replace(metric, values)

    async def _read_queues(self) -> None:
        if self._queues is None or self._clock.monotonic() < self._read_at + _QUEUES_S:
            return
        self._read_at = self._clock.monotonic()
        try:
            async with self._clock.timeout(_PATIENCE_S):
                lengths = await self._queues.jobs.lengths()
                documents = await self._queues.writes.waiting()
        except (LogError, StoreError, TimeoutError) as error:
            log.warning("queues cannot be read for the metrics", why=str(error) or "it took too long")
            self.values.replace(metrics.QUEUES_UNREADABLE, {(): 1.0})
            return
        now_ms = self._clock.now_ms()
        lengths = [*lengths, _length_of(documents)]
        for metric, values in (
            (metrics.QUEUES_UNREADABLE, {(): 0.0}),
            (metrics.QUEUE_WAITING, {(one.kind,): float(one.waiting) for one in lengths}),
            (metrics.QUEUE_FAILED, {(one.kind,): float(one.failed) for one in lengths}),
            (metrics.QUEUE_AGE, {(one.kind,): one.late_s(now_ms) for one in lengths}),
        ):
            self.values.replace(metric, values)

    def _counted(self, kind: str, run: Callable[[Job], Awaitable[None]]) -> Callable[[Job], Awaitable[None]]:
        async def counted(job: Job) -> None:
            began, began_ms = self._clock.monotonic(), self._clock.now_ms()
            outcome, error = "ok", None
            try:
                await run(job)
            except asyncio.CancelledError:
                outcome, error = "cancelled", "cancelled"
                raise
            except Exception as failure:
                outcome, error = "failed", type(failure).__name__
                raise
            finally:
                self.values.add(metrics.JOBS, kind, outcome)
                self.values.observe(metrics.JOB_DURATION, kind, value=self._clock.monotonic() - began)
                if self._traces is not None:
                    ended_ms = self._clock.now_ms()
                    self._traces.job_ended(kind, job.tenant, running_job.get(), began_ms, ended_ms, error)

        return counted


def _length_of(documents: Collection[QueuedDocument]) -> QueueLength:
    due = [document.due_ms for document in documents if document.due_ms is not None]
    return QueueLength(
        kind=_DOCUMENTS,
        waiting=len(due),
        failed=len(documents) - len(due),
        oldest_due_ms=min(due, default=None),
    )
