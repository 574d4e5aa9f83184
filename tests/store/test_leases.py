"""Leases in the database: one server writes a conversation, by the database's own clock."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest

from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Handoff, Logged
from assistant.conversation.sharing import Hint
from assistant.errors import Fenced
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, migrate, read_address
from assistant.store.postgres.leases import PostgresLeases
from assistant.store.postgres.log import PostgresLog
from assistant.store.postgres.state import PostgresRates
from tests.support.postgres import install, run

ANA = ConversationKey(tenant="acme", customer="ana", conversation="c1")
BEN = ConversationKey(tenant="other", customer="ben", conversation="c2")
NewServer = Callable[[str], PostgresLeases]


def said(seq: int, fence: int) -> Logged:
    entry = CustomerMessage(message_id=f"m{seq}", client_message_id=f"x{seq}", text="Hi")
    return Logged(seq, seq, "", entry, fence)


@pytest.fixture
async def connections(database: str) -> AsyncIterator[ConnectionPool]:
    await install(database)
    pool = ConnectionPool(read_address(database), migrate)
    yield pool
    await pool.close()


@pytest.fixture
def server(connections: ConnectionPool) -> NewServer:
    """A server with a lease of a minute."""
    return lambda name: PostgresLeases(connections, SystemClock(), name, 60)


async def dies(database: str, name: str) -> None:
    """The server is not heard of for the time of its lease."""
    await run(database, f"UPDATE meanwhile.servers SET expires_at = now() WHERE server = '{name}'")  # noqa: S608


async def test_a_conversation_is_held_by_one_live_server(server: NewServer, database: str) -> None:
    one, two = server("one"), server("two")
    assert [await one.beat(), await two.beat()] == [1, 2]

    first = await one.take(ANA)
    assert await two.take(ANA) is None
    again = await one.take(ANA)
    await dies(database, "one")
    taken = await two.take(ANA)

    assert first is not None
    assert again is not None
    assert taken is not None
    assert first < again < taken
    assert await two.beat() == 1


async def test_of_many_concurrent_attempts_one_gets_the_conversation(server: NewServer) -> None:
    servers = [server(str(number)) for number in range(8)]
    for one in servers:
        await one.beat()

    fences = await asyncio.gather(*(one.take(ANA) for one in servers))

    assert sum(fence is not None for fence in fences) == 1


async def test_an_old_fence_number_is_refused_also_after_a_release(
    server: NewServer, connections: ConnectionPool
) -> None:
    log, one, two = PostgresLog(connections), server("one"), server("two")
    await one.beat()
    await two.beat()
    old = await one.take(ANA)
    assert old is not None
    await log.append(ANA, [said(1, old)])

    await one.release({ANA: old})
    with pytest.raises(Fenced):
        await log.append(ANA, [said(2, old)])
    new = await two.take(ANA)
    assert new is not None
    with pytest.raises(Fenced):
        await log.append(ANA, [said(2, old)])
    await log.append(ANA, [said(2, new)])

    assert [one.fence for one in await log.read(ANA)] == [old, new]


async def test_a_release_with_an_old_fence_number_releases_nothing(server: NewServer) -> None:
    one, two = server("one"), server("two")
    await one.beat()
    await two.beat()
    old = await one.take(ANA)
    assert old is not None
    await one.take(ANA)

    await one.release({ANA: old})

    assert await two.take(ANA) is None


async def test_conversations_without_a_live_holder_are_free(
    server: NewServer, connections: ConnectionPool, database: str
) -> None:
    log, one, two = PostgresLog(connections), server("one"), server("two")
    await one.beat()
    await two.beat()
    fence = await one.take(ANA)
    assert fence is not None
    await log.append(ANA, [said(1, fence)])
    assert await two.free([], 10) == []

    await dies(database, "one")

    assert await two.free([], 10) == [ANA]
    assert set(await two.free([BEN], 10)) == {ANA, BEN}
    assert len(await two.free([BEN], 1)) == 1


async def test_commands_reach_the_holder_in_order(server: NewServer, database: str) -> None:
    one, two = server("one"), server("two")
    await one.beat()
    await two.beat()
    assert await two.send(ANA, {"do": "nothing"}) is None
    await one.take(ANA)
    await two.take(BEN)

    assert [await two.send(ANA, {"do": "say", "text": text}) for text in ("Hi", "\0 there")] == ["one", "one"]
    await one.send(BEN, {"do": "stop"})

    commands = await one.commands()
    assert [one.body["text"] for one in commands] == ["Hi", "\0 there"]
    await one.done([commands[0].number])
    assert [one.number for one in await one.commands()] == [commands[1].number]
    await dies(database, "one")
    await two.take(ANA)
    assert len(await two.commands()) == 2, "the next holder finds what is left"


async def test_a_server_that_leaves_releases_everything(
    server: NewServer, connections: ConnectionPool, database: str
) -> None:
    log, one, two = PostgresLog(connections), server("one"), server("two")
    await one.beat()
    await two.beat()
    fence = await one.take(ANA)
    assert fence is not None
    await log.append(ANA, [said(1, fence)])
    await one.take(BEN)

    await one.leave()

    assert await two.beat() == 1
    assert await two.take(ANA) is not None
    async with connections.of_tenant(ALL_TENANTS) as connection:
        assert await connection.fetchval("SELECT count(*) FROM leases") == 1, "the visit left nothing behind"


async def test_hints_reach_the_other_servers(server: NewServer) -> None:
    one, two = server("one"), server("two")
    heard: list[Hint] = []
    listening = asyncio.create_task(two.listen(heard.append))
    own: list[Hint] = []
    own_ear = asyncio.create_task(one.listen(own.append))
    many = frozenset(f"c{number}" for number in range(250))

    async with asyncio.timeout(20):
        while not heard:
            await one.hint(Hint(conversations=frozenset({"c0"}), servers=frozenset({"two"}), free=True))
            await asyncio.sleep(0.01)
        heard.clear()
        await one.hint(Hint(conversations=many))
        while frozenset().union(*(one.conversations for one in heard)) < many:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    assert own == []
    for task in (listening, own_ear):
        task.cancel()
    await asyncio.gather(listening, own_ear, return_exceptions=True)


async def test_positions_are_those_of_conversations_that_exist(
    server: NewServer, connections: ConnectionPool
) -> None:
    log, one = PostgresLog(connections), server("one")
    await log.append(ANA, [said(1, 0), said(2, 0)])

    assert await one.positions([ANA, BEN]) == {ANA: 2}


async def test_agents_find_requests_and_open_conversations(
    server: NewServer, connections: ConnectionPool
) -> None:
    one, log = server("one"), PostgresLog(connections)
    await one.beat()
    fences = dict[str, int]()
    for name in ("asked", "ticket", "open", "left", "quiet"):
        key = replace(ANA, conversation=name)
        fences[name] = await one.take(key) or 0
        await log.append(key, [said(1, fences[name])])
    for name, state in (("asked", "queued"), ("ticket", "ticket")):
        asked = Handoff(handoff_id=f"h-{name}", state=state)  # pyright: ignore[reportArgumentType]
        await log.append(replace(ANA, conversation=name), [Logged(2, 2, "", asked, fences[name])])
    for name in ("ticket", "left", "quiet"):
        await one.release({replace(ANA, conversation=name): fences[name]})

    two = server("two")
    found = [key.conversation for key in await two.for_agents("acme", None, 10)]
    assert (sorted(found[:2]), found[2:]) == (["asked", "ticket"], ["open"])
    asked = [key.conversation for key in await two.for_agents("acme", None, 10, held=False)]
    assert sorted(asked) == ["asked", "ticket"]
    assert await two.for_agents("acme", "open", 10) == [replace(ANA, conversation="open")]
    assert await two.for_agents("acme", "left", 10) == []
    assert await two.for_agents("other", None, 10) == []


async def test_all_parts_of_a_hint_arrive(server: NewServer) -> None:
    one, two = server("one"), server("two")
    heard = list[Hint]()
    listening = asyncio.create_task(two.listen(heard.append))
    whole = Hint(
        conversations=frozenset({"c1"}),
        servers=frozenset({"two"}),
        free=True,
        handoffs=True,
        typing=frozenset({"c2"}),
        typists=frozenset({("c2", "agent"), ("c3", "customer")}),
    )
    async with asyncio.timeout(10):
        while not heard:  # it begins to listen a moment later
            await one.hint(whole)
            await asyncio.sleep(0.05)
    listening.cancel()

    assert heard[0] == whole


async def test_a_hint_of_an_older_release_is_understood(server: NewServer, database: str) -> None:
    heard = list[Hint]()
    listening = asyncio.create_task(server("one").listen(heard.append))
    told = '{"from":"two","conversations":["c1"],"servers":[],"free":false}'
    async with asyncio.timeout(10):
        while not heard:  # it begins to listen a moment later
            await run(database, f"SELECT pg_notify('meanwhile', '{told}')")
            await asyncio.sleep(0.05)
    listening.cancel()

    assert heard[0] == Hint(conversations=frozenset({"c1"}))


async def test_requests_count_on_all_servers_together(connections: ConnectionPool) -> None:
    one, two = PostgresRates(connections), PostgresRates(connections)
    asked = {"messages of ana": 4, "messages from here": 40}
    allowed = [await rates.allow("acme", asked) for rates in (one, two, one, two, one, two)]

    assert allowed == [True, True, True, True, False, False]
    # What was refused was not counted for the address.
    assert [await two.allow("acme", {"messages from here": 40}) for _ in range(37)] == [*[True] * 36, False]
    assert await two.allow("other", asked)


async def test_counts_are_valid_for_a_minute(connections: ConnectionPool, database: str) -> None:
    rates = PostgresRates(connections)
    assert [await rates.allow("acme", {"messages": 2}) for _ in range(3)] == [True, True, False]
    earlier = "UPDATE meanwhile.rates SET at = at - interval '30 seconds'"
    await run(database, f"SELECT set_config('meanwhile.tenant', '*', false); {earlier}")

    assert [await rates.allow("acme", {"messages": 2}) for _ in range(2)] == [True, False]


async def test_concurrent_counting_loses_no_request(connections: ConnectionPool) -> None:
    rates = PostgresRates(connections)
    names = [{"b": 20, "a": 20}, {"a": 20, "b": 20}]
    allowed = await asyncio.gather(*(rates.allow("acme", names[number % 2]) for number in range(40)))

    assert sum(allowed) == 20


async def test_a_server_stays_alive_while_another_hangs(
    server: NewServer, connections: ConnectionPool, database: str
) -> None:
    rates = PostgresRates(connections)
    await rates.allow("acme", {"messages of ana": 4})
    await rates.allow("acme", {"messages of ben": 4})
    earlier = "UPDATE meanwhile.rates SET at = at - interval '1 hour'"
    await run(database, f"SELECT set_config('meanwhile.tenant', '*', false); {earlier}")
    async with connections.of_tenant("acme") as hanging:
        await hanging.execute("SELECT count_requests('acme', ARRAY['messages of ana'], ARRAY[4])")
        async with asyncio.timeout(3):
            assert await server("one").beat() == 1

    await server("one").beat()
    async with connections.of_tenant(ALL_TENANTS) as connection:
        left = await connection.fetch("SELECT name FROM rates")
    assert [row["name"] for row in left] == ["messages of ana"]
