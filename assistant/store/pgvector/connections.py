"""A few connections to one database; what goes wrong with it becomes one kind of error here."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from assistant.errors import StoreError
from assistant.store.pgvector.address import Address
from assistant.store.pgvector.driver import Connection, Driver, Pool, driver
from assistant.store.pgvector.extension import find_extension
from assistant.store.pgvector.schema import SCHEMA
from assistant.store.pgvector.vectors import from_wire, to_wire

_MOST = 4
"""So many at the most, however many customers ask: a search is over in milliseconds."""

_CONNECT_S = 5.0
_TURN_S = 10.0  # until one of them is free, or connected
_STATEMENT_S = 30.0
_LOCK_S = 10.0


class Connections:
    """Opened when they are needed; one that broke is replaced at the next call.

    Args:
        address: the database's.
        prepare: is done with the first one, and again with the next until it went well.

    Raises:
        DeclarationError: the driver is not installed.
    """

    def __init__(self, address: Address, prepare: Callable[[Connection], Awaitable[None]]) -> None:
        self._address = address
        self._driver: Driver = driver()
        self._broke = (self._driver.InterfaceError, self._driver.InternalClientError, OSError, TimeoutError)
        self._opening = asyncio.Lock()
        self._pool: Pool | None = None
        self._prepare, self._prepared = prepare, False
        self._closed = False

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[Connection]:
        """A connection for as long as the block lasts; what fails in it is a ``StoreError``."""
        try:
            pool = await self._opened()
            async with pool.acquire(timeout=_TURN_S) as connection:
                try:
                    yield connection
                except self._broke:
                    connection.terminate()  # the driver may not have noticed yet that it is of no use any more
                    raise
        except StoreError as error:
            raise StoreError(f"{self._address.shown}: {error}") from error
        except TimeoutError as error:
            raise StoreError(f"{self._address.shown}: no answer in time") from error
        except (self._driver.PostgresError, *self._broke) as error:
            # Not chained: its details may quote what a customer said, and the log prints them.
            raise StoreError(f"{self._address.shown}: {_told(error)}") from None

    async def close(self) -> None:
        """Wait for what is under way, and let go of the database."""
        self._closed = True
        if (pool := self._pool) is not None:
            self._pool = None
            try:
                async with asyncio.timeout(_CONNECT_S):
                    await pool.close()
            except (self._driver.PostgresError, *self._broke):
                pool.terminate()

    async def _opened(self) -> Pool:
        async with self._opening:
            if self._closed:
                raise StoreError("the store is closed")
            if self._pool is None:
                self._pool = await self._driver.create_pool(
                    self._address.whole,
                    min_size=0,
                    max_size=_MOST,
                    timeout=_CONNECT_S,
                    command_timeout=_STATEMENT_S,
                    server_settings={"application_name": "meanwhile"},
                    init=self._begin,
                    reset=_nothing,
                )
            return self._pool

    async def _begin(self, connection: Connection) -> None:
        extension = await find_extension(connection)
        # The extension's operators are found by this path, too.
        await connection.execute(_SETTINGS, SCHEMA, extension.schema)
        if not self._prepared:
            await self._prepare(connection)
            self._prepared = True
        await connection.set_type_codec(
            "vector", schema=extension.schema, encoder=to_wire, decoder=from_wire, format="binary"
        )


# Not at the opening: a pooler in between would refuse a connection that asks for these. The ends of patience are
# the server's own, in case that we are gone before we can cancel. Nothing of ours is worth compiling beforehand.
_SETTINGS = f"""
SELECT set_config('search_path', quote_ident($1) || ', ' || quote_ident($2), false),
    set_config('statement_timeout', '{_STATEMENT_S:.0f}s', false),
    set_config('lock_timeout', '{_LOCK_S:.0f}s', false),
    set_config('idle_in_transaction_session_timeout', '{_STATEMENT_S:.0f}s', false),
    set_config('jit', 'off', false)
"""


async def _nothing(connection: Connection) -> None:
    """A connection keeps its settings when it is given back; nothing else of it is changed by us."""


def _told(error: Exception) -> str:
    """The kind and the first line: what follows is a hint, or quotes values."""
    first, _, _ = str(error).partition("\n")
    return f"{type(error).__name__}: {first}".removesuffix(": ")
