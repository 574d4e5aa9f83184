"""The doctor examines the database of an installation: schema, rights, connections."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from assistant.commands.doctor import examine
from assistant.doctor.database_findings import connection_findings, database_findings
from assistant.doctor.setup_findings import document_findings
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.settings import Settings
from assistant.store.postgres.database import newest_schema
from assistant.store.postgres.inspection import inspect_database
from tests.support.postgres import PASSWORD, run


@pytest.fixture
async def guest(database: str) -> AsyncIterator[str]:
    """The address for an account that may see our schema, and nothing in it."""
    plain, _, place = database.partition("://plain:")[2].partition("@")
    assert plain
    owner = f"postgresql://shop:{plain}@{place}"
    await run(owner, "CREATE ROLE guest LOGIN PASSWORD 'guest'; GRANT USAGE ON SCHEMA meanwhile TO guest")
    await run(owner, "GRANT SELECT ON meanwhile.steps TO guest")
    yield f"postgresql://guest:guest@{place}"
    await run(owner, "DROP OWNED BY guest; DROP ROLE guest")


async def test_a_plain_owner_of_a_ready_database_is_fine(database: str) -> None:
    there, connections = await database_findings(database, offline=False)

    assert isinstance(there, Fine)
    assert there.says.startswith("postgresql://")
    assert "with pgvector 0." in there.says
    assert there.says.endswith(f"; schema {newest_schema()}")
    assert isinstance(connections, Fine)
    assert PASSWORD not in f"{there}{connections}"


async def test_for_a_superuser_it_says_that_tenants_are_not_separated(database: str) -> None:
    _, account, _ = await database_findings(database.replace("//plain:", "//shop:"), offline=False)

    assert isinstance(account, Doubtful)
    assert account.says.startswith("shop is a superuser or has BYPASSRLS: row level security does not")
    assert account.cure == "use a plain account in ASSISTANT_DATABASE"


async def test_tables_that_the_account_may_not_use_are_named(guest: str) -> None:
    found, _ = await database_findings(guest, offline=False)

    assert isinstance(found, Wrong)
    assert "guest may not read and write bundles, canned_replies, commands, " in found.says
    assert found.cure.endswith('ON ALL TABLES IN SCHEMA meanwhile TO "guest"')


async def test_missing_steps_are_wrong_for_an_account_that_may_not_create(database: str, guest: str) -> None:
    await run(database, f"DELETE FROM meanwhile.steps WHERE number = {newest_schema()}")  # noqa: S608
    try:
        found, *_ = await database_findings(guest, offline=False)
        owners, *_ = await database_findings(database, offline=False)
    finally:
        await run(database, f"INSERT INTO meanwhile.steps VALUES ({newest_schema()}, 'newest')")  # noqa: S608

    assert isinstance(found, Wrong)
    assert found.cure == "run `assistant upgrade` with the account of the database's owner"
    assert isinstance(owners, Fine)


async def test_few_connections_that_are_left_are_doubtful(database: str) -> None:

    looked = replace(await inspect_database(database), open=90, most=97)

    [found] = connection_findings(looked)

    assert found == Doubtful(
        "connections",
        "90 of 97 are in use, and a server may need 15 more",
        "raise max_connections in the database",
    )


async def test_with_a_database_the_data_folder_is_not_opened(
    database: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", database)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(folder / "data"))
    (folder / "data").mkdir()
    (folder / "data" / "log.db").write_text("not a database")

    found = list[Finding]()
    async for some in examine(offline=True):
        found += some

    whats = {one.what for one in found}
    assert "data folder" not in whats
    assert "log" not in whats
    assert Fine("database", "in PostgreSQL, which was not asked") in found
    assert [path.name for path in (folder / "data").iterdir()] == ["log.db"]


async def test_documents_in_the_same_database_are_not_reported_twice(database: str) -> None:
    assert await document_findings(Settings(database=SecretStr(database)), offline=False) == [
        Fine("documents", "in the database, with everything else")
    ]


async def test_a_copy_that_is_not_finished_is_wrong(database: str) -> None:
    await run(database, "INSERT INTO meanwhile.installation (format, secret) VALUES (0, 's')")

    found, _ = await database_findings(database, offline=False)

    assert isinstance(found, Wrong)
    assert found.says.endswith("; a copy into it is not finished")
    assert found.cure == "run `assistant data copy` again"
