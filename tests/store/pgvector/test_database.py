"""What a database must have: an address, the driver, the extension, current tables; each with its solution."""

import pytest

from assistant.errors import DeclarationError, StoreError
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.postgres.database import newest_schema, read_address
from assistant.store.postgres.driver import load_asyncpg
from assistant.store.postgres.inspection import inspect_database
from tests.store.pgvector.conftest import connected, run
from tests.support.document_stores import TENANT, document
from tests.support.rows import check_rows


def test_a_missing_driver_is_reported_with_its_installation() -> None:
    with pytest.raises(DeclarationError, match=r"pip install 'meanwhile-assistant\[postgres\]'"):
        load_asyncpg("asyncpg_that_nobody_has")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("postgresql://shop:p%2Fw@db.example:5433/documents", "postgresql://db.example:5433/documents"),
        ("postgres://db.example/documents?sslmode=require", "postgresql://db.example/documents"),
        ("postgresql://shop:pw@/documents?host=/run/postgresql", "postgresql:///run/postgresql/documents"),
        ("postgresql:///documents", "postgresql://localhost/documents"),
    ],
)
def test_an_address_is_shown_without_user_and_password(written: str, shown: str) -> None:
    address = read_address(written)

    assert (address.whole, address.shown) == (written, shown)
    assert "pw" not in repr(address)


@check_rows(
    "written",
    [
        "mysql://shop:secret@db/x",
        "postgresql://shop:se/cret@db/x",
        "postgresql://shop:12/secret@db/x",
        "postgresql://shop:12?secret@db/x",
        "postgresql://shop:12#secret@db/x",
        "postgresql://shop:secret@[db/x",
    ],
)
def test_an_unreadable_address_is_not_repeated(written: str) -> None:
    with pytest.raises(DeclarationError, match=r"postgresql://user:password@host:5432/database") as caught:
        read_address(written)

    assert "cret" not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_a_missing_extension_is_reported_and_found_when_it_exists(bare: str) -> None:
    store = PgvectorDocuments(bare, embedder="fake", width=4)
    with pytest.raises(
        StoreError, match=r"does not have the extension vector: run CREATE EXTENSION vector in it"
    ):
        await store.documents(TENANT)

    await run(bare, "CREATE EXTENSION vector")

    assert await store.documents(TENANT) == []
    await store.close()


async def test_an_extension_that_is_too_old_is_reported_with_the_right_version(address: str) -> None:
    await run(address, "UPDATE pg_extension SET extversion = '0.4.4' WHERE extname = 'vector'")
    store = PgvectorDocuments(address, embedder="fake", width=4)

    with pytest.raises(
        StoreError, match=r"is version 0\.4\.4, and 0\.5 or newer.*ALTER EXTENSION vector UPDATE"
    ):
        await store.documents(TENANT)

    await store.close()


async def test_an_extension_in_another_schema_is_used(bare: str) -> None:
    await run(bare, 'CREATE SCHEMA "odd ""name"; CREATE EXTENSION vector SCHEMA "odd ""name"')
    store = PgvectorDocuments(bare, embedder="fake", width=4)

    await store.put(document(), [])

    assert [listed.ref for listed in await store.documents(TENANT)] == ["document:1"]
    await store.close()


async def test_tables_of_a_newer_release_are_not_changed(address: str) -> None:
    first = PgvectorDocuments(address, embedder="fake", width=4)
    await first.documents(TENANT)
    await first.close()
    await run(address, "INSERT INTO meanwhile.steps VALUES (99, '0099_later.sql')")
    store = PgvectorDocuments(address, embedder="fake", width=4)

    with pytest.raises(
        StoreError,
        match=rf"made by a newer release \(their schema is number 99, .* here is {newest_schema()}\)",
    ):
        await store.documents(TENANT)

    await store.close()


async def test_an_account_without_rights_uses_the_existing_tables(address: str, postgres_server: str) -> None:
    owner = PgvectorDocuments(address, embedder="fake", width=4)
    await owner.put(document(), [])
    await owner.close()
    await run(
        address,
        "CREATE ROLE clerk LOGIN PASSWORD 'clerk'; GRANT USAGE ON SCHEMA meanwhile TO clerk;"
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA meanwhile TO clerk",
    )
    store = PgvectorDocuments(
        address.replace("shop:correct%2Fhorse", "clerk:clerk"), embedder="fake", width=4
    )

    assert len(await store.documents(TENANT)) == 1
    assert await store.delete(TENANT, "document:1")

    await store.close()
    await run(address, "DROP OWNED BY clerk; DROP ROLE clerk")


async def test_missing_tables_are_created_by_the_next_call(address: str) -> None:
    await run(address, "CREATE SCHEMA meanwhile; CREATE TABLE meanwhile.passages (in_the_way integer)")
    store = PgvectorDocuments(address, embedder="fake", width=4)
    with pytest.raises(StoreError, match='relation "passages" already exists'):
        await store.documents(TENANT)
    async with connected(address) as other:
        assert await other.fetchval("SELECT to_regclass('meanwhile.documents')") is None  # all or nothing
        await other.execute("DROP TABLE meanwhile.passages")

    assert await store.documents(TENANT) == []

    await store.close()


async def test_every_statement_has_a_time_limit_on_the_server_too(address: str) -> None:
    store = PgvectorDocuments(address, embedder="fake", width=4)

    async with store._connections.one() as connection:
        ends = {
            name: await connection.fetchval(f"SHOW {name}")
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        }

    assert ends == {
        "statement_timeout": "30s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "30s",
    }
    await store.close()


async def test_a_slow_statement_is_an_error_and_the_next_call_is_answered(
    address: str,
) -> None:
    store = PgvectorDocuments(address, embedder="fake", width=4)

    async def take_too_long() -> None:
        async with store._connections.one() as connection:
            await connection.execute("SET statement_timeout = '20ms'")
            await connection.execute("SELECT pg_sleep(9)")

    with pytest.raises(StoreError, match="canceling statement due to statement timeout"):
        await take_too_long()
    with pytest.raises(StoreError, match="no answer in time"):
        async with store._connections.one():
            raise TimeoutError

    assert await store.documents(TENANT) == []
    await store.close()


@pytest.mark.parametrize("lost", [ConnectionResetError, TimeoutError, load_asyncpg().InternalClientError])
async def test_a_connection_that_did_not_answer_is_not_used_again(
    address: str, lost: type[Exception]
) -> None:
    store = PgvectorDocuments(address, embedder="fake", width=4)

    async def backend(error: type[Exception] | None = None) -> object:
        async with store._connections.one() as connection:
            backends.append(await connection.fetchval("SELECT pg_backend_pid()"))
            if error is not None:
                raise error
        return backends[-1]

    backends: list[object] = []
    assert await backend() == await backend()
    with pytest.raises(StoreError):
        await backend(lost)

    assert await backend() != backends[0]
    await store.close()


async def test_inspecting_changes_nothing(address: str) -> None:
    looked = await inspect_database(address)

    assert (looked.schema, looked.newest, looked.may_create) == (0, newest_schema(), True)
    async with connected(address) as other:
        assert await other.fetchval("SELECT to_regnamespace('meanwhile')") is None
