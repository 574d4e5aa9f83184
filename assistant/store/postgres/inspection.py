"""Inspects a PostgreSQL database for ``assistant doctor``, and changes its schema for ``assistant upgrade``."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from assistant.errors import DeclarationError, StoreError
from assistant.jobs import FailedJob, failed_documents
from assistant.ports import Clock
from assistant.store.postgres.database import (
    ConnectionPool,
    find_extension,
    may_migrate,
    migrate,
    newest_schema,
    pending_steps,
    read_address,
    schema_version,
)
from assistant.store.postgres.driver import Connection
from assistant.store.postgres.jobs import PostgresJobs
from assistant.store.postgres.storage import UNFINISHED_COPY, check_format
from assistant.store.postgres.write_queue import PostgresWriteQueue
from assistant.store.storage import SchemaState

# A user with either attribute sees the rows of all tenants, regardless of the policies.
_ABOUT = """
SELECT current_setting('server_version') AS server, current_user::text AS account,
    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user) AS unbound,
    current_setting('max_connections')::bigint AS most,
    current_setting('superuser_reserved_connections')::bigint AS reserved,
    (SELECT coalesce(sum(numbackends), 0)::bigint FROM pg_stat_database) AS open
"""
_CLOSED = """
SELECT relname FROM pg_class
WHERE relnamespace = to_regnamespace('meanwhile') AND relkind = 'r' AND relname <> 'steps' AND NOT (
    has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
    AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')
)
ORDER BY relname
"""
_HAS_INSTALLATION = "SELECT to_regclass('meanwhile.installation') IS NOT NULL"
_COPYING = "SELECT EXISTS (SELECT 1 FROM meanwhile.installation WHERE format = $1)"


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseReport:
    """The state of a database.

    ``shown`` is its address without the password. ``server`` and ``extension`` are versions. ``schema`` is the
    number of its newest schema step, 0 before the first start; ``newest`` is the newest step of this release.
    ``may_create``: this account may create missing tables. ``copying``: a copy of an installation into it is
    not finished. ``closed`` are the tables that this account may not read and write. ``unbound``: row level
    security does not apply to it. ``open`` of ``most`` connections are in use.
    """

    shown: str
    server: str
    extension: str
    schema: int
    newest: int
    may_create: bool
    copying: bool
    account: str
    unbound: bool
    closed: tuple[str, ...]
    open: int
    most: int


async def inspect_database(address: str) -> DatabaseReport:
    """Inspect the database at this address, without changes.

    Raises:
        DeclarationError: the address is invalid, or the driver is not installed.
        StoreError: there is no answer, access is denied, or the extension is missing or too old.
    """
    read = read_address(address)
    async with _connected(address, _change_nothing) as connection:
        about = cast("dict[str, Any]", dict(await connection.fetchrow(_ABOUT) or {}))
        schema, closed = await schema_version(connection), await connection.fetch(_CLOSED)
        copying = False
        if schema == newest_schema() and not closed:
            copying = await connection.fetchval(_COPYING, UNFINISHED_COPY) is True
        return DatabaseReport(
            shown=read.shown,
            server=about["server"].partition(" ")[0],
            extension=(await find_extension(connection)).version,
            schema=schema,
            newest=newest_schema(),
            copying=copying,
            may_create=await may_migrate(connection),
            account=about["account"],
            unbound=about["unbound"],
            closed=tuple(str(row["relname"]) for row in closed),
            open=about["open"] - 1,  # without this connection
            most=about["most"] - about["reserved"],
        )


async def failed_jobs(address: str, clock: Clock) -> list[FailedJob]:
    """The jobs and documents that failed permanently; none until the tables are those of this release. Changes
    nothing.

    Raises ``DeclarationError`` and ``StoreError`` if the database cannot be used.
    """
    connections = ConnectionPool(read_address(address), _change_nothing, size=1)
    try:
        async with connections.one() as connection:
            if await schema_version(connection) != newest_schema():
                return []
        waiting = await PostgresWriteQueue(connections, server="").waiting()
        return [*await PostgresJobs(connections, clock).failed(), *failed_documents(waiting)]
    finally:
        await connections.close()


async def schema_of_database(address: str, setting: str) -> SchemaState:
    """The schema of a database and its missing steps, without changes.

    Raises ``DeclarationError``, which names the setting, if the database cannot be used, a newer release made its
    tables, or its entries have another format.
    """
    try:
        async with _connected(address, _change_nothing) as connection:
            steps = await pending_steps(connection)
            has = await schema_version(connection)
            if await connection.fetchval(_HAS_INSTALLATION):
                for row in await connection.fetch("SELECT format FROM meanwhile.installation"):
                    check_format(row["format"])
    except (StoreError, DeclarationError) as error:
        raise _named(setting, error) from error
    return SchemaState(
        where=read_address(address).shown, has=has, newest=newest_schema(), pending=tuple(steps)
    )


async def migrate_database(address: str, setting: str) -> None:
    """Apply the missing schema steps. Raises ``DeclarationError`` if they cannot be applied."""
    try:
        async with _connected(address, migrate):
            pass
    except (StoreError, DeclarationError) as error:
        raise _named(setting, error) from error


def _named(setting: str, error: Exception) -> DeclarationError:
    said = str(error)
    return DeclarationError(said if said.startswith(setting) else f"{setting}: {said}")


@asynccontextmanager
async def _connected(
    address: str, prepare: Callable[[Connection], Awaitable[None]]
) -> AsyncGenerator[Connection]:
    connections = ConnectionPool(read_address(address), prepare, size=1)
    try:
        async with connections.one() as connection:
            yield connection
    finally:
        await connections.close()


async def _change_nothing(connection: Connection) -> None:
    """Does nothing: nothing is created here."""
