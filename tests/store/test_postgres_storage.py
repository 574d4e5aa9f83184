"""An installation in a database: its one secret, its format, and databases that cannot be used."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest

from assistant.conversation.codec import FORMAT
from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.store.postgres.database import newest_schema
from assistant.store.postgres.storage import open_postgres_conversations, open_postgres_storage
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock
from tests.support.postgres import run


async def enter(storage: AbstractAsyncContextManager[object]) -> None:
    async with storage:
        pass


def ways(address: str) -> dict[str, Callable[[], AbstractAsyncContextManager[object]]]:
    """All ways to open a database."""
    clock, ids = VirtualClock(), SystemIds()
    return {
        "serve": lambda: open_postgres_storage(address, clock, ids),
        "work": lambda: open_postgres_storage(address, clock, ids, create=False),
        "read": lambda: open_postgres_conversations(address),
    }


@pytest.fixture
async def bare(postgres_server: str) -> str:
    """The address of a database in which no server has been."""
    await run(postgres_server, "DROP DATABASE IF EXISTS bare")
    await run(postgres_server, "CREATE DATABASE bare")
    address = postgres_server.replace("/postgres?", "/bare?")
    await run(address, "CREATE EXTENSION vector")
    return address


async def test_servers_that_start_at_the_same_time_agree_on_one_secret(bare: str) -> None:
    async def start() -> str:
        async with open_postgres_storage(bare, VirtualClock(), SystemIds()) as server:
            return server.secret

    secrets = await asyncio.gather(*(start() for _ in range(8)))

    assert len(secrets[0]) >= 43
    assert {*secrets, await start()} == {secrets[0]}


@pytest.mark.parametrize("way", ["serve", "work", "read"])
async def test_entries_of_another_format_are_refused_in_every_way_to_open_them(
    database: str, way: str
) -> None:
    script = f"INSERT INTO meanwhile.installation (format, secret) VALUES ({FORMAT + 1}, 's')"  # noqa: S608
    await run(database, script)

    with pytest.raises(DeclarationError) as refused:
        await enter(ways(database)[way]())

    assert "correct" not in str(refused.value)  # the password
    assert str(refused.value).startswith("ASSISTANT_DATABASE: postgresql://")
    assert str(refused.value).endswith(
        f": this database has entries of format {FORMAT + 1}, and this release reads format {FORMAT} alone;"
        " set ASSISTANT_DATABASE to another one to begin anew, or install the release that wrote it"
    )


@pytest.mark.parametrize("way", ["work", "read"])
async def test_an_empty_database_is_not_initialised_by_a_command(bare: str, database: str, way: str) -> None:
    for address in (bare, database):  # without tables, and with empty ones
        with pytest.raises(DeclarationError, match="nothing is stored in this database"):
            await enter(ways(address)[way]())

    await run(bare, "CREATE SCHEMA meanwhile")  # which was not there
    async with open_postgres_storage(database, VirtualClock(), CountedIds()) as server:
        assert server.secret == CountedIds().secret()


@pytest.mark.parametrize(
    ("way", "problem"),
    [
        ("serve", "made by a newer release"),
        ("work", rf"schema number 99, this release has {newest_schema()}: install a newer release"),
    ],
)
async def test_tables_of_a_newer_release_are_refused(database: str, way: str, problem: str) -> None:
    await run(database, "INSERT INTO meanwhile.steps VALUES (99, '0099_later.sql')")
    try:
        with pytest.raises(DeclarationError, match=rf"ASSISTANT_DATABASE: postgresql://.*{problem}"):
            await enter(ways(database)[way]())
    finally:
        await run(database, "DELETE FROM meanwhile.steps WHERE number = 99")


async def test_tables_of_an_older_release_are_changed_only_by_a_server(database: str) -> None:
    newest = newest_schema()
    await run(database, f"DELETE FROM meanwhile.steps WHERE number = {newest}")  # noqa: S608
    try:
        with pytest.raises(DeclarationError, match="run `assistant upgrade`"):
            await enter(ways(database)["read"]())
    finally:
        await run(database, f"INSERT INTO meanwhile.steps VALUES ({newest}, 'newest')")  # noqa: S608


@pytest.mark.parametrize("way", ["serve", "work", "read"])
async def test_a_database_that_does_not_answer_stops_the_start(database: str, way: str) -> None:
    elsewhere = database.replace("/meanwhile?", "/nowhere?")

    with pytest.raises(
        DeclarationError, match=r'ASSISTANT_DATABASE: postgresql://.* "nowhere" does not exist'
    ):
        await enter(ways(elsewhere)[way]())


async def test_one_connection_is_enough_for_everything(database: str, ana: ConversationKey) -> None:
    clock = VirtualClock()
    async with open_postgres_storage(database, clock, SystemIds(), connections=1) as server:
        credential = CustomerCredential(token="t", expires_ms=clock.now_ms() + 1_000)
        async with asyncio.TaskGroup() as at_once:
            for number in range(10):
                at_once.create_task(server.deliveries.begin(["handoff"], ana, number))
                at_once.create_task(server.credentials.keep(ana, credential))
                at_once.create_task(server.used_tokens.use("demo", f"n{number}", until_ms=9, now_ms=0))
                at_once.create_task(server.log.read(ana))
                at_once.create_task(server.writes.next(["upload"], 0))

        assert await server.credentials.kept(ana) is not None
