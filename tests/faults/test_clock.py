"""One server's clock jumps by an hour, forwards and back; customers notice nothing."""

import asyncio
import os
from pathlib import Path
from random import Random

import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation

pytestmark = pytest.mark.slow

LIBRARIES = sorted(Path("/usr/lib").glob("**/faketime/libfaketime.so.1"))
STEPS = ("+3600", "-3600", "+0") * times("FAULTS_CLOCK_STEPS", 1)
ANSWERS_A_STEP = 2


async def test_clock_steps_of_an_hour_change_nothing(on_postgres: Installation) -> None:
    if not LIBRARIES:
        why = "faketime is not installed (Debian: apt-get install faketime)"
        assert "CI" not in os.environ, why
        pytest.skip(why)
    steps = on_postgres.folder / "clock"
    steps.write_text("+0\n")
    over = asyncio.Event()
    async with on_postgres.running(2) as servers:
        steady, stepping = servers
        await stepping.kill()
        plain, on_postgres.settings = (
            on_postgres.settings,
            {
                **on_postgres.settings,
                "LD_PRELOAD": str(LIBRARIES[0]),
                "FAKETIME_TIMESTAMP_FILE": str(steps),
                "FAKETIME_NO_CACHE": "1",
                # Durations are measured by a clock that cannot be set.
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            },
        )
        await on_postgres.start(stepping)
        on_postgres.settings = plain
        clients = [Client(f"c{one}", lambda: [steady.port, stepping.port], Random(one)) for one in range(6)]
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            for step in STEPS:
                steps.write_text(f"{step}\n")
                before = [client.answered for client in clients]
                async with asyncio.timeout(60):
                    while any(  # noqa: ASYNC110 - any of them may be the last
                        client.answered < was + ANSWERS_A_STEP
                        for client, was in zip(clients, before, strict=True)
                    ):
                        await asyncio.sleep(0.1)
            over.set()
        kept, effects = await conversations(on_postgres), on_postgres.effects()

    assert [fault for client in clients for fault in faults(client, kept[client.conversation], effects)] == []
    assert [client.errors for client in clients if client.errors] == []
    assert {code for client in clients for code in client.closed} <= {1012}
    longest = max(silence for client in clients for silence in client.silences)
    print(f"\n{sum(client.answered for client in clients)} answers, the longest silence {longest:.2f} s")
    # The clock of the server did change: its entries have times of another hour.
    written = [one.at_ms for entries in kept.values() for one in entries]
    assert max(written) - min(written) > 3_000_000
    assert longest < 10
