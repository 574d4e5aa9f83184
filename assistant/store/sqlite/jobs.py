"""The background work of a data folder: a queue in one small SQLite file, which this process runs."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import structlog

from assistant.errors import LogError
from assistant.jobs import FailedJob, Job, JobKind, QueueLength, log_failure, problem_of, running_job
from assistant.ports import Clock
from assistant.store.sqlite.file import SqliteKeyValue

JOBS_TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind      TEXT    NOT NULL,
    tenant    TEXT    NOT NULL,
    customer  TEXT    NOT NULL,
    lock      TEXT    NOT NULL,
    arguments BLOB    NOT NULL,             -- JSON
    due_ms    INTEGER NOT NULL,
    tries     INTEGER NOT NULL DEFAULT 0,   -- that have begun
    failed    INTEGER NOT NULL DEFAULT 0,   -- 1 after the last
    problem   TEXT    NOT NULL DEFAULT ''   -- why the last one failed
);
CREATE INDEX IF NOT EXISTS jobs_lock ON jobs (kind, tenant, lock);
"""
_JOB = "number, tries, problem, kind, tenant, customer, lock, arguments"
# The running jobs are known only in memory, so that the job of a killed process waits again.
_ADD = """
INSERT INTO jobs (kind, tenant, customer, lock, arguments, due_ms) SELECT ?1, ?2, ?3, ?4, ?5, ?6
WHERE NOT EXISTS (
    SELECT 1 FROM jobs WHERE kind = ?1 AND tenant = ?2 AND lock = ?4 AND NOT failed
    AND number NOT IN (SELECT value FROM json_each(?7))
)
"""
# Of each lock the oldest job comes first, if none is running.
_TAKE = f"""
UPDATE jobs SET tries = tries + 1 WHERE number = (
    SELECT number FROM jobs WHERE NOT failed AND due_ms <= ?1 AND kind IN (SELECT value FROM json_each(?2))
    AND NOT EXISTS (
        SELECT 1 FROM jobs AS same WHERE same.kind = jobs.kind AND same.tenant = jobs.tenant
        AND same.lock = jobs.lock AND NOT same.failed
        AND (same.number < jobs.number OR same.number IN (SELECT value FROM json_each(?3)))
    )
    ORDER BY number LIMIT 1
) RETURNING {_JOB}
"""  # noqa: S608 - constants, as everywhere here
_NEXT = "SELECT min(due_ms) FROM jobs WHERE NOT failed AND due_ms > ?"
_GIVE_BACK = "UPDATE jobs SET tries = tries - 1 WHERE number = ?"
_AGAIN = "UPDATE jobs SET due_ms = ?, problem = ? WHERE number = ?"
_FAIL = "UPDATE jobs SET failed = 1, problem = ? WHERE number = ?"
_FORGET_FAILED = "DELETE FROM jobs WHERE failed AND kind = ? AND tenant = ? AND lock = ?"
_DONE = "DELETE FROM jobs WHERE number = ?"
_FAILED = f"SELECT {_JOB} FROM jobs WHERE failed ORDER BY number"  # noqa: S608
_LENGTHS = """
SELECT kind, sum(NOT failed), sum(failed), min(CASE WHEN NOT failed THEN due_ms END) FROM jobs GROUP BY kind
"""
_RETRY = "UPDATE jobs SET failed = 0, tries = 0, due_ms = ? WHERE failed"
_ERASE = "DELETE FROM jobs WHERE tenant = ? AND customer = ? AND ? IN ('', kind) AND number <> ?"

_POLL_S = 10.0
"""Seconds between two reads of the queue; a command in another process may have added a job."""

_PATIENCE_S = 4.0
"""Seconds that running jobs may continue when the process stops."""

_AT_ONCE = {"quick": 10, "slow": 2}

log = structlog.get_logger(__name__)


