"""Runs jobs with procrastinate's worker, on our own connections to the database.

procrastinate claims jobs, holds their locks, queues scheduled jobs, and knows by heartbeats which workers are
alive. This module has its connector, our pauses between tries, and the takeover of a dead worker's jobs.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import datetime
from functools import partial
from typing import Any, cast

import orjson
import procrastinate
import structlog
from procrastinate.connector import BaseAsyncConnector, Notify
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job as Queued
from procrastinate.retry import BaseRetryStrategy, RetryDecision

from assistant.conversation.values import Json
from assistant.errors import StoreError
from assistant.jobs import JobKind, log_failure, problem_of, running_job
from assistant.ports import Clock
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool
from assistant.store.postgres.jobs import DEAD_AFTER_S, job_of, jsonb, lock_of

log = structlog.get_logger(__name__)

_PATIENCE_S = 4.0
"""Seconds that running jobs may continue when the process stops."""

_AT_ONCE = {"quick": 10, "slow": 2}
_POLL_S = 1.0
_BEAT_S = DEAD_AFTER_S / 6
_LONGEST_SCHEDULE_S = 24 * 3600

_AGAIN_AT = "SELECT now() + make_interval(secs => %(pause_s)s * (1 - random() / 2)) AS again_at"
_NOTE = """
UPDATE procrastinate_jobs SET args = args || jsonb_build_object('problem', %(problem)s::text) WHERE id = %(number)s
"""
_FORGET_FAILED = "DELETE FROM procrastinate_jobs WHERE lock = %(lock)s AND status = 'failed'"
# A job that ended the process each time is not run again.
_TAKE_OVER = f"""
UPDATE procrastinate_jobs AS job SET worker_id = NULL, attempts = attempts + 1, scheduled_at = NULL,
    status = CASE WHEN attempts + 1 < most.tries THEN 'todo' ELSE 'failed' END::procrastinate_job_status,
    args = args || jsonb_build_object('problem', 'the process that ran it died')
