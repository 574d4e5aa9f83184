"""Servers are killed at random times; customers notice nothing but a pause."""

import asyncio
from contextlib import suppress
from random import Random
from typing import Literal, TypeAlias

import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation, Server

pytestmark = pytest.mark.slow

KILLS = times("FAULTS_KILLS", 30)
Moment: TypeAlias = Literal["any", "ordered", "shown"]
MOMENTS: tuple[Moment, ...] = ("any", "ordered", "shown")
SEED = times("FAULTS_SEED", 19)
CLIENTS = 6
START_S = 1.0
"""How long a copied server starts on a machine without other work."""

MUTANTS = {
    "a side effect begins before the log says so": """
from assistant.sessions import recorder
recorder.COMPANY_S = 0.3
whole = recorder.Recorder.record
async def record(self, turn_id, entry, *, durable=False):
    await whole(self, turn_id, entry)
recorder.Recorder.record = record
""",
    "words are sent before they are stored": """
import asyncio
from assistant.sessions import recorder
async def write(self):
    try:
        while self._due:
            self._due = False
            batch, self._waiting = self._waiting, []
            self._published(batch)
            await asyncio.sleep(0.1)
            await self._log.append(self._key, batch)
    finally:
        self._writer = None
recorder.Recorder._write = write
""",
}
"""Faults introduced into the program on purpose; a test must notice each."""


async def test_one_server_with_sqlite_loses_nothing_and_repeats_nothing(on_sqlite: Installation) -> None:
    await killed_and_killed(on_sqlite, 1)


async def test_three_servers_with_postgres_lose_nothing_and_repeat_nothing(on_postgres: Installation) -> None:
    await killed_and_killed(on_postgres, 3)


async def killed_and_killed(installation: Installation, number: int) -> None:
    """Run this number of servers and kill one after another while customers talk."""
    installation.many_starts = True
    clients = await faulty(installation, number, KILLS)

    assert await found_in(installation, clients) == []
    assert all(client.answered for client in clients)


@pytest.mark.parametrize(
    ("mutant", "moment", "noticed"),
    [
        ("a side effect begins before the log says so", "ordered", "was ordered 2 times"),
        ("words are sent before they are stored", "shown", "became"),
    ],
)
async def test_a_broken_promise_is_noticed(
    on_sqlite: Installation,
    tmp_path_factory: pytest.TempPathFactory,
    mutant: str,
    moment: Moment,
    noticed: str,
) -> None:
    changes = tmp_path_factory.mktemp("mutant")
    (changes / "sitecustomize.py").write_text(MUTANTS[mutant])
    on_sqlite.changes.insert(0, changes)

    clients = await faulty(on_sqlite, 1, 2, moment)

    found = await found_in(on_sqlite, clients)
    assert any(noticed in fault for fault in found), found


async def faulty(
    installation: Installation, number: int, kills: int, moment: Moment | None = None
) -> list[Client]:
    """Customers who talked to these servers while one after another was killed at the given kind of moment."""
    random, over, slowness = Random(SEED), asyncio.Event(), 1.0
    now = asyncio.get_running_loop().time
    async with installation.running(number) as servers:
        clients = [
            Client(f"c{one}", lambda: [server.port for server in servers], Random(SEED + one))
            for one in range(CLIENTS)
        ]
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            for _ in range(kills):
                await asyncio.sleep((0.2 + random.random()) * slowness)
                victim = await chosen(
                    installation, servers, clients, random, moment or random.choice(MOMENTS)
                )
                await victim.kill()
                began = now()
                await installation.start(victim)
                # On a busy machine a turn takes longer too: it must be able to end before the next kill.
                slowness = max(1.0, (now() - began) / START_S)
            over.set()
    return clients


async def found_in(installation: Installation, clients: list[Client]) -> list[str]:
    """What is wrong with any of the conversations."""
    kept, effects = await conversations(installation), installation.effects()
    answered = sum(client.answered for client in clients)
    print(f"\n{answered} answers, {len(effects)} orders")
    return [fault for client in clients for fault in faults(client, kept[client.conversation], effects)]


async def chosen(
    installation: Installation, servers: list[Server], clients: list[Client], random: Random, moment: Moment
) -> Server:
    """Which server to kill now: any at any time, or the one that has just ordered something or shown words."""
    match moment:
        case "ordered":
            before = len(installation.effects())
            with suppress(TimeoutError):
                async with asyncio.timeout(5):
                    while len(effects := installation.effects()) == before:  # noqa: ASYNC110 - a file of others
                        await asyncio.sleep(0.001)
                    busy = [server for server in servers if server.pid == effects[-1].process]
                    return busy[0] if busy else servers[0]
        case "shown":
            heard = asyncio.Event()
            random.choice(clients).on_delta = heard.set
            with suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), 5)
        case "any":
            pass
    return random.choice(servers)
