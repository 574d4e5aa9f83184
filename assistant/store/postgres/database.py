"""Connects to a PostgreSQL database with the extension pgvector, and creates its tables.

It contains the address, the connection pool, the extension's version and the numbered schema steps.
"""

import asyncio
import re
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from urllib.parse import parse_qs, urlsplit

import numpy as np

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Vector
from assistant.errors import DeclarationError, LogError, StoreError
from assistant.store.postgres.driver import Connection, Driver, Pool, Row, load_asyncpg

SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "postgresql://user:password@host:5432/database"


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database. ``whole`` contains the password and is never shown; ``shown`` is for messages."""

    whole: str = field(repr=False)
    shown: str


def read_address(written: str, setting: str = "ASSISTANT_DATABASE") -> Address:
    """Parse the address in this setting.

    >>> read_address("postgresql://shop:secret@db.example/documents").shown
    'postgresql://db.example/documents'

    Raises:
        DeclarationError: it is invalid. The error does not quote it.
    """
    try:
        parts = urlsplit(written)
        port = parts.port
    except ValueError:
        raise _unreadable(setting) from None  # the parser's error may contain a part of the password
    # The rest of a password with such a character would be read as the database's name, and be shown.
    if parts.scheme not in SCHEMES or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise _unreadable(setting)
    host = parts.hostname or parse_qs(parts.query).get("host", ["localhost"])[0]
    place = f"{host}:{port}" if port else host
    return Address(written, f"postgresql://{place}{parts.path}")


def _unreadable(setting: str) -> DeclarationError:
    return DeclarationError(
        f"{setting}: the address of the PostgreSQL database cannot be read: "
        f"it should be like {_EXAMPLE};"
        " in user and password write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A"
    )


OLDEST = (0, 5)
"""The oldest supported version, of 2023."""

_INSTALLED = """
SELECT extversion AS version, nspname AS schema
FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
WHERE extname = 'vector'
"""
_OFFERED = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"


@dataclass(frozen=True, slots=True)
class Extension:
    """The pgvector extension. ``schema`` is the schema of its types and operators, which the database's owner
    chose.
    """

    version: str
    schema: str


async def find_extension(connection: Connection) -> Extension:
    """The extension in this database. Raises ``StoreError`` with the solution if it is missing or too old."""
    row = await connection.fetchrow(_INSTALLED)
    if row is None:
        raise StoreError(await _cure(connection))
    extension = Extension(str(row["version"]), str(row["schema"]))
    if _numbers(extension.version) < OLDEST:
        raise StoreError(
            f"the database's extension vector is version {extension.version}, and {_dotted(OLDEST)} or newer is"
            " needed: install a newer pgvector on its machine, then run ALTER EXTENSION vector UPDATE in it"
        )
    return extension


async def _cure(connection: Connection) -> str:
    missing = "the database does not have the extension vector"
    create = "run CREATE EXTENSION vector in it, as its owner or a superuser"
    if await connection.fetchval(_OFFERED) is None:
        return f"{missing}: install pgvector on the database's machine, then {create}"
    return f"{missing}: {create}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)


SCHEMA_NAME = "meanwhile"
"""Our own schema in the database, because other applications may have tables with the same names."""

_LOCK = 0x6D65616E  # "mean": any number that is the same in every replica
_EXISTS = "SELECT to_regclass('meanwhile.steps') IS NOT NULL"
_CREATE_STEPS = """
CREATE SCHEMA IF NOT EXISTS meanwhile;
CREATE TABLE IF NOT EXISTS meanwhile.steps (number integer PRIMARY KEY, name text NOT NULL);
"""
_NEWEST_APPLIED = "SELECT coalesce(max(number), 0) FROM meanwhile.steps"
_NOTE_STEP = "INSERT INTO meanwhile.steps (number, name) VALUES ($1, $2)"
_MAY_CREATE = """
SELECT has_database_privilege(current_database(), 'CREATE') AND coalesce(
    pg_has_role((SELECT relowner FROM pg_class WHERE oid = to_regclass('meanwhile.steps')), 'USAGE'), true
)
"""


async def migrate(connection: Connection) -> None:
    """Apply the missing schema steps, in the order of their numbers; all or none.

    Many replicas may call it at the same time: one applies the steps, the others wait and find them applied.

    Args:
        connection: its search path begins with our schema.

    Raises:
        StoreError: a newer release made the tables, or this account may not change them.
    """
    if not (steps := await pending_steps(connection)):
        return  # then an account that may only read and write is enough
    if not await may_migrate(connection):
        raise StoreError(
            f"this account may not create the tables ({', '.join(steps)}): run `assistant upgrade` once with the"
            " account of their owner, or of the database's owner if there are none yet"
        )
    async with connection.transaction():
        # Held until the transaction ends, because "IF NOT EXISTS" fails when two processes create at the same
        # time.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        await connection.execute(_CREATE_STEPS)
        for number, file in _steps_after(int(str(await connection.fetchval(_NEWEST_APPLIED)))):
            await connection.execute(file.read_text(encoding="utf-8"))
            await connection.execute(_NOTE_STEP, number, file.name)


async def schema_version(connection: Connection) -> int:
    """The number of the newest applied step; 0 for a database without our tables. Changes nothing."""
    if not await connection.fetchval(_EXISTS):
        return 0
    return int(str(await connection.fetchval(_NEWEST_APPLIED)))


async def pending_steps(connection: Connection) -> list[str]:
    """The names of the missing schema steps, in order. Changes nothing.

    Raises ``StoreError`` if the tables were made by a newer release.
    """
    return [file.name for _, file in _steps_after(await schema_version(connection))]


async def may_migrate(connection: Connection) -> bool:
    """Whether this account may apply missing steps: create tables, and change ours if there are any."""
    return await connection.fetchval(_MAY_CREATE) is True


def newest_schema() -> int:
    """The number of the newest schema step of this release."""
    return max(_steps())


def _steps_after(has: int) -> list[tuple[int, Traversable]]:
    steps = _steps()
    if has > max(steps):
        raise StoreError(
            f"the tables were made by a newer release (their schema is number {has}, the newest known here is"
            f" {max(steps)}): install that release again, or use another database"
        )
    return [(number, steps[number]) for number in range(has + 1, max(steps) + 1)]


def _steps() -> dict[int, Traversable]:
    folder = files("assistant.store") / "migrations" / "postgres"
    return {
        int(file.name[:4]): file for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name)
    }


_HEAD = struct.Struct(">HH")


def to_wire(vector: Vector) -> bytes:
    """Encode a vector for the database.

    >>> to_wire(bytes.fromhex("0000803f")).hex()
    '000100003f800000'
    """
    numbers = np.frombuffer(vector, "<f4")
    return _HEAD.pack(len(numbers), 0) + numbers.astype(">f4").tobytes()


def from_wire(wire: bytes) -> Vector:
    """Decode a vector from the database.

    >>> from_wire(bytes.fromhex("000100003f800000")).hex()
    '0000803f'
    """
    return np.frombuffer(wire, ">f4", offset=_HEAD.size).astype("<f4").tobytes()


OURS = "tenant = $1 AND customer = $2 AND conversation = $3"
"""The condition for one conversation; its first parameters are :func:`key_values`."""


def key_values(key: ConversationKey) -> tuple[str, str, str]:
    """A conversation's key as parameters of a statement."""
    return key.tenant, key.customer, key.conversation


