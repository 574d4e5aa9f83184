"""A receiver of webhooks on loopback, and a server whose conversations are reported to it, in virtual time."""

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import pytest
from aiohttp import web

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.resilience import CircuitBreaker
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.jobs import SqliteJobs
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, WebhookClient, signature_problem
from assistant.webhooks.delivery import DeliveryPlan, Receiver, WebhookDelivery
from assistant.webhooks.events import EVENT_TYPES, ConversationEvents
from assistant.webhooks.watched_log import WatchedLog
from tests.support.memory_deliveries import MemoryDeliveries

SECRET = "a secret for tests that is long enough"
IDLE_S = 600.0


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


@dataclass
class FakeCrm:
    """Takes events with the answers that a test sets; the last answer is for all that follow."""

    clock: VirtualClock
    answers: list[int] = field(default_factory=lambda: [200])
    taken: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    refused: int = 0
    url: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])

    async def hear(self, request: web.Request) -> web.Response:
        body = await request.read()
        signed = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        assert signature_problem(SECRET, signed, body, self.clock.now_ms() / 1000) is None
        status = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if status < 300:
            self.taken.append(orjson.loads(body))
        else:
            self.refused += 1
        return web.Response(status=status, headers=self.headers)

    @property
    def events(self) -> list[str]:
        return [event["event"] for event in self.taken]

    @property
    def by_id(self) -> dict[str, dict[str, Any]]:
        return {event["event_id"]: event for event in self.taken}


class CrashingLog:
    """A memory log; after ``most`` entries the process is gone: nothing that it does afterwards has an effect."""

    def __init__(self, log: MemoryLog, most: int | None) -> None:
        self.log, self.most = log, most

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        if self.most is not None and entries[-1].seq > self.most:
            left = [logged for logged in entries if logged.seq <= self.most]
            if left:
                await self.log.append(key, left)
            await asyncio.Event().wait()
        await self.log.append(key, entries)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log, name)


@dataclass
class Server:
    """One process that reports its conversations."""

    clock: VirtualClock
    delivery: WebhookDelivery
    log: Log
    working: asyncio.Task[None]

    async def settled(self) -> None:
        """Wait until a receiver that is there has got everything."""
        await self.clock.sleep(60)

    async def stop(self) -> None:
        """End the process as if it were killed."""
        self.working.cancel()
        await asyncio.wait({self.working})
        await self.delivery.close()


Start = Callable[..., Server]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def stored() -> MemoryLog:
    """What is on disk."""
    return MemoryLog()


@pytest.fixture
def positions() -> MemoryDeliveries:
    return MemoryDeliveries()


@pytest.fixture
async def crm(clock: VirtualClock) -> AsyncGenerator[FakeCrm, None]:
    crm = FakeCrm(clock)
    app = web.Application()
    app.router.add_post("/events", crm.hear)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    crm.url = f"http://127.0.0.1:{runner.addresses[0][1]}/events"
    yield crm
    await runner.cleanup()


@pytest.fixture
async def start(
    crm: FakeCrm, clock: VirtualClock, stored: MemoryLog, positions: MemoryDeliveries, tmp_path: Path
) -> AsyncGenerator[Start, None]:
    """Starts a process. ``most``: it ends after this number of entries; ``texts``: events contain what was said."""
    servers: list[Server] = []
    jobs = SqliteJobs(tmp_path / "jobs.db", clock)

    def started(
        most: int | None = None, *, texts: bool = False, wanted: Sequence[str] = EVENT_TYPES
    ) -> Server:
        client = WebhookClient(crm.url, SECRET, clock, lambda: 0.0, "webhook 1")
        source = ConversationEvents(wanted=wanted, texts=texts, idle_ms=round(1000 * IDLE_S))
        log: Any = CrashingLog(stored, most)
        delivery = WebhookDelivery(
            receivers={"crm": Receiver(client=client, source=source, circuit=CircuitBreaker("crm", clock))},
            log=stored,
            positions=positions,
            jobs=jobs,
            clock=clock,
            plan=DeliveryPlan(kind="webhook", sweep="undelivered", tries=300, longest_pause_s=600.0),
        )
        watched = WatchedLog(log, delivery, clock, IDLE_S)
        working = asyncio.create_task(jobs.run(delivery.kinds))
        servers.append(Server(clock, delivery, watched, working))
        return servers[-1]

    yield started
    for one in servers:
        await one.stop()
    await jobs.close()