class SqliteJobs:
    """The queue in a file. See the port :class:`assistant.jobs.Jobs`.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.
        clock: gives times and pauses.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file, self._clock = SqliteKeyValue(path, JOBS_TABLE, "jobs"), clock
        self._changed = asyncio.Event()
        self._running: dict[int, tuple[Job, asyncio.Task[None]]] = {}

    async def later(self, job: Job, after_s: float = 0.0) -> None:
        """Queue a job, unless the same work already waits. It is on disk when this returns."""
        due_ms = self._clock.now_ms() + round(1000 * after_s)
        row = (job.kind, job.tenant, job.customer, job.lock, orjson.dumps(job.arguments, dict), due_ms)
        running = self._running_numbers()
        await self._file.ask(lambda file: file.execute(_ADD, (*row, running)))
        self._changed.set()

    async def run(self, kinds: Sequence[JobKind]) -> None:
        """Run jobs of these kinds until cancelled. Then running jobs may continue for a few seconds."""
        known = {kind.name: kind for kind in kinds}
        times = {kind.name: 0 for kind in kinds if kind.every_h is not None}
        try:
            while True:
                self._changed.clear()
                try:
                    wait_s = min(await self._queue_due(known, times), await self._begin_due(known))
                except LogError as error:
                    log.warning("jobs cannot be read", error=str(error))
                    wait_s = _POLL_S
                with suppress(TimeoutError):
                    async with self._clock.timeout(wait_s):
                        await self._changed.wait()
        finally:
            await self._stop_all()

    async def failed(self) -> list[FailedJob]:
        """The jobs that failed permanently, oldest first."""
        if not self._file.exists:
            return []
        rows = await self._file.ask(lambda file: file.execute(_FAILED).fetchall())
        return [_taken(row) for row in rows]

    async def lengths(self) -> list[QueueLength]:
        """How long the queue is, for each kind of which there is a job."""
        if not self._file.exists:
            return []
        rows = await self._file.ask(lambda file: file.execute(_LENGTHS).fetchall())
        return [
            QueueLength(kind=kind, waiting=waiting, failed=failed, oldest_due_ms=due_ms)
            for kind, waiting, failed, due_ms in rows
        ]

    async def retry_failed(self) -> int:
        """Queue all permanently failed jobs once more; returns their number."""
        if not self._file.exists:
            return 0
        now_ms = self._clock.now_ms()
        retried = await self._file.ask(lambda file: file.execute(_RETRY, (now_ms,)).rowcount)
        self._changed.set()
        return retried

    async def erase(self, tenant: str, customer: str, kind: str = "") -> int:
        """Stop and delete the jobs that name this customer; a job that calls this stays."""
        if not self._file.exists:
            return 0
        own = running_job.get()
        stopped = [
            task
            for number, (job, task) in self._running.items()
            if (job.tenant, job.customer) == (tenant, customer) and kind in ("", job.kind) and number != own
        ]
        for task in stopped:
            task.cancel()
        await asyncio.gather(*stopped, return_exceptions=True)
        whose = (tenant, customer, kind, own)
        return await self._file.ask(lambda file: file.execute(_ERASE, whose).rowcount)

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()

    async def _queue_due(self, known: dict[str, JobKind], times: dict[str, int]) -> float:
        """Queue the scheduled jobs; returns the seconds until the next."""
        for name, due_ms in times.items():
            if due_ms <= self._clock.now_ms():
                await self.later(Job(kind=name))
                times[name] = self._clock.now_ms() + (known[name].every_h or 0) * 3_600_000
        return self._until(min(times.values(), default=None))

    async def _begin_due(self, known: dict[str, JobKind]) -> float:
        """Begin due jobs, up to the limit; returns the seconds until the next."""
        if not self._file.exists:
            return _POLL_S
        for lane, most in _AT_ONCE.items():
            names = orjson.dumps([kind.name for kind in known.values() if kind.lane == lane]).decode()
            room = most - sum(known[job.kind].lane == lane for job, _ in self._running.values())
            for _ in range(room):
                asked = self._clock.now_ms(), names, self._running_numbers()
                rows = await self._file.ask(partial(_take, asked))
                if not rows:
                    break
                taken = _taken(rows[0])
                task = asyncio.create_task(self._run_job(taken, known[taken.job.kind]))
                self._running[taken.number] = (taken.job, task)
        # A due job that did not begin waits for a running job, whose end wakes this task.
        now_ms = self._clock.now_ms()
        return self._until(await self._file.ask(lambda file: file.execute(_NEXT, (now_ms,)).fetchone()[0]))

    async def _run_job(self, taken: FailedJob, kind: JobKind) -> None:
        running_job.set(taken.number)
        try:
            await self._try_once(taken, kind)
        except LogError as error:
            log.warning("a job ended, and will run again", kind=kind.name, error=str(error))
        finally:
            del self._running[taken.number]
            self._changed.set()

    async def _try_once(self, taken: FailedJob, kind: JobKind) -> None:
        """Run a job, and record its end. If cancelled, the job waits again."""
        try:
            await (kind.run(taken.job) if taken.tries <= kind.tries else _never_ended())
        except asyncio.CancelledError:
            await self._file.ask(lambda file: file.execute(_GIVE_BACK, (taken.number,)))
            raise
        except Exception as error:
            problem, pause_s = problem_of(error), kind.pause_s(taken.tries)
            log_failure(taken.job, taken.tries, problem, pause_s)
            if pause_s is not None:
                due_ms = self._clock.now_ms() + round(1000 * pause_s)
                await self._file.ask(lambda file: file.execute(_AGAIN, (due_ms, problem, taken.number)))
                return
            end, values = _FAIL, (problem, taken.number)
        else:
            end, values = _DONE, (taken.number,)
        same = (taken.job.kind, taken.job.tenant, taken.job.lock)
        await self._file.ask(lambda file: (file.execute(_FORGET_FAILED, same), file.execute(end, values)))

    async def _stop_all(self) -> None:
        tasks = [task for _, task in self._running.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=_PATIENCE_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _running_numbers(self) -> str:
        return orjson.dumps([*self._running]).decode()

    def _until(self, due_ms: int | None) -> float:
        return _POLL_S if due_ms is None else min(_POLL_S, max(0, due_ms - self._clock.now_ms()) / 1000)


async def _never_ended() -> None:
    raise LogError("the process ended each time that it ran")


def _take(asked: tuple[int, str, str], file: sqlite3.Connection) -> list[Sequence[Any]]:
    return file.execute(_TAKE, asked).fetchall()


def _taken(row: Sequence[Any]) -> FailedJob:
    number, tries, problem, kind, tenant, customer, lock, arguments = row
    job = Job(kind=kind, tenant=tenant, customer=customer, lock=lock, arguments=orjson.loads(arguments))
    return FailedJob(number=number, job=job, tries=tries, problem=problem)
