"""An empty database for each test."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import pytest

from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.postgres.driver import Connection

_NUMBERS = count()


@asynccontextmanager
async def connected(address: str) -> AsyncGenerator[Connection]:
    """A connection of a test's own."""
    async with asyncpg.create_pool(address, min_size=0, max_size=1) as pool, pool.acquire() as connection:  # pyright: ignore
        yield cast("Connection", connection)


@pytest.fixture
async def bare(postgres_server: str) -> str:
    """The address of an empty database without the extension."""
    name = f"documents{next(_NUMBERS)}"
    await run(postgres_server, f"CREATE DATABASE {name}")
    return postgres_server.replace("/postgres?", f"/{name}?")


@pytest.fixture
async def address(bare: str) -> str:
    """The address of an empty database with the extension."""
    await run(bare, "CREATE EXTENSION vector")
    return bare


async def run(address: str, script: str) -> None:
    """Run statements as the owner."""
    async with connected(address) as connection:
        await connection.execute(script)


@pytest.fixture
async def opened(address: str) -> AsyncIterator[Callable[[], PgvectorDocuments]]:
    """Opens stores on the database, any number of them."""
    stores: list[PgvectorDocuments] = []

    def open_() -> PgvectorDocuments:
        stores.append(PgvectorDocuments(address, embedder="offline", width=4))
        return stores[-1]

    yield open_
    for store in stores:
        await store.close()
