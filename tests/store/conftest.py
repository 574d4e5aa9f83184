"""Conversations to store, and every log and storage."""

import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

import pytest
from pydantic import SecretStr

from assistant.conversation.customer import ConversationKey
from assistant.ids import SystemIds
from assistant.settings import Settings
from assistant.storage_ports import DocumentStore, Log
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.memory_log import MemoryLog
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, migrate, read_address
from assistant.store.postgres.log import PostgresLog
from assistant.store.postgres.storage import open_postgres_conversations, open_postgres_storage
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.log_reader import open_log
from assistant.store.sqlite.storage import LOG_FILE, open_sqlite_storage
from assistant.store.storage import Storage, StoredConversations
from assistant.testing.virtual_time import VirtualClock
from tests.support.postgres import install

ANA = ConversationKey(tenant="acme", customer="ana", conversation="c1")


@pytest.fixture
def ana() -> ConversationKey:
    """A conversation of Ana's."""
    return ANA


@pytest.fixture
async def sqlite_log(tmp_path: Path) -> AsyncIterator[SqliteLog]:
    """An open log in a file."""
    log = SqliteLog(tmp_path / "log.sqlite3")
    yield log
    await log.close()


@pytest.fixture
async def connections(database: str) -> AsyncIterator[ConnectionPool]:
    """Connections of a plain user to an empty database."""
    pool = ConnectionPool(read_address(database), migrate)
    yield pool
    await pool.close()


@asynccontextmanager
async def opened_postgres_log(address: str) -> AsyncGenerator[PostgresLog]:
    """A log in this database, which is empty."""
    await install(address)
    connections = ConnectionPool(read_address(address), migrate)
    log = PostgresLog(connections)
    yield log
    await log.close()
    await connections.close()


@pytest.fixture
async def postgres_log(database: str) -> AsyncIterator[PostgresLog]:
    """An open log in a database."""
    async with opened_postgres_log(database) as log:
        yield log


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def log(request: pytest.FixtureRequest) -> Log:
    """An open log, of each kind in turn."""
    if request.param == "memory":
        return MemoryLog()
    log: Log = request.getfixturevalue(f"{request.param}_log")
    return log


SmallTable: TypeAlias = Literal["used_tokens", "credentials", "spending"]


@dataclass(frozen=True, slots=True)
class Installation:
    """A place that keeps everything.

    ``open`` opens it as a server does, ``open_to_read`` as operators' commands do. ``documents`` makes a store of
    documents in it. ``rows`` are all rows of a table of the small state. ``settings`` name the place.
    """

    open: Callable[[], AbstractAsyncContextManager[Storage]]
    open_to_read: Callable[[], AbstractAsyncContextManager[StoredConversations]]
    documents: Callable[[], DocumentStore]
    rows: Callable[[SmallTable], Awaitable[list[tuple[object, ...]]]]
    settings: Settings


@pytest.fixture
def clock() -> VirtualClock:
    """The clock of all servers."""
    return VirtualClock()


@pytest.fixture
def sqlite_installation(tmp_path: Path, clock: VirtualClock) -> Installation:
    """An empty data folder."""
    folder = tmp_path / "data"

    async def rows(table: SmallTable) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(folder / f"{table}.db")) as file:
            return file.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()  # noqa: S608

    return Installation(
        partial(open_sqlite_storage, folder, clock, SystemIds()),
        partial(open_log, folder / LOG_FILE),
        partial(SqliteDocuments, folder / LOG_FILE, embedder="none", width=2),
        rows,
        Settings(data_dir=folder),
    )


@pytest.fixture
def postgres_installation(database: str, clock: VirtualClock) -> Installation:
    """An empty database."""

    async def rows(table: SmallTable) -> list[tuple[object, ...]]:
        pool = ConnectionPool(read_address(database), migrate)
        async with pool.of_tenant(ALL_TENANTS) as connection:
            found = await connection.fetch(f"SELECT * FROM {table} ORDER BY 1, 2")  # noqa: S608
        await pool.close()
        return [tuple(row.values()) for row in found]

    return Installation(
        partial(open_postgres_storage, database, clock, SystemIds()),
        partial(open_postgres_conversations, database),
        partial(PgvectorDocuments, database, embedder="none", width=2),
        rows,
        Settings(database=SecretStr(database)),
    )


@pytest.fixture(params=["sqlite", "postgres"])
def installation(request: pytest.FixtureRequest) -> Installation:
    """An empty installation, of each kind in turn."""
    installation: Installation = request.getfixturevalue(f"{request.param}_installation")
    return installation


@pytest.fixture
async def storage(installation: Installation) -> AsyncIterator[Storage]:
    """An open storage, of each kind in turn."""
    async with installation.open() as storage:
        yield storage


@pytest.fixture
async def two_servers(postgres_installation: Installation) -> AsyncIterator[tuple[Storage, Storage]]:
    """The storage of two servers that share a database."""
    async with postgres_installation.open() as first, postgres_installation.open() as second:
        yield first, second