FROM unnest($1::text[], $2::integer[]) AS most (kind, tries)
WHERE status = 'doing' AND task_name = most.kind AND NOT EXISTS (
    SELECT 1 FROM procrastinate_workers
    WHERE id = job.worker_id AND last_heartbeat > now() - interval '{DEAD_AFTER_S} seconds'
)
RETURNING task_name, status::text
"""  # noqa: S608 - a constant


class JobWorker:
    """Runs jobs of these kinds in this process, together with other processes.

    Args:
        connections: to the database; closed by their owner.
        clock: gives the intervals of repeated work.
        kinds: all kinds of this installation.
    """

    def __init__(self, connections: ConnectionPool, clock: Clock, kinds: Sequence[JobKind]) -> None:
        self._connections, self._clock, self._kinds = connections, clock, kinds

    async def run(self) -> None:
        """Run until cancelled. While the database is not available, retry."""
        # It logs each job with its arguments, which may name a customer. This module logs what operators need.
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
        async with asyncio.TaskGroup() as lanes:
            lanes.create_task(self._again_and_again("take over jobs", self._take_over))
            for lane, most in _AT_ONCE.items():
                kinds = [kind for kind in self._kinds if kind.lane == lane]
                if kinds:
                    work = partial(self._run_lane, kinds, most, listen=lane == "quick")
                    lanes.create_task(self._again_and_again("run jobs", work))

    async def _again_and_again(self, what: str, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except (ConnectorException, StoreError) as error:
                log.warning("background work continues later", what=what, error=str(error.__cause__ or error))
            except Exception:
                # After any error, the waiting jobs must run when it has passed.
                log.exception("background work failed, and continues later", what=what)
            await self._clock.sleep(_BEAT_S)

    async def _run_lane(self, kinds: Sequence[JobKind], most: int, *, listen: bool) -> None:
        connector = _Connector(self._connections, self._clock)
        app = procrastinate.App(
            connector=connector,
            periodic_defaults={"max_delay": _LONGEST_SCHEDULE_S},
        )
        for kind in kinds:
            task = app.task(name=kind.name, queue=kind.name, retry=_Retries(), pass_context=True)(
                partial(self._run_job, kind, connector)
            )
            if kind.every_h is not None:
                cron = "0 0 * * *" if kind.every_h == 24 else f"0 */{kind.every_h} * * *"
                app.periodic(cron=cron, lock=lock_of(kind.name, {}))(cast("Any", task))
        running = asyncio.create_task(
            app.run_worker_async(
                queues=[kind.name for kind in kinds],
                concurrency=most,
                listen_notify=listen,
                fetch_job_polling_interval=_POLL_S,
                abort_job_polling_interval=_POLL_S,
                shutdown_graceful_timeout=_PATIENCE_S,
                delete_jobs="successful",
                install_signal_handlers=False,
                update_heartbeat_interval=_BEAT_S,
                stalled_worker_timeout=DEAD_AFTER_S,
            )
        )
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            connector.stopping = True
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)  # the database may be unavailable
            raise
        log.warning("the worker of jobs ended, and begins again")

    async def _run_job(
        self, kind: JobKind, connector: "_Connector", context: JobContext, **args: Any
    ) -> None:
        """Run one job. If it fails, raise an error with the time of the next try, by the database's clock.

        The end is recorded through the connector, which waits for an unavailable database: a finished job must
        not run again because its end could not be recorded.
        """
        number = cast("int", context.job.id)
        running_job.set(number)
        try:
            await kind.run(job_of(kind.name, args))
        except Exception as error:
            tries, problem = context.job.attempts + 1, problem_of(error)
            pause_s = kind.pause_s(tries)
            log_failure(job_of(kind.name, args), tries, problem, pause_s)
            await connector.execute_query_async(_NOTE, number=number, problem=problem)
            if pause_s is not None:
                found = await connector.execute_query_one_async(_AGAIN_AT, pause_s=pause_s)
                raise _JobFailed(cast("datetime", found["again_at"])) from None
            await connector.execute_query_async(_FORGET_FAILED, lock=context.job.lock)
            raise _JobFailed(None) from None
        await connector.execute_query_async(_FORGET_FAILED, lock=context.job.lock)

    async def _take_over(self) -> None:
        """Queue the jobs that dead workers were running."""
        names, tries = [kind.name for kind in self._kinds], [kind.tries for kind in self._kinds]
        async with self._connections.of_tenant(ALL_TENANTS) as connection:
            for row in await connection.fetch(_TAKE_OVER, names, tries):
                if row["status"] == "failed":
                    log.error(
                        "a job was given up", kind=row["task_name"], why="the processes that ran it died"
                    )
                else:
                    log.warning("a job is taken over", kind=row["task_name"])


class _JobFailed(Exception):
    """A try failed; the next try is at this time, or never."""

    def __init__(self, again_at: datetime | None) -> None:
        self.again_at = again_at
        super().__init__()


class _Retries(BaseRetryStrategy):
    def get_retry_decision(self, *, exception: BaseException, job: Queued) -> RetryDecision | None:
        """Return the time of the next try. A job that was cut off begins again immediately, on another worker."""
        del job
        if isinstance(exception, _JobFailed):
            return None if exception.again_at is None else RetryDecision(retry_at=exception.again_at)
        return RetryDecision()


_PARAMETER = re.compile(r"%\((\w+)\)s")
_ASKED_AGAIN_S = (0.1, 0.5, 2.0, 5.0, 10.0, 20.0)
"""A job whose end is not recorded would stay as running. So the record is retried, also after an outage."""


class _Connector(BaseAsyncConnector):
    """Runs procrastinate's queries on connections of asyncpg, which see the rows of all tenants.

    Attributes:
        stopping: the process ends, and cannot wait for an unavailable database.
    """

    def __init__(self, connections: ConnectionPool, clock: Clock) -> None:
        self._connections, self._clock = connections, clock
        self.stopping = False

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        """Run a statement that changes data. While the database is not available, retry."""
        for pause_s in _ASKED_AGAIN_S:
            try:
                await self._ask(query, arguments)
            except StoreError:
                if self.stopping:
                    break
                await self._clock.sleep(pause_s)
            else:
                return
        await self.execute_query_all_async(query, **arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> dict[str, Any]:
        """The first row."""
        return (await self.execute_query_all_async(query, **arguments))[0]

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        """All rows."""
        try:
            return await self._ask(query, arguments)
        except StoreError as error:
            raise ConnectorException from error

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Call the function with each notification, until cancelled. Polling compensates for lost notifications."""
        heard = asyncio.Queue[tuple[str, str]]()

        def hear(_connection: object, _pid: int, channel: str, payload: str) -> None:
            heard.put_nowait((channel, payload))

        while True:
            with suppress(StoreError):
                async with self._connections.one() as connection, AsyncExitStack() as in_the_end:
                    for channel in channels:
                        await connection.add_listener(channel, hear)
                        in_the_end.push_async_callback(connection.remove_listener, channel, hear)
                    while True:
                        with suppress(TimeoutError):
                            async with self._clock.timeout(_BEAT_S):
                                channel, payload = await heard.get()
                            await on_notification(channel=channel, payload=payload)
                        # the driver does not report that the connection is lost
                        await connection.execute("SELECT 1")
            await self._clock.sleep(_BEAT_S)

    async def _ask(self, query: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        names = list(dict.fromkeys(_PARAMETER.findall(query)))
        numbered = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", query)
        async with self._connections.of_tenant(ALL_TENANTS) as connection:
            try:
                rows = await connection.fetch(numbered, *(_value(arguments[name]) for name in names))
            except Exception as error:
                # The database refused the statement: it would refuse it again.
                if str(getattr(error, "sqlstate", "")).startswith(("23", "P0")):
                    raise UniqueViolation(
                        constraint_name=getattr(error, "constraint_name", ""), queueing_lock=None
                    ) from error
                raise
        return [{name: _json(name, value) for name, value in row.items()} for row in rows]


def _value(value: Any) -> Any:
    return jsonb(cast("Json", value)) if isinstance(value, dict) else value


def _json(name: str, value: object) -> object:
    return orjson.loads(value) if name == "args" and isinstance(value, str) else value
