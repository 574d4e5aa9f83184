"""Background work: stored before it runs, run at least once, retried, and reported when it fails permanently."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from assistant.clock import SystemClock
from assistant.errors import LogError, StoreError
from assistant.ids import SystemIds
from assistant.jobs import Job, JobKind, Jobs
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool
from assistant.store.postgres.storage import open_postgres_storage
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.store.storage import Storage
from tests.support.postgres import database_server, make_database, programs, run

ANA = Job(kind="index", tenant="acme", customer="ana", lock="ana")
BEN = Job(kind="index", tenant="acme", customer="ben", lock="ben")

Open = Callable[[], AbstractAsyncContextManager[Storage]]


@pytest.fixture(params=["sqlite", "postgres"])
def opens(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens an installation, of each kind in turn."""
    if request.param == "sqlite":
        return partial(open_sqlite_storage, tmp_path / "data", SystemClock(), SystemIds())
    return partial(open_postgres_storage, request.getfixturevalue("database"), SystemClock(), SystemIds())


@pytest.fixture
async def jobs(opens: Open) -> AsyncIterator[Jobs]:
    """The queue of an installation."""
    async with opens() as storage:
        yield storage.jobs


@dataclass
class Work:
    """Records what runs. It fails, or waits until it is told to go on, as a test says."""

    errors: list[Exception] = field(default_factory=list[Exception])
    begun: list[Job] = field(default_factory=list[Job])
    done: list[Job] = field(default_factory=list[Job])
    waits: bool = False
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, job: Job) -> None:
        self.begun.append(job)
        self.changed.set()
        if self.errors:
            raise self.errors.pop(0)
        if self.waits:
            await self.go_on.wait()
        self.done.append(job)
        self.changed.set()

    async def until(self, so: Callable[["Work"], bool]) -> None:
        """Wait until this holds."""
        async with asyncio.timeout(20):
            while not so(self):
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def working(jobs: Jobs, *kinds: JobKind) -> AsyncGenerator[None]:
    """While these kinds of jobs run."""
    task = asyncio.create_task(jobs.run(kinds))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def kind(work: Work, name: str = "index", tries: int = 3) -> JobKind:
    return JobKind(name=name, run=work, lane="quick", tries=tries, first_pause_s=0.05)


async def failed(jobs: Jobs) -> list[tuple[Job, int, str]]:
    for _ in range(400):
        if found := await jobs.failed():
            return [(one.job, one.tries, one.problem) for one in found]
        await asyncio.sleep(0.05)
    raise AssertionError("no job failed")


async def test_a_job_runs_with_its_arguments(jobs: Jobs) -> None:
    work, job = Work(), replace(ANA, arguments={"pages": [1, 2], "title": "Ana's \0 \\u0000 file"})
    async with working(jobs, kind(work)):
        await jobs.later(job)
        await work.until(lambda it: len(it.done) == 1)

    [done] = work.done
    assert replace(done, arguments={}) == ANA
    assert done.arguments["pages"] == [1, 2]
    assert await jobs.failed() == []


async def test_a_job_waits_for_a_process_that_runs_its_kind(opens: Open) -> None:
    other, work = Work(), Work()
    async with opens() as storage:
        await storage.jobs.later(ANA)

    async with opens() as storage:
        async with working(storage.jobs, kind(other, "other")):
            await storage.jobs.later(Job(kind="other"))
            await other.until(lambda it: it.done == [Job(kind="other")])
        async with working(storage.jobs, kind(work)):
            await work.until(lambda it: it.done == [ANA])


async def test_a_waiting_job_is_not_queued_again(jobs: Jobs) -> None:
    work = Work(waits=True)
    for job in (ANA, ANA, BEN, replace(ANA, tenant="bank"), ANA):
        await jobs.later(job)
    async with working(jobs, kind(work)):
        await work.until(lambda it: len(it.begun) == 3)
        await jobs.later(ANA)  # it runs already: what is new for it may come too late
        await jobs.later(ANA)
        work.go_on.set()
        await work.until(lambda it: len(it.done) == 4)

    assert sorted((job.tenant, job.lock) for job in work.done) == [
        ("acme", "ana"),
        ("acme", "ana"),
        ("acme", "ben"),
        ("bank", "ana"),
    ]


async def test_jobs_with_one_lock_run_one_after_the_other(jobs: Jobs) -> None:
    work = Work(waits=True)
    await jobs.later(ANA)
    async with working(jobs, kind(work)):
        await work.until(lambda it: it.begun == [ANA])
        await jobs.later(ANA)
        await jobs.later(BEN)
        await work.until(lambda it: it.begun == [ANA, BEN])
        work.go_on.set()
        await work.until(lambda it: len(it.done) == 3)

    assert work.begun == [ANA, BEN, ANA]


async def test_a_job_does_not_begin_before_its_time(jobs: Jobs) -> None:
    work, clock = Work(), SystemClock()
    began = clock.monotonic()
    await jobs.later(ANA, after_s=0.6)
    async with working(jobs, kind(work)):
        await work.until(lambda it: it.done == [ANA])

    assert clock.monotonic() - began >= 0.5


