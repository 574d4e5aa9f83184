"""A handoff backend behind an address, on loopback, in virtual time."""

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from assistant.handoff.webhook import WebhookBackend, helpdesk_delivery
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.jobs import SqliteJobs
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, WebhookClient, signature_problem
from assistant.webhooks.delivery import WebhookDelivery
from tests.support.memory_deliveries import MemoryDeliveries

SECRET = "a secret for tests that is long enough"


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@dataclass
class FakeHelpdesk:
    """Takes events as a test says: ``answers`` are statuses and bodies, the last of them for all that follow."""

    clock: VirtualClock
    answers: list[tuple[int, str]] = field(default_factory=lambda: [(200, "{}")])
    taken: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refused: int = 0
    url: str = ""

    async def hear(self, request: web.Request) -> web.Response:
        body = await request.read()
        headers = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        assert signature_problem(SECRET, headers, body, self.clock.now_ms() / 1000) is None
        status, answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if status < 300:
            self.taken.append(orjson.loads(body))
        else:
            self.refused += 1
        return web.Response(status=status, text=answer)

    @property
    def events(self) -> list[str]:
        return [event["event"] for event in self.taken]


@dataclass
class Line:
    """One process's way to the desk."""

    clock: VirtualClock
    post: WebhookClient
    courier: WebhookDelivery
    backend: WebhookBackend
    working: asyncio.Task[None]

    async def settled(self) -> None:
        """Wait until a desk that is there has heard of everything."""
        await self.clock.sleep(60)

    async def stop(self) -> None:
        """End the process."""
        self.working.cancel()
        await asyncio.wait({self.working})
        await self.backend.stop()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def log() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
def deliveries() -> MemoryDeliveries:
    return MemoryDeliveries()


@pytest.fixture
async def server(clock: VirtualClock) -> AsyncGenerator[FakeHelpdesk, None]:
    server = FakeHelpdesk(clock)
    app = web.Application()
    app.router.add_post("/events", server.hear)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/events"
    yield server
    await runner.cleanup()


@pytest.fixture
async def line(
    server: FakeHelpdesk,
    clock: VirtualClock,
    log: MemoryLog,
    deliveries: MemoryDeliveries,
    tmp_path: Path,
) -> AsyncGenerator[Callable[[], Line], None]:
    lines: list[Line] = []
    jobs = SqliteJobs(tmp_path / "jobs.db", clock)

    def made() -> Line:
        post = WebhookClient(server.url, SECRET, clock, lambda: 0.0)
        courier = helpdesk_delivery(post, log, deliveries, jobs, clock)
        working = asyncio.create_task(jobs.run(courier.kinds))
        lines.append(Line(clock, post, courier, WebhookBackend(post, courier, log), working))
        return lines[-1]

    yield made
    for one in lines:
        await one.stop()
    await jobs.close()
