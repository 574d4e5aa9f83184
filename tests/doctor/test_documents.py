"""The document store is examined: whether it is reachable and ready, with the solution."""

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


async def test_an_unneeded_key_is_reported() -> None:
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


async def test_a_database_before_the_first_start_is_fine_and_not_changed(
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


async def test_a_missing_extension_is_reported_with_the_solution(
    postgres_server: str, owner: Connection
) -> None:
    with pytest.raises(StoreError, match="run CREATE EXTENSION vector in it") as caught:
        await document_findings(Settings(document_store=postgres_server), offline=False)

    assert "horse" not in str(caught.value)


async def test_an_unreachable_qdrant_is_reported() -> None:
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:1: no answer"):
        await document_findings(Settings(document_store="http://127.0.0.1:1"), offline=False)


async def test_a_key_that_is_sent_unencrypted_is_reported() -> None:
    openly = Settings(document_store="http://qdrant.example:6333", qdrant_api_key=SecretStr("k"))
    closed = Settings(document_store="https://qdrant.example:6333", qdrant_api_key=SecretStr("k"))
    at_home = Settings(document_store="http://localhost:6333", qdrant_api_key=SecretStr("k"))

    _, found = await document_findings(openly, offline=True)

    assert isinstance(found, Doubtful)
    assert found.cure == "reach it over https"
    assert [len(await document_findings(one, offline=True)) for one in (closed, at_home)] == [1, 1]


@pytest.mark.parametrize("written", ["Embedded", "qdrant:6333", "mysql://shop:secret@db/x", ""])
async def test_an_unknown_store_is_reported_and_not_shown(written: str) -> None:
    with pytest.raises(DeclarationError, match="should be 'embedded', the address of a PostgreSQL") as caught:
        await document_findings(Settings(document_store=written), offline=True)

    assert "secret" not in str(caught.value)
