"""A server that was frozen for longer than its lease has lost its conversations when it wakes up."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.order_model import OrderModel
from tests.faults.servers import Installation

pytestmark = pytest.mark.slow

ZOMBIES = times("FAULTS_ZOMBIES", 4)
LEASE_S = 1.0


async def test_a_server_that_wakes_up_after_its_lease_writes_nothing(
    on_postgres: Installation, model: OrderModel
) -> None:
    assert await woken(on_postgres, model, ZOMBIES) == []


async def test_without_a_fence_it_would_write(on_postgres: Installation, model: OrderModel) -> None:
    async with without_fence(on_postgres):
        found = await woken(on_postgres, model, 2)

    assert any("after it was taken from it" in fault for fault in found), found


async def woken(installation: Installation, model: OrderModel, number: int) -> list[str]:
    """Freeze a server in the middle of a sentence, wake it after another has taken over; gives what is wrong."""
    found = list[str]()
    async with installation.running(2) as servers:
        for one in range(number):
            frozen = servers[one % 2]
            ports = [frozen.port]
            client = Client(f"c{one}", lambda ports=ports: ports, Random(one))
            message = f"c{one}-1"
            client.sent[message] = f"Please order item {message}."
            model.first_s = 0.0
            async with asyncio.TaskGroup() as talks:
                talk = talks.create_task(client.answer_of(message))
                await words_of(client)
                frozen.tell(signal.SIGSTOP)
                try:
                    model.first_s = 1.0  # the next server has the conversation, and has written nothing yet
                    before, after, entries = await taken_over(installation, client)
                finally:
                    frozen.tell(signal.SIGCONT)
                ports.append(servers[1 - one % 2].port)
                async with asyncio.timeout(30):
                    await talk
            kept = (await conversations(installation))[client.conversation]
            late = [entry for entry in kept[entries:] if entry.fence < after]
            if late:
                found.append(
                    f"{client.name}: {late} came from {before} after it was taken from it by {after}"
                )
            found += faults(client, kept, installation.effects())
    return found


async def words_of(client: Client) -> None:
    """Wait for words of the answer."""
    heard = asyncio.Event()
    client.on_delta = lambda: (
        heard.set() if any("Item" in one.text for one in client.shown.values()) else None
    )
    await asyncio.wait_for(heard.wait(), 30)


async def taken_over(installation: Installation, client: Client) -> tuple[int, int, int]:
    """Wait for another server to take over; gives the fence before and after, and the number of entries."""
    async with database(installation) as connection:
        fence = "SELECT fence FROM leases WHERE conversation = $1"
        before: int = await connection.fetchval(fence, client.conversation)  # pyright: ignore
        async with asyncio.timeout(LEASE_S + 2 + 5):  # more time, for a busy machine
            after = before
            while after == before:
                await asyncio.sleep(0.01)
                after = await connection.fetchval(fence, client.conversation)  # pyright: ignore
        many = "SELECT count(*) FROM entries WHERE conversation = $1"
        return before, after, await connection.fetchval(many, client.conversation)  # pyright: ignore


@asynccontextmanager
async def database(installation: Installation) -> AsyncGenerator[asyncpg.Connection]:
    """A connection that sees the rows of all tenants."""
    connection = await asyncpg.connect(installation.settings["ASSISTANT_DATABASE"])  # pyright: ignore
    try:
        await connection.execute("SET meanwhile.tenant = '*'; SET search_path = meanwhile, public")  # pyright: ignore
        yield connection
    finally:
        await connection.close()  # pyright: ignore


@asynccontextmanager
async def without_fence(installation: Installation) -> AsyncGenerator[None]:
    """Let the database accept appends with an old fence."""
    async with database(installation) as connection:
        whole: str = await connection.fetchval(  # pyright: ignore
            "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'append_entries'"
        )
        assert "held <> fences_[a]" in whole
        await connection.execute(whole.replace("held <> fences_[a]", "false"))  # pyright: ignore
        try:
            yield
        finally:
            await connection.execute(whole)  # pyright: ignore