async def test_a_failing_job_is_tried_again(jobs: Jobs) -> None:
    work = Work([StoreError("the store is away"), ValueError("Ana's words")])
    with capture_logs() as logged:
        async with working(jobs, kind(work)):
            await jobs.later(ANA)
            await work.until(lambda it: it.done == [ANA])

    assert work.begun == [ANA] * 3
    assert await jobs.failed() == []
    assert [(one["tries"], one["why"]) for one in logged if one["event"] == "a job failed"] == [
        (1, "the store is away"),
        (2, "ended with ValueError, an unexpected error"),
    ]
    assert "Ana's words" not in str(logged)


async def test_after_its_last_attempt_a_job_is_reported(jobs: Jobs) -> None:
    work = Work([StoreError("the store is away")] * 3)
    with capture_logs() as logged:
        async with working(jobs, kind(work)):
            await jobs.later(ANA)
            assert await failed(jobs) == [(ANA, 3, "the store is away")]

    assert [one["why"] for one in logged if one["log_level"] == "error"] == ["the store is away"]
    async with working(jobs, kind(work)):
        assert await jobs.retry_failed() == 1
        await work.until(lambda it: it.done == [ANA])
    assert await jobs.failed() == []


async def test_the_length_of_the_queue_is_known(jobs: Jobs) -> None:
    assert await jobs.lengths() == []
    async with working(jobs, kind(Work([StoreError("the store is away")]), tries=1)):
        await jobs.later(ANA)
        await failed(jobs)
    before_ms = SystemClock().now_ms()
    await jobs.later(replace(ANA, kind="erase"))
    await jobs.later(replace(ANA, kind="erase", lock="another"), after_s=60.0)

    told = {one.kind: one for one in await jobs.lengths()}

    assert {name: (one.waiting, one.failed) for name, one in told.items()} == {
        "index": (0, 1),
        "erase": (2, 0),
    }
    assert told["index"].late_s(before_ms) == 0.0
    assert 0 <= told["erase"].late_s(before_ms + 5_000) <= 5.0


async def test_a_later_success_removes_an_earlier_failure(jobs: Jobs) -> None:
    work = Work([StoreError("the store is away")])
    async with working(jobs, kind(work, tries=1)):
        await jobs.later(ANA)
        assert len(await failed(jobs)) == 1
        await jobs.later(ANA)
        await work.until(lambda it: it.done == [ANA])

    assert await jobs.failed() == []