def key_of(row: Row) -> ConversationKey:
    """The key in a row that has its three columns."""
    tenant, customer, conversation = (str(row[name]) for name in ("tenant", "customer", "conversation"))
    return ConversationKey(tenant=tenant, customer=customer, conversation=conversation)


@asynccontextmanager
async def seeing(connections: "ConnectionPool", tenant: str, problem: str) -> AsyncGenerator[Connection]:
    """A transaction that sees only this tenant's rows. Raises ``LogError``, which begins with the ``problem``."""
    try:
        async with connections.of_tenant(tenant) as connection:
            yield connection
    except StoreError as error:
        raise LogError(f"{problem}: {error}") from error


def storable(text: str) -> str:
    """The text with U+FFFD in place of NUL, which PostgreSQL cannot store.

    >>> storable("a" + chr(0) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


class _AllTenants(str):
    """The type of ``ALL_TENANTS``, so that it is not the same object as the name of a tenant that is called "*"."""

    __slots__ = ()


ALL_TENANTS = _AllTenants("*")
"""For maintenance: expired data, and operators' lists."""

_SEE = "SELECT set_config('meanwhile.tenant', $1, true)"

_CONNECT_S = 5.0
_ACQUIRE_S = 10.0  # until one of them is free, or connected
_STATEMENT_S = 30.0
_LOCK_S = 10.0


