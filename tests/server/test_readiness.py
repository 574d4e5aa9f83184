"""A load balancer learns that this server cannot store what customers say, and that it can again."""

import asyncio
from dataclasses import dataclass, field, replace

import aiohttp

from assistant.errors import LogError
from tests.server.running_server import new_server, opened


@dataclass
class Disk:
    """A log that a test fills."""

    problem: str | None = None
    hangs: bool = False
    asked: int = 0
    hanging: asyncio.Event = field(default_factory=asyncio.Event)

    async def check(self) -> None:
        self.asked += 1
        if self.hangs:
            self.hanging.set()
            await asyncio.Event().wait()
        if self.problem is not None:
            raise LogError(self.problem)


async def test_it_is_ready_while_the_log_can_be_written_and_says_why_not() -> None:
    disk, server = Disk(), new_server()
    server.door = replace(server.door, check_log=disk.check)

    async with opened(server), aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as web:

        async def asked() -> tuple[int, object]:
            async with web.get("/readyz") as answer:
                return answer.status, await answer.json()

        assert await asked() == (200, {"status": "ready"})
        disk.problem = "the log could not be written: no space left on device"
        assert (await asked())[0] == 200, "the answer is kept for a second"
        assert disk.asked == 1
        server.clock.advance(1.0)
        assert await asked() == (503, {"status": "unavailable", "reason": disk.problem})
        disk.problem, disk.hangs = None, True
        server.clock.advance(1.0)
        slow = asyncio.create_task(asked())
        await asyncio.wait_for(disk.hanging.wait(), 10)
        server.clock.advance(5.0)
        assert await slow == (
            503,
            {"status": "unavailable", "reason": "the log did not answer within 5 seconds"},
        )
        disk.hangs = False
        server.clock.advance(1.0)
        assert await asked() == (200, {"status": "ready"})


async def test_it_is_ready_and_says_so_while_long_calls_wait() -> None:
    disk, server = Disk(), new_server()
    server.door = replace(server.door, check_log=disk.check, long_calls_wait=lambda: True)

    async with (
        opened(server),
        aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as web,
        web.get("/readyz") as answer,
    ):
        assert (answer.status, await answer.json()) == (200, {"status": "ready", "long_calls": "waiting"})
