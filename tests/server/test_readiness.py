"""A load balancer learns that this server cannot answer customers, why, and when it can again."""

import asyncio
from dataclasses import dataclass, field, replace

import aiohttp
from structlog.testing import capture_logs

from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.server.readiness import Readiness
from tests.server.running_server import new_server, opened


@dataclass
class Disk:
    """A disk that a test fills."""

    problem: str | None = None
    hangs: bool = False
    asked: int = 0
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    async def look(self) -> list[Finding]:
        self.asked += 1
        if self.hangs:
            self.hanging.set()
            await asyncio.Event().wait()
        return [Fine("disk", "room") if self.problem is None else Wrong("disk", self.problem, "make room")]


async def test_it_names_the_checks_and_the_reason() -> None:
    disk, server = Disk(), new_server()
    edits = Doubtful("edits", "the last edit was refused", "correct it")
    looks = [("disk", disk.look), ("edits", lambda: list[Finding]([edits]))]
    server.context = replace(server.context, readiness=Readiness(looks, server.clock))
    told_edits = {"name": "edits", "ok": True, "says": "the last edit was refused", "cure": "correct it"}

    async with opened(server), aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as web:

        async def asked() -> tuple[int, object]:
            async with web.get("/readyz") as answer:
                return answer.status, await answer.json()

        ready = {"status": "ready", "checks": [{"name": "disk", "ok": True, "says": "room"}, told_edits]}
        assert await asked() == (200, ready)
        disk.problem = "2 MB left"
        assert (await asked())[0] == 200, "the answer is kept for a second"
        assert disk.asked == 1
        server.clock.advance(1.0)
        told_disk = {"name": "disk", "ok": False, "says": "2 MB left", "cure": "make room"}
        not_ready = {"status": "unavailable", "reason": "disk: 2 MB left", "checks": [told_disk, told_edits]}
        assert await asked() == (503, not_ready)
        disk.problem, disk.hangs = None, True
        server.clock.advance(1.0)
        slow = asyncio.create_task(asked())
        await asyncio.wait_for(disk.hanging.wait(), 10)
        server.clock.advance(5.0)
        status, told = await slow
        assert isinstance(told, dict)
        assert (status, told["reason"]) == (503, "disk: no answer within 5 seconds")
        disk.hangs = False
        server.clock.advance(1.0)
        assert await asked() == (200, ready)


async def test_people_get_text() -> None:
    disk, server = Disk(problem="2 MB left"), new_server()
    looks = [("disk", disk.look), ("log", lambda: list[Finding]([Fine("log", "can be written")]))]
    server.context = replace(server.context, readiness=Readiness(looks, server.clock))

    async with opened(server), aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as web:
        for asked in ("text/plain", "text/html,application/xhtml+xml,*/*;q=0.8"):
            async with web.get("/readyz", headers={"Accept": asked}) as answer:
                told = answer.status, answer.content_type, await answer.text()

            assert told == (
                503,
                "text/plain",
                "not ready\n\n"
                "WRONG  disk          2 MB left\n"
                "                     -> make room\n"
                "ok     log           can be written\n",
            )


async def test_the_log_has_a_failure_and_not_the_start() -> None:
    disk, server = Disk(problem="models are loading"), new_server()
    readiness = Readiness([("disk", disk.look)], server.clock)

    with capture_logs() as logged:
        for problem in ("models are loading", None, "2 MB left", "1 MB left", None):
            disk.problem = problem
            await readiness.findings()
            server.clock.advance(1.0)

    assert [(one["log_level"], one["event"], one.get("why", "")) for one in logged] == [
        ("info", "not ready", "disk: models are loading"),
        ("info", "ready", ""),
        ("error", "not ready", "disk: 2 MB left"),
        ("info", "ready again", ""),
    ]