class ConnectionPool:
    """Connections that are opened when needed; a broken connection is replaced at the next call.

    Args:
        address: the database's address.
        prepare: runs with the first connection, and again with the next until it succeeds.
        size: the maximum number of connections. Four are enough for the documents of many customers: a search
            takes milliseconds.

    Raises:
        DeclarationError: the driver is not installed.
    """

    def __init__(
        self, address: Address, prepare: Callable[[Connection], Awaitable[None]], *, size: int = 4
    ) -> None:
        self._address, self._size = address, size
        self._driver: Driver = load_asyncpg()
        self._broke = (self._driver.InterfaceError, self._driver.InternalClientError, OSError, TimeoutError)
        self._opening = asyncio.Lock()
        self._pool: Pool | None = None
        self._prepare, self._prepared = prepare, False
        self._closed = False

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[Connection]:
        """A connection for the duration of the block; an error in it becomes a ``StoreError``."""
        try:
            pool = await self._opened()
            async with pool.acquire(timeout=_ACQUIRE_S) as connection:
                try:
                    yield connection
                except self._broke:
                    # The driver may not know yet that the connection is broken, or may have closed it already.
                    with suppress(self._driver.InterfaceError):
                        connection.terminate()
                    raise
        except StoreError as error:
            raise StoreError(f"{self._address.shown}: {error}") from error
        except TimeoutError as error:
            raise StoreError(f"{self._address.shown}: no answer in time") from error
        except (self._driver.PostgresError, *self._broke) as error:
            # Not chained: its details may quote a customer's words, and the log prints them.
            raise StoreError(f"{self._address.shown}: {_error_text(error)}") from None

    @asynccontextmanager
    async def of_tenant(self, tenant: str) -> AsyncGenerator[Connection]:
        """A transaction that sees only this tenant's rows; all tenants' rows for ``ALL_TENANTS``.

        Raises ``StoreError`` for the name that means "all" to the database.
        """
        if tenant == "*" and tenant is not ALL_TENANTS:
            raise StoreError(
                f"{tenant!r} is not a tenant's name; use lower-case letters, digits and hyphens, such as 'acme-spa'"
            )
        async with self.one() as connection, connection.transaction():
            await connection.execute(_SEE, tenant)
            yield connection

    async def close(self) -> None:
        """Wait for running work, and close the connections."""
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
                    max_size=self._size,
                    timeout=_CONNECT_S,
                    command_timeout=_STATEMENT_S,
                    server_settings={"application_name": "meanwhile"},
                    init=self._begin,
                    reset=_keep_settings,
                )
            return self._pool

    async def _begin(self, connection: Connection) -> None:
        extension = await find_extension(connection)
        # The extension's operators are found by this path, too.
        await connection.execute(_SETTINGS, SCHEMA_NAME, extension.schema)
        if not self._prepared:
            await self._prepare(connection)
            self._prepared = True
        await connection.set_type_codec(
            "vector", schema=extension.schema, encoder=to_wire, decoder=from_wire, format="binary"
        )


# Not at connect: a pooler in between would refuse a connection with these settings. The server enforces the
# time limits itself, in case this process ends before it can cancel. None of our statements is worth compiling.
_SETTINGS = f"""
SELECT set_config('search_path', quote_ident($1) || ', ' || quote_ident($2), false),
    set_config('statement_timeout', '{_STATEMENT_S:.0f}s', false),
    set_config('lock_timeout', '{_LOCK_S:.0f}s', false),
    set_config('idle_in_transaction_session_timeout', '{_STATEMENT_S:.0f}s', false),
    set_config('jit', 'off', false)
"""


async def _keep_settings(connection: Connection) -> None:
    """A returned connection keeps its settings; we change nothing else of it."""


def _error_text(error: Exception) -> str:
    """The kind and the first line of an error: the other lines are a hint, or quote values."""
    first, _, _ = str(error).partition("\n")
    return f"{type(error).__name__}: {first}".removesuffix(": ")
