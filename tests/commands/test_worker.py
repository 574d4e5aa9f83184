"""``assistant worker`` runs the background work of servers that share a database."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import orjson
import pytest
from aiohttp import web

from assistant.background import pass_progress_on, run_worker
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Handoff, Logged, LongCallProgressed, Summary
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.jobs import Job
from assistant.sessions.followed_session import long_call_command
from assistant.settings import Settings
from assistant.store.postgres.storage import open_postgres_storage
from tests.support.postgres import run

ROOT = Path(__file__).parents[2]
OLD = ConversationKey(tenant="demo", customer="ana", conversation="old")
SUMMARY = Summary(last_turn_id="t1", text="Hi", made_by="rule")


@asynccontextmanager
async def worker(database: str, folder: Path, **settings: str) -> AsyncGenerator[Process]:
    """A worker in a process of its own, killed in the end unless it ended before."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "worker"),
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "ASSISTANT_DATABASE": database,
            "ASSISTANT_DATA_DIR": str(folder / "data"),
            **{f"ASSISTANT_{name.upper()}": value for name, value in settings.items()},
        },
        stdout=PIPE,
        stderr=STDOUT,
    )
    try:
        async with asyncio.timeout(60):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.mark.slow
async def test_a_worker_deletes_expired_data_and_ends_on_a_signal(database: str, tmp_path: Path) -> None:
    async with open_postgres_storage(database, SystemClock(), SystemIds()) as storage:
        await storage.log.append(OLD, [Logged(1, 1_000, "", SUMMARY, 0)])
        async with worker(database, tmp_path, keep_conversations_days="30") as process:
            while await storage.log.read(OLD):  # noqa: ASYNC110 - another process does it
                await asyncio.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            said, _ = await process.communicate()

    assert process.returncode == 0, said.decode()
    assert b"Traceback" not in said


async def test_progress_of_a_long_call_goes_to_the_server_that_holds_it(database: str) -> None:
    progress = LongCallProgressed(call_id="c1.1", done=3, total=10, unit="pages")
    async with (
        open_postgres_storage(database, SystemClock(), SystemIds(), lease_s=30) as server,
        open_postgres_storage(database, SystemClock(), SystemIds()) as worker,
    ):
        await pass_progress_on(worker, OLD, "t1", progress)  # no server holds it: it is lost
        assert server.leases is not None
        await server.leases.beat()
        await server.leases.take(OLD)
        await pass_progress_on(worker, OLD, "t1", progress)
        (command,) = await server.leases.commands()

    assert command.key == OLD
    assert command.body == long_call_command("t1", progress)


class Helpdesk:
    """Takes no event before ``there`` is set, and knows what it was asked."""

    def __init__(self) -> None:
        self.asked, self.taken = 0, list[str]()
        self.there, self.changed = asyncio.Event(), asyncio.Event()

    async def hear(self, request: web.Request) -> web.Response:
        event = orjson.loads(await request.read())
        self.asked += 1
        self.changed.set()
        await self.there.wait()
        self.taken.append(event["event"])
        self.changed.set()
        return web.json_response({})

    async def until(self, so: Callable[["Helpdesk"], bool]) -> None:
        while not so(self):
            self.changed.clear()
            await self.changed.wait()


@pytest.fixture
async def helpdesk() -> AsyncIterator[tuple[Helpdesk, str]]:
    """A helpdesk and its address."""
    desk, app = Helpdesk(), web.Application()
    app.router.add_post("/events", desk.hear)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield desk, f"http://127.0.0.1:{runner.addresses[0][1]}/events"
    await runner.cleanup()


@pytest.mark.slow
async def test_the_job_of_a_killed_worker_is_run_by_another(
    database: str, tmp_path: Path, helpdesk: tuple[Helpdesk, str]
) -> None:
    desk, url = helpdesk
    settings = {"handoff_webhook_url": url, "handoff_webhook_secret": "s" * 40}
    async with open_postgres_storage(database, SystemClock(), SystemIds()) as storage:
        ended = Handoff(handoff_id="h1", state="ended", name="Sam")
        await storage.log.append(OLD, [Logged(1, 1_000, "", SUMMARY, 0), Logged(2, 2_000, "", ended, 0)])
        await storage.deliveries.begin(["handoff"], OLD, 1)
        await storage.jobs.later(
            Job(
                kind="delivery",
                tenant=OLD.tenant,
                customer=OLD.customer,
                arguments={"conversation": OLD.conversation, "receiver": "handoff"},
            )
        )
        async with worker(database, tmp_path, **settings) as killed:
            await desk.until(lambda it: it.asked == 1)
            killed.kill()
            await killed.communicate()

        superuser = database.replace("//plain:", "//shop:")
        half_a_minute_later = "SET last_heartbeat = last_heartbeat - interval '30 seconds'"
        await run(superuser, f"UPDATE meanwhile.procrastinate_workers {half_a_minute_later}")
        async with worker(database, tmp_path, **settings):
            await desk.until(lambda it: it.asked == 2)
            desk.there.set()
            while await storage.deliveries.delivered("handoff", OLD) is not None:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.1)

    assert desk.taken[-1:] == ["handoff.ended"]


async def test_a_data_folder_cannot_have_a_worker(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="`assistant worker` needs ASSISTANT_DATABASE"):
        await run_worker(Settings(data_dir=tmp_path))


async def test_jobs_are_not_left_to_a_worker_that_cannot_exist(tmp_path: Path) -> None:
    from assistant.app import open_assistant

    with pytest.raises(DeclarationError, match="ASSISTANT_RUN_JOBS=false leaves background work"):
        async with open_assistant(Settings(data_dir=tmp_path, run_jobs=False)):
            pass
