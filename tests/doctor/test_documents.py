"""Where documents are kept is looked at as it is: reached or not, ready or not, and with which cure."""

from collections.abc import AsyncIterator
from typing import cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import pytest
from pydantic import SecretStr

from assistant.doctor.setup_findings import document_findings
from assistant.errors import DeclarationError, StoreError
from assistant.findings import Doubtful, Fine, Wrong
from assistant.settings import Settings
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.postgres.database import newest_schema
from assistant.store.postgres.driver import Connection


@pytest.fixture
async def owner(postgres_server: str) -> AsyncIterator[Connection]:
    """A connection that may do everything; nothing of ours is in the database."""
    async with (
        asyncpg.create_pool(postgres_server, min_size=0, max_size=1) as pool,  # pyright: ignore
        pool.acquire() as connection,  # pyright: ignore
    ):
        owner = cast("Connection", connection)
        await owner.execute(
            "DROP SCHEMA IF EXISTS meanwhile CASCADE; DROP EXTENSION IF EXISTS vector CASCADE"
        )
        yield owner


async def test_the_embedded_store_is_the_log_s_own_file() -> None:
    settings = Settings()

    assert await document_findings(settings, offline=False) == [
        Fine("documents", f"embedded, in {settings.data_dir / 'log.db'}")
    ]


async def test_a_key_that_nobody_asks_for_is_told() -> None:
    _, found = await document_findings(Settings(qdrant_api_key=SecretStr("k")), offline=False)

    assert isinstance(found, Doubtful)
    assert "only a Qdrant server would need it" in found.says


@pytest.mark.parametrize(
    "address", ["postgres://shop:secret@db.example/documents", "https://qdrant.example:6333"]
)
async def test_offline_no_server_is_asked(address: str) -> None:
    [found] = await document_findings(Settings(document_store=address), offline=True)

    assert isinstance(found, Fine)
    assert "was not asked" in found.says


async def test_a_database_before_the_first_start_is_fine_and_left_as_it_is(
    postgres_server: str, owner: Connection
) -> None:
    await owner.execute("CREATE EXTENSION vector")

    [found] = await document_findings(Settings(document_store=postgres_server), offline=False)

    assert isinstance(found, Fine)
    assert "PostgreSQL 1" in found.says
    assert "with pgvector 0." in found.says
    assert found.says.endswith(f"; its tables will be brought to schema {newest_schema()} at the next start")
    assert await owner.fetchval("SELECT to_regclass('meanwhile.documents')") is None


async def test_a_database_tells_its_schema_and_a_newer_one_is_wrong(
    postgres_server: str, owner: Connection
) -> None:
    await owner.execute("CREATE EXTENSION vector")
    store = PgvectorDocuments(postgres_server, embedder="offline", width=4)
    await store.documents("acme")
    await store.close()

    [found] = await document_findings(Settings(document_store=postgres_server), offline=False)

    assert isinstance(found, Fine)
    assert found.says.endswith(f"; schema {newest_schema()}")
    await owner.execute("INSERT INTO meanwhile.steps VALUES (99, '0099_later.sql')")
    [found] = await document_findings(Settings(document_store=postgres_server), offline=False)
    assert isinstance(found, Wrong)
    assert "their schema is 99" in found.says
    assert found.cure.startswith(f"the newest known here is {newest_schema()}")


async def test_a_database_in_which_we_may_not_make_tables_is_wrong(
    postgres_server: str, owner: Connection
) -> None:
    await owner.execute("CREATE EXTENSION vector; CREATE ROLE guest LOGIN PASSWORD 'guest'")

    [found] = await document_findings(
        Settings(document_store=postgres_server.replace("shop:correct%2Fhorse", "guest:guest")), offline=False
    )

    await owner.execute("DROP ROLE guest")
    assert isinstance(found, Wrong)
    assert found.says.endswith("; its tables have schema 0, and guest may not change them")
    assert found.cure == "run `assistant upgrade` with the account of the database's owner"


async def test_a_missing_extension_is_told_with_its_cure(postgres_server: str, owner: Connection) -> None:
    with pytest.raises(StoreError, match="run CREATE EXTENSION vector in it") as caught:
        await document_findings(Settings(document_store=postgres_server), offline=False)

    assert "horse" not in str(caught.value)


async def test_a_qdrant_that_is_not_there_is_told() -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:1: no answer"):
        await document_findings(Settings(document_store="http://127.0.0.1:1"), offline=False)


async def test_a_key_that_travels_openly_is_told() -> None:
    openly = Settings(document_store="http://qdrant.example:6333", qdrant_api_key=SecretStr("k"))
    closed = Settings(document_store="https://qdrant.example:6333", qdrant_api_key=SecretStr("k"))
    at_home = Settings(document_store="http://localhost:6333", qdrant_api_key=SecretStr("k"))

    _, found = await document_findings(openly, offline=True)

    assert isinstance(found, Doubtful)
    assert found.cure == "reach it over https"
    assert [len(await document_findings(one, offline=True)) for one in (closed, at_home)] == [1, 1]


@pytest.mark.parametrize("written", ["Embedded", "qdrant:6333", "mysql://shop:secret@db/x", ""])
async def test_a_place_that_we_do_not_know_is_told_and_not_repeated(written: str) -> None:
    with pytest.raises(DeclarationError, match="should be 'embedded', the address of a PostgreSQL") as caught:
        await document_findings(Settings(document_store=written), offline=True)

    assert "secret" not in str(caught.value)
