"""Servers end, by a signal or a crash, and customers continue on other servers."""

import asyncio
import signal
from random import Random

import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation, Server

pytestmark = [pytest.mark.slow, pytest.mark.faults]

KILLS = times("FAULTS_FAILOVERS", 3)
IN_ONE_CONVERSATION = 20
"""The kills after which new customers come: by then a conversation has some two hundred turns."""
LEASE_S = 1.0
LATE_S = float(times("FAULTS_LATE_S", 5))
"""The time after the lease within which customers must continue; `make faults` sets 2 on an idle machine."""
EXIT_S = 30.0


def clients_of(servers: list[Server], number: int, name: str = "c") -> list[Client]:
    """Customers who use any of these servers. Their orders begin with ``name``."""
    return [
        Client(f"{name}{one}", lambda: [server.port for server in servers], Random(one))
        for one in range(number)
    ]


async def wrong(installation: Installation, clients: list[Client]) -> list[str]:
    """What is wrong with their conversations."""
    kept, effects = await conversations(installation), installation.effects()
    return [fault for client in clients for fault in faults(client, kept[client.conversation], effects)]


async def waits_after(
    kills: int, installation: Installation, servers: list[Server], name: str
) -> list[float]:
    """Kill servers so often while new customers talk, whose conversations must be whole in the end.

    ``name`` is the beginning of their orders.

    Returns each customer's longest silence after each kill, in seconds.
    """
    over, random, waits = asyncio.Event(), Random(kills), list[float]()
    clients = clients_of(servers, 8, name)
    async with asyncio.TaskGroup() as talks:
        for client in clients:
            talks.create_task(client.talk(over))
        for _ in range(kills):
            await asyncio.sleep(1 + random.random())
            for client in clients:
                client.silences.clear()
            victim = random.choice(servers)
            await victim.kill()
            # Start no other server meanwhile: it would compete with those that take over.
            await asyncio.sleep(LEASE_S + 2.5)
            for client in clients:
                await client.heard_something()
            waits += [max(client.silences) for client in clients]
            await installation.start(victim)
        over.set()
    assert await wrong(installation, clients) == []
    return waits


async def test_customers_of_a_dead_server_soon_continue_elsewhere(on_postgres: Installation) -> None:
    waits = list[float]()
    on_postgres.many_starts = True
    async with on_postgres.running(3) as servers:
        for done in range(0, KILLS, IN_ONE_CONVERSATION):
            kills = min(IN_ONE_CONVERSATION, KILLS - done)
            waits += await waits_after(kills, on_postgres, servers, f"after{done}-")

    waits.sort()
    p50, p99 = waits[len(waits) // 2], waits[-1 - len(waits) // 100]
    print(f"\nlongest silence after a kill: p50 {p50:.2f} s, p99 {p99:.2f} s")
    assert p99 < LEASE_S + LATE_S


async def test_a_stop_with_many_turns_under_way_loses_nothing(on_sqlite: Installation) -> None:
    over = asyncio.Event()
    async with on_sqlite.running(1) as servers:
        (server,) = servers
        clients = clients_of(servers, 50)
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            while not all(client.shown for client in clients):  # noqa: ASYNC110 - any of them may be the last
                await asyncio.sleep(0.05)
            over.set()
            server.tell(signal.SIGTERM)
            assert await server.ended(EXIT_S) == 0
            await on_sqlite.start(server)

    assert await wrong(on_sqlite, clients) == []
    assert all(client.answered for client in clients)


async def test_servers_are_replaced_one_by_one_while_customers_talk(on_postgres: Installation) -> None:
    over = asyncio.Event()
    async with on_postgres.running(3) as servers:
        clients = clients_of(servers, 12)
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            for server in servers:
                await asyncio.sleep(1)
                server.tell(signal.SIGTERM)
                assert await server.ended(EXIT_S) == 0
                await on_postgres.start(server)
            over.set()

    assert await wrong(on_postgres, clients) == []
    assert {code for client in clients for code in client.closed} <= {1012}
