"""The background work of an installation: jobs, their kinds, and the port of the queue that holds them.

A job is stored before it runs. It runs at least once, on any machine, so running it twice must do no harm. A job
that fails is tried again after a pause that doubles; after the last try it stays in the queue as failed, for
operators. No turn waits for a job.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Literal, Protocol

import structlog

from assistant.conversation.documents import QueuedDocument
from assistant.conversation.values import Json, JsonObject
from assistant.errors import AssistantError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work to be done later.

    Args:
        kind: the name of its :class:`JobKind`.
        tenant: the tenant that the job belongs to; "" for the whole installation.
        customer: the customer whose data it uses, "" for none. Erasing that customer deletes the job.
        lock: jobs of one kind and tenant with the same lock are the same work: they run one after the other,
            and a job is not queued again while one of them waits.
        arguments: further data that the job needs.
    """

    kind: str
    tenant: str = ""
    customer: str = ""
    lock: str = ""
    arguments: JsonObject = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind:
    """A kind of job, and the function that runs it for the job's tenant alone.

    Args:
        name: its name in jobs.
        run: does the work. Any exception is a failed try; cancelling it returns the job to the queue.
        lane: jobs of the slow lane do not delay jobs of the quick lane.
        tries: the maximum number of tries.
        first_pause_s: the pause after the first failure. Each further pause is twice as long.
        longest_pause_s: the maximum pause.
        every_h: the kind is queued automatically at this interval in hours, and when the installation starts,
            as a job of the whole installation without arguments.
    """

    name: str
    run: Callable[[Job], Awaitable[None]]
    lane: Literal["quick", "slow"] = "slow"
    tries: int = 10
    first_pause_s: float = 10.0
    longest_pause_s: float = 3600.0
    every_h: Literal[1, 2, 3, 4, 6, 8, 12, 24] | None = None

    def pause_s(self, tries: int) -> float | None:
        """Returns the pause after this number of tries, or None if that was the last try.

        >>> kind = JobKind(name="index", run=print, tries=4)
        >>> [kind.pause_s(tries) for tries in (1, 2, 3, 4)]
        [10.0, 20.0, 40.0, None]
        """
        if tries >= self.tries:
            return None
        return min(self.longest_pause_s, self.first_pause_s * 2 ** min(tries - 1, 30))


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedJob:
    """A job that failed permanently. ``problem`` says why its last try failed."""

    number: int
    job: Job
    tries: int
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLength:
    """How many jobs of a kind wait or run, and how many were given up; ``oldest_due_ms`` is in Unix time."""

    kind: str
    waiting: int
    failed: int
    oldest_due_ms: int | None = None

    def late_s(self, now_ms: int) -> float:
        """For how long the oldest has been due.

        >>> QueueLength(kind="erase", waiting=1, failed=0, oldest_due_ms=1_000).late_s(3_500)
        2.5
        """
        return 0.0 if self.oldest_due_ms is None else max(0.0, (now_ms - self.oldest_due_ms) / 1000)


running_job: ContextVar[int] = ContextVar("running_job", default=0)
"""The number of the job that runs in this context; 0 outside of jobs."""


class Jobs(Protocol):
    """The queue of an installation. Methods raise ``LogError`` if it cannot be reached."""

    async def later(self, job: Job, after_s: float = 0.0) -> None:
        """Queue a job that begins after a delay. It is durable when this returns.

        It is not queued if the same work already waits; the waiting job may begin earlier or later.
        """
        ...

    async def run(self, kinds: Sequence[JobKind]) -> None:
        """Run jobs of these kinds until cancelled. Then running jobs have a few seconds to end; the others
        return to the queue.
        """
        ...

    async def failed(self) -> list[FailedJob]:
        """Returns the jobs that failed permanently, oldest first."""
        ...

    async def lengths(self) -> list[QueueLength]:
        """Returns how long the queue is, for each kind of which there is a job."""
        ...

    async def retry_failed(self) -> int:
        """Queue all permanently failed jobs once more; returns their number."""
        ...

    async def erase(self, tenant: str, customer: str, kind: str = "") -> int:
        """Stop and delete the jobs that name this customer, of one kind or of all kinds; returns their number.

        When this returns, none of these jobs runs, except a job that calls this method.
        """
        ...


def failed_documents(queued: Iterable[QueuedDocument]) -> list[FailedJob]:
    """Returns the documents that failed permanently, for operators, who see them among the jobs.

    They have their own queue.
    """
    return [
        FailedJob(
            number=one.number,
            job=Job(kind="document", tenant=one.tenant, customer=one.listed.customer, lock=one.listed.ref),
            tries=one.tries,
            problem=f"{one.listed.title}: {one.problem}",
        )
        for one in queued
        if one.due_ms is None
    ]


def problem_of(error: Exception) -> str:
    """Why a try failed, for operators. Only our own errors are quoted, because others may contain a customer's
    words.

    >>> problem_of(ValueError("Ana's secret"))
    'ended with ValueError, an unexpected error'
    """
    if isinstance(error, AssistantError):
        return str(error)
    return f"ended with {type(error).__name__}, an unexpected error"


def log_failure(job: Job, tries: int, problem: str, pause_s: float | None) -> None:
    """Log for operators that a try failed, and when the next try is. ``pause_s`` None: there is no next try."""
    facts = {"kind": job.kind, "tenant": job.tenant, "tries": tries, "why": problem}
    if pause_s is None:
        log.error("a job was given up", **facts)
    else:
        log.warning("a job failed", again_in_s=pause_s, **facts)