async def test_an_interrupted_job_runs_again(opens: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("assistant.store.sqlite.jobs", "assistant.store.postgres.job_worker"):
        monkeypatch.setattr(f"{module}._PATIENCE_S", 0.1)
    slow, work = Work(waits=True), Work()
    async with opens() as storage:
        await storage.jobs.later(ANA)
        async with working(storage.jobs, kind(slow)):
            await slow.until(lambda it: it.begun == [ANA])

    async with opens() as storage, working(storage.jobs, kind(work)):
        await work.until(lambda it: it.done == [ANA])
    assert slow.done == []


async def test_a_running_job_may_end(opens: Open) -> None:
    work = Work(waits=True)
    async with opens() as storage:
        await storage.jobs.later(ANA)
        task = asyncio.create_task(storage.jobs.run([kind(work)]))
        await work.until(lambda it: it.begun == [ANA])
        task.cancel()
        await asyncio.sleep(0.1)
        work.go_on.set()
        with suppress(asyncio.CancelledError):
            await task
        again = Work()
        async with working(storage.jobs, kind(again)):
            await storage.jobs.later(BEN)
            await again.until(lambda it: it.done == [BEN])

    assert work.done == [ANA]


async def test_erasing_a_customer_deletes_and_stops_their_jobs(jobs: Jobs) -> None:
    work = Work(waits=True)
    async with working(jobs, kind(work)):
        await jobs.later(ANA)
        await work.until(lambda it: it.begun == [ANA])
        await jobs.later(ANA)
        await jobs.later(replace(ANA, lock="later"), after_s=600)
        await jobs.later(replace(ANA, tenant="bank", lock="later"), after_s=600)
        await jobs.later(BEN)

        assert await jobs.erase("acme", "ana") >= 2
        assert await jobs.erase("acme", "ana") == 0
        work.go_on.set()
        await work.until(lambda it: it.done == [BEN])
        assert await jobs.erase("bank", "ana") == 1


async def test_a_job_may_erase_the_customer_it_names(jobs: Jobs) -> None:
    async def erase(job: Job) -> None:
        erased.append(await jobs.erase(job.tenant, job.customer))
        work.changed.set()

    erased, work = list[int](), Work()
    await jobs.later(replace(ANA, lock="other"), after_s=600)
    async with working(jobs, JobKind(name="erase", run=erase, lane="quick")):
        await jobs.later(replace(ANA, kind="erase"))
        await work.until(lambda _: erased == [1])

    assert await jobs.failed() == []


async def test_a_schedule_queues_its_jobs(jobs: Jobs) -> None:
    work = Work()
    async with working(jobs, replace(kind(work), every_h=6)):
        await work.until(lambda it: it.done == [Job(kind="index")])


@pytest.fixture
async def three(database: str) -> AsyncIterator[list[Jobs]]:
    """The queue of three servers that share a database."""
    opened = partial(open_postgres_storage, database, SystemClock(), SystemIds(), connections=5)
    async with opened() as one, opened() as two, opened() as three:
        yield [one.jobs, two.jobs, three.jobs]


async def test_a_schedule_runs_once_for_three_servers(three: list[Jobs]) -> None:
    scheduled, other = Work(), Work()
    daily = replace(kind(scheduled), every_h=24)
    async with (
        working(three[0], daily),
        working(three[1], daily),
        working(three[2], daily, kind(other, "other")),
    ):
        await scheduled.until(lambda it: bool(it.done))
        await three[0].later(Job(kind="other"), after_s=1.5)
        await other.until(lambda it: bool(it.done))

    assert scheduled.done == [Job(kind="index")]


async def test_two_servers_share_the_work(three: list[Jobs]) -> None:
    first, second = Work(waits=True), Work(waits=True)
    async with working(three[0], kind(first)), working(three[1], kind(second)):
        for number in range(20):  # each takes ten at once
            await three[2].later(replace(ANA, lock=str(number)))
        await first.until(lambda it: len(it.begun) == 10)
        await second.until(lambda it: len(it.begun) == 10)
        first.go_on.set()
        second.go_on.set()
        await first.until(lambda it: len(it.done) == 10)
        await second.until(lambda it: len(it.done) == 10)

    assert sorted(int(job.lock) for job in first.done + second.done) == [*range(20)]


async def test_a_dead_servers_job_is_run_by_another(
    three: list[Jobs], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "assistant.store.postgres.job_worker._BEAT_S", 600
    )  # it says no more that it is alive
    dead, work = Work(waits=True), Work()
    async with working(three[0], kind(dead)):
        await three[0].later(ANA)
        await dead.until(lambda it: it.begun == [ANA])
        superuser = database.replace("//plain:", "//shop:")
        await run(
            superuser,
            "UPDATE meanwhile.procrastinate_workers SET last_heartbeat = now() - interval '1 minute'",
        )
        async with working(three[1], kind(work)):
            await work.until(lambda it: it.done == [ANA])
        dead.go_on.set()

    assert await three[1].failed() == []


async def test_jobs_continue_after_the_connections_were_cut(three: list[Jobs], database: str) -> None:
    work, other = Work(waits=True), Work()
    async with working(three[0], kind(work), kind(other, "other")):
        await three[0].later(ANA)
        await work.until(lambda it: it.begun == [ANA])
        await cut(database)
        work.go_on.set()
        await cut(database)  # while the job's end is recorded, or just before
        for job in (ANA, Job(kind="other")):
            while not await queued(three[1], job):
                pass
        await other.until(lambda it: bool(it.done))
        await work.until(lambda it: it.done == [ANA, ANA])  # the first is not taken for running


async def cut(database: str) -> None:
    """Cut all connections of all servers."""
    superuser = database.replace("//plain:", "//shop:")
    await run(superuser, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'plain'")


async def queued(jobs: Jobs, job: Job) -> bool:
    """Whether the job could be queued."""
    try:
        await jobs.later(job)
    except LogError:
        return False
    return True


async def test_a_tenant_sees_only_its_own_jobs(three: list[Jobs], connections: ConnectionPool) -> None:
    for job in (ANA, replace(ANA, tenant="bank"), Job(kind="retention")):
        await three[0].later(job)

    async def seen(tenant: str) -> object:
        async with connections.of_tenant(tenant) as connection:
            await connection.execute("DELETE FROM procrastinate_jobs WHERE args ->> 'tenant' <> $1", tenant)
            return await connection.fetchval("SELECT count(*) FROM procrastinate_jobs")

    assert [await seen(tenant) for tenant in ("acme", "bank", "cafe")] == [1, 1, 0]
    async with connections.of_tenant(ALL_TENANTS) as connection:
        assert await connection.fetchval("SELECT count(*) FROM procrastinate_jobs") == 3


def test_the_tables_are_those_of_the_installed_release() -> None:
    ours = files("assistant.store") / "migrations" / "postgres" / "0006_jobs.sql"
    theirs = files("procrastinate.sql") / "schema.sql"

    assert theirs.read_text(encoding="utf-8").strip() in ours.read_text(encoding="utf-8")


async def test_a_server_ends_soon_although_the_database_is_unavailable(postgres_server: str) -> None:
    assert postgres_server  # or it is skipped
    with database_server(cast("Path", programs())) as server:
        address = await asyncio.to_thread(make_database, server.address, "away")
        work, clock = Work(waits=True), SystemClock()
        async with open_postgres_storage(address, clock, SystemIds()) as storage:
            async with working(storage.jobs, kind(work)):
                await storage.jobs.later(ANA)
                await work.until(lambda it: it.begun == [ANA])
                await asyncio.to_thread(server.stop)
                began = clock.monotonic()
            assert clock.monotonic() - began < 10
