"""The installation's secret is replaced while two servers answer, and no client's token is refused."""

import asyncio
from collections.abc import Callable
from random import Random

import pytest

from assistant.store.keyring import READ_EVERY_S, TAKEN_UP_S
from tests.faults.client import Client
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation, Server

pytestmark = [pytest.mark.slow, pytest.mark.faults]

LATE_S = 30.0
"""More than servers need to read the secret again, also on a busy machine."""


async def until(what: Callable[[], bool], within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while not what():  # noqa: ASYNC110 - a moment more or less does not matter
            await asyncio.sleep(0.1)


async def all_answered_again(clients: list[Client]) -> None:
    """Wait until each has connected anew, and had an answer, twice: the first may have begun before."""
    before = [client.answered for client in clients]
    pairs = list(zip(clients, before, strict=True))
    await until(lambda: all(client.answered >= number + 2 for client, number in pairs), LATE_S)


async def is_refused(server: Server, token: str) -> bool:
    """Whether this server refuses the token."""
    old = Client("old", lambda: [server.port], Random(1), token=token)
    old.sent["old-1"] = "Hello"
    answered = asyncio.create_task(old.answer_of("old-1"))
    await until(lambda: bool(old.errors) or answered.done(), LATE_S)
    answered.cancel()
    await asyncio.wait({answered})
    return [error["code"] for error in old.errors[:1]] == ["token_invalid"]


async def test_no_token_is_refused_while_the_secret_is_replaced(on_postgres: Installation) -> None:
    over = asyncio.Event()
    async with on_postgres.running(2) as servers:
        ports = [server.port for server in servers]
        clients = [Client(f"c{one}", lambda: ports, Random(one)) for one in range(3)]
        async with asyncio.TaskGroup() as talks:
            for client in clients:
                talks.create_task(client.talk(over))
            await all_answered_again(clients)
            first = clients[0].token
            assert first is not None

            told = await on_postgres.run("secrets", "rotate", "own")
            assert "has a new secret" in told
            await asyncio.sleep(TAKEN_UP_S + 1)
            # From now on a welcome has a token of the new secret. Clients connect anew for each message.
            await all_answered_again(clients)
            assert not await is_refused(servers[0], first)
            told = await on_postgres.run("secrets", "rotate", "own", "--finish", "--now")
            assert "The previous secret is removed" in told
            await asyncio.sleep(READ_EVERY_S + 1)
            await all_answered_again(clients)
            over.set()

        refused = [await is_refused(server, first) for server in servers]

    assert refused == [True, True]  # so both servers have read the secret again
    assert [client.errors for client in clients] == [[], [], []]
    kept, effects = await conversations(on_postgres), on_postgres.effects()
    assert [fault for client in clients for fault in faults(client, kept[client.conversation], effects)] == []
