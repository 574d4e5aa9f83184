"""Conversations to keep, and every log there is to keep them in."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.postgres.database import ConnectionPool, migrate, read_address
from assistant.store.postgres.log import PostgresLog
from assistant.store.sqlite_log import SqliteLog
from tests.support.postgres import run

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
    await run(address, "INSERT INTO meanwhile.installation (format, secret) VALUES (2, 'secret')")
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
