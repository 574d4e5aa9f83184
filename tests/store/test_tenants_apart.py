"""In PostgreSQL no statement reads or writes a row of another tenant."""

from collections.abc import Mapping
from typing import cast

import pytest

from assistant.errors import StoreError
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool
from assistant.store.postgres.driver import Connection

_TABLES = """
SELECT relname AS name, relrowsecurity AND relforcerowsecurity AND EXISTS (
    SELECT 1 FROM pg_policies WHERE schemaname = 'meanwhile' AND tablename = relname
) AS guarded
FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'tenant' AND NOT attisdropped
WHERE relnamespace = 'meanwhile'::regnamespace AND relkind IN ('r', 'p')
ORDER BY relname
"""
_COLUMNS = """
SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
WHERE attrelid = ('meanwhile.' || quote_ident($1))::regclass AND attnum > 0 AND NOT attisdropped
    AND attnotnull AND attidentity = '' AND NOT atthasdef AND attname <> 'tenant'
ORDER BY attnum
"""
_VALUES: Mapping[str, str] = {
    "text": "'x'",
    "text[]": "'{x}'",
    "tsvector": "'x'",
    "smallint": "1",
    "integer": "1",
    "bigint": "1",
    "double precision": "1",
    "bytea": "'\\x00'",
    "boolean": "false",
    "timestamp with time zone": "now()",
    "vector": "'[1]'",
}


async def tables(connection: Connection) -> list[str]:
    """All tables that have rows of tenants."""
    return [str(row["name"]) for row in await connection.fetch(_TABLES)]


async def insertion(connection: Connection, table: str) -> str:
    """A statement that inserts a row for the tenant $1, with a value in each column that needs one."""
    columns = [
        (str(row["name"]), _VALUES[str(row["type"])]) for row in await connection.fetch(_COLUMNS, table)
    ]
    if table == "passages":  # a passage belongs to a document
        columns = [
            (name, "(SELECT document FROM documents)" if name == "document" else it) for name, it in columns
        ]
    names, values = ", ".join(name for name, _ in columns), ", ".join(value for _, value in columns)
    return f"INSERT INTO {table} (tenant, {names}) VALUES ($1, {values})"  # noqa: S608


@pytest.fixture
async def filled(connections: ConnectionPool) -> dict[str, str]:
    """A row of Acme's in each table; by table, the statement that inserted it."""
    inserted = dict[str, str]()
    async with connections.of_tenant("acme") as connection:
        for table in await tables(connection):
            inserted[table] = await insertion(connection, table)
            await connection.execute(inserted[table], "acme")
    return inserted


async def test_each_table_with_tenants_is_guarded(connections: ConnectionPool) -> None:
    async with connections.one() as connection:
        found = {str(row["name"]): row["guarded"] for row in await connection.fetch(_TABLES)}
        plain = await connection.fetchrow(
            "SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user"
        )

    assert {"entries", "conversations", "writes", "documents", "credentials"} <= set(found)
    assert [name for name, guarded in found.items() if not guarded] == []
    assert cast("Mapping[str, object]", plain)["above"] is False  # else the tests below would show nothing


async def test_a_tenant_reads_and_changes_only_its_own_rows(
    connections: ConnectionPool, filled: dict[str, str]
) -> None:
    async def found(tenant: str) -> dict[str, object]:
        async with connections.of_tenant(tenant) as connection:
            return {table: await connection.fetchval(f"SELECT count(*) FROM {table}") for table in filled}  # noqa: S608

    async with connections.of_tenant("bank") as connection:
        for table in filled:
            await connection.execute(f"UPDATE {table} SET tenant = 'bank'")  # noqa: S608
            await connection.execute(f"DELETE FROM {table}")  # noqa: S608

    assert await found("bank") == dict.fromkeys(filled, 0)
    assert await found("") == dict.fromkeys(filled, 0)
    assert await found("acme") == dict.fromkeys(filled, 1)
    assert await found(ALL_TENANTS) == dict.fromkeys(filled, 1)


async def test_without_a_tenant_no_row_is_seen(connections: ConnectionPool, filled: dict[str, str]) -> None:
    async with connections.one() as connection:
        seen = [await connection.fetchval(f"SELECT count(*) FROM {table}") for table in filled]  # noqa: S608

    assert seen == [0] * len(filled)


async def test_the_tenant_name_that_means_all_is_refused(connections: ConnectionPool) -> None:
    with pytest.raises(StoreError, match=r"^'\*' is not a tenant's name; use lower-case letters"):
        async with connections.of_tenant("*"):
            pass


async def test_a_tenant_writes_no_row_for_another(
    connections: ConnectionPool, filled: dict[str, str]
) -> None:
    for insert in filled.values():
        with pytest.raises(StoreError, match="violates row-level security policy"):
            async with connections.of_tenant("bank") as connection:
                await connection.execute(insert, "cafe")


async def test_a_tenant_cannot_move_a_row_to_another(
    connections: ConnectionPool, filled: dict[str, str]
) -> None:
    for table in filled:
        with pytest.raises(StoreError, match="violates row-level security policy"):
            async with connections.of_tenant("acme") as connection:
                await connection.execute(f"UPDATE {table} SET tenant = 'bank'")  # noqa: S608
