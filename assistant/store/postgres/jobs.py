"""The background work of a database that several servers share, in the tables of procrastinate.

Queueing, listing and erasing are statements here. procrastinate runs the jobs: see :mod:`.job_worker`.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

import orjson

from assistant.conversation.values import Json
from assistant.errors import LogError
from assistant.jobs import FailedJob, Job, JobKind, QueueLength, running_job
from assistant.ports import Clock
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Connection

# The function is procrastinate's own; the time is the database's. A queue has the jobs of one kind.
_LATER = """
SELECT procrastinate_defer_jobs_v1(ARRAY[ROW(
    $1, $1, 0, $2, NULL, $3::text::jsonb, now() + make_interval(secs => nullif($4::double precision, 0))
)::procrastinate_job_to_defer_v1])
WHERE NOT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE lock = $2 AND status = 'todo')
"""
_FAILED = (
    "SELECT id, task_name, args::text, attempts FROM procrastinate_jobs WHERE status = 'failed' ORDER BY id"
)
_LENGTHS = """
SELECT task_name, count(*) FILTER (WHERE status IN ('todo', 'doing')) AS waiting,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    (1000 * extract(epoch FROM
        min(coalesce(scheduled_at, queued.at)) FILTER (WHERE status IN ('todo', 'doing'))))::bigint AS due_ms
FROM procrastinate_jobs LEFT JOIN LATERAL (
    SELECT min(at) AS at FROM procrastinate_events WHERE job_id = procrastinate_jobs.id AND type = 'deferred'
) AS queued ON true
GROUP BY task_name
"""
_RETRY = """
WITH again AS (
    UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL, abort_requested = false
    WHERE status = 'failed' RETURNING 1
) SELECT count(*) FROM again
"""
DEAD_AFTER_S = 30
"""The jobs of a worker without a heartbeat for this time are run by other workers."""

_OF_CUSTOMER = "args ->> 'tenant' = $1 AND args ->> 'customer' = $2 AND $3 IN ('', task_name) AND id <> $4"
_IS_RUN = f"""status = 'doing' AND EXISTS (
    SELECT 1 FROM procrastinate_workers
    WHERE id = worker_id AND last_heartbeat > now() - interval '{DEAD_AFTER_S} seconds'
)"""  # noqa: S608 - constants, as everywhere here
# A running job is cancelled by its worker, which records the abort; then the job is deleted.
_ERASE = f"""
WITH gone AS (
    DELETE FROM procrastinate_jobs WHERE {_OF_CUSTOMER} AND NOT ({_IS_RUN}) RETURNING 1
), stopped AS (
    UPDATE procrastinate_jobs SET abort_requested = true
    WHERE {_OF_CUSTOMER} AND {_IS_RUN} AND NOT abort_requested
) SELECT count(*) FROM gone
"""  # noqa: S608
_RUNNING = f"SELECT count(*) FROM procrastinate_jobs WHERE {_OF_CUSTOMER} AND {_IS_RUN}"  # noqa: S608
_ABORTED_WITHIN_S = DEAD_AFTER_S + 5.0
_LOOK_S = 0.1


class PostgresJobs:
    """The queue of all servers. See the port :class:`assistant.jobs.Jobs`.

    Args:
        connections: opened at the first call; closed by their owner. One of them listens while jobs run.
        clock: measures waits.
    """

    def __init__(self, connections: ConnectionPool, clock: Clock) -> None:
        self._connections, self._clock = connections, clock

    async def later(self, job: Job, after_s: float = 0.0) -> None:
        """Queue a job, unless the same work already waits. It is durable when this returns."""
        args = arguments_of(job)
        async with self._seeing(job.tenant or ALL_TENANTS) as connection:
            await connection.execute(_LATER, job.kind, lock_of(job.kind, args), jsonb(args), after_s)

    async def run(self, kinds: Sequence[JobKind]) -> None:
        """Run jobs of these kinds until cancelled. Then running jobs may continue for a few seconds."""
        # The import takes a third of a second, and commands that only queue or list do not need it.
        from assistant.store.postgres.job_worker import JobWorker

        await JobWorker(self._connections, self._clock, kinds).run()

    async def failed(self) -> list[FailedJob]:
        """The jobs that failed permanently, oldest first."""
        async with self._seeing(ALL_TENANTS) as connection:
            rows = await connection.fetch(_FAILED)
        found = list[FailedJob]()
        for row in rows:
            args = orjson.loads(str(row["args"]))
            job, problem = job_of(str(row["task_name"]), args), str(args.get("problem", ""))
            number, tries = cast("int", row["id"]), cast("int", row["attempts"])
            found.append(FailedJob(number=number, job=job, tries=tries, problem=problem))
        return found

    async def lengths(self) -> list[QueueLength]:
        """How long the queue is, for each kind of which there is a job."""
        async with self._seeing(ALL_TENANTS) as connection:
            rows = await connection.fetch(_LENGTHS)
        return [
            QueueLength(
                kind=str(row["task_name"]),
                waiting=cast("int", row["waiting"]),
                failed=cast("int", row["failed"]),
                oldest_due_ms=cast("int | None", row["due_ms"]),
            )
            for row in rows
        ]

    async def retry_failed(self) -> int:
        """Queue all permanently failed jobs once more; returns their number."""
        async with self._seeing(ALL_TENANTS) as connection:
            return cast("int", await connection.fetchval(_RETRY))

    async def erase(self, tenant: str, customer: str, kind: str = "") -> int:
        """Stop and delete the jobs that name this customer; a job that calls this stays."""
        whose, erased = (storable(tenant), storable(customer), kind, running_job.get()), 0
        try:
            async with self._clock.timeout(_ABORTED_WITHIN_S):
                while True:
                    async with self._seeing(tenant) as connection:
                        erased += cast("int", await connection.fetchval(_ERASE, *whose))
                        if not await connection.fetchval(_RUNNING, *whose):
                            return erased
                    await self._clock.sleep(_LOOK_S)
        except TimeoutError as error:
            raise LogError("background work about this customer still runs: try again") from error

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "the queue of jobs cannot be used")


def arguments_of(job: Job) -> dict[str, Json]:
    """A job as the arguments of a task of procrastinate."""
    return {
        "tenant": job.tenant,
        "customer": job.customer,
        "lock": job.lock,
        "arguments": job.arguments,
    }


def job_of(kind: str, args: Mapping[str, Any]) -> Job:
    """The job with these arguments; a scheduled job has none."""
    return Job(kind=kind, **{name: args[name] for name in arguments_of(Job(kind=kind)) if name in args})


def lock_of(kind: str, args: Mapping[str, Any]) -> str:
    """A name that no two running jobs share. It is unambiguous for any names."""
    return jsonb([kind, args.get("tenant", ""), args.get("lock", "")])


def sorted_json(value: str) -> str:
    """JSON that the database can store, in a form that is the same before and after it was stored.

    >>> sorted_json('{"b": 1, "a": [2]}')
    '{"a":[2],"b":1}'
    """
    return orjson.dumps(orjson.loads(value), option=orjson.OPT_SORT_KEYS).decode()


_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def jsonb(value: Json) -> str:
    r"""JSON that the database can store: with U+FFFD in place of NUL.

    >>> print(jsonb([chr(0), "\\u0000"]))
    ["\ufffd","\\u0000"]
    """
    return _NUL.sub(r"\1\\ufffd", orjson.dumps(value, dict).decode())
