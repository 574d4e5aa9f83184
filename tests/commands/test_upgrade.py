"""``assistant upgrade`` creates and changes tables, or says what is missing."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.errors import AssistantError, DeclarationError
from assistant.ids import SystemIds
from assistant.store.postgres.storage import open_postgres_storage
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.file import connect, migrate
from assistant.store.storage import StorageInUse
from assistant.testing.virtual_time import VirtualClock
from tests.support.postgres import PASSWORD, run

_FOLDER = files("assistant.store") / "migrations"
_STEPS = sorted(file.name for file in (_FOLDER / "postgres").iterdir())


def assistant(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def refusal(result: Result) -> str:
    """The error of a command that could not do its work; it shows no password."""
    assert isinstance(result.exception, DeclarationError)
    assert PASSWORD not in str(result.exception)
    assert "correct" not in str(result.exception)
    return str(result.exception)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder, and no settings of the tester's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSISTANT_DATABASE", raising=False)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
async def bare(postgres_server: str) -> AsyncIterator[str]:
    """The address of an empty database for its owner, and a second account that may create nothing."""
    await run(postgres_server, "DROP DATABASE IF EXISTS bare")
    await run(postgres_server, "CREATE DATABASE bare")
    address = postgres_server.replace("/postgres?", "/bare?")
    await run(address, "CREATE EXTENSION vector; CREATE ROLE serving LOGIN PASSWORD 'serving'")
    yield address
    await run(address, "DROP OWNED BY serving; DROP ROLE serving")
    await run(postgres_server, "DROP DATABASE bare WITH (FORCE)")


def test_an_empty_database_gets_all_tables_once(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", bare)

    pending = assistant("upgrade", "--check")
    assert pending.exit_code == 1
    newest = len(_STEPS)
    assert f"schema 0, this release has {newest}; to do: {', '.join(_STEPS)}\n" in pending.stdout
    assert "backup" not in pending.stdout  # nothing is stored yet

    done = assistant("upgrade")
    assert done.exit_code == 0
    assert done.stdout.endswith(f"schema 0 -> {newest}\n")

    for again in (assistant("upgrade"), assistant("upgrade", "--check")):
        assert again.exit_code == 0
        assert again.stdout.endswith(f": schema {newest}, this release has {newest}; nothing to do\n")
        assert "horse" not in again.stdout


async def test_the_owner_migrates_and_a_plain_account_serves(
    bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = bare.replace("shop:correct%2Fhorse", "serving:serving")
    monkeypatch.setenv("ASSISTANT_DATABASE", serving)
    refused = refusal(await asyncio.to_thread(assistant, "upgrade"))
    assert refused.startswith("ASSISTANT_DATABASE: postgresql://")
    assert "run `assistant upgrade` once with the account of their owner" in refused
    with pytest.raises(DeclarationError, match="run `assistant upgrade` once"):
        async with open_postgres_storage(serving, VirtualClock(), SystemIds()):
            pass

    monkeypatch.setenv("ASSISTANT_DATABASE", bare)
    assert (await asyncio.to_thread(assistant, "upgrade")).exit_code == 0
    await run(bare, _GRANTS)

    async with open_postgres_storage(serving, VirtualClock(), SystemIds(), lease_s=30) as server:
        assert await server.used_tokens.use("demo", "n1", until_ms=9, now_ms=0)
        assert server.leases is not None


_GRANTS = """
GRANT USAGE ON SCHEMA meanwhile TO serving;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA meanwhile TO serving;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA meanwhile TO serving;
"""


def test_a_newer_database_is_refused(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", bare)
    assert assistant("upgrade").exit_code == 0
    asyncio.run(run(bare, "INSERT INTO meanwhile.steps VALUES (99, '0099_later.sql')"))

    for command in (["upgrade"], ["upgrade", "--check"]):
        assert "made by a newer release (their schema is number 99" in refusal(assistant(*command))


def test_entries_of_another_format_are_refused(
    bare: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(connect(folder / "log.db")) as file:
        migrate(file, "log.db")
        file.execute("PRAGMA user_version = 99")
    assert "this log has format 99, and this release reads format" in refusal(assistant("upgrade", "--check"))

    monkeypatch.setenv("ASSISTANT_DATABASE", bare)
    assert assistant("upgrade").exit_code == 0
    asyncio.run(run(bare, "INSERT INTO meanwhile.installation (format, secret) VALUES (99, 's')"))
    for command in (["upgrade"], ["upgrade", "--check"]):
        refused = refusal(assistant(*command))
        assert "has entries of format 99, and this release reads format" in refused


def test_a_missing_extension_is_reported_with_the_solution(
    bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(run(bare, "DROP EXTENSION vector"))
    monkeypatch.setenv("ASSISTANT_DATABASE", bare)

    refused = refusal(assistant("upgrade"))

    assert refused.startswith("ASSISTANT_DATABASE: postgresql://")
    assert "run CREATE EXTENSION vector in it" in refused


def test_a_log_of_an_older_release_is_upgraded(folder: Path) -> None:
    assert "nothing to do, a server makes its files" in assistant("upgrade").stdout
    with closing(connect(folder / "log.db")) as file:
        migrate(file, "log.db")
        file.execute("DROP TABLE restores")
        file.execute("ALTER TABLE conversations DROP COLUMN restored_seq")
        for index in ("conversations_newest", "conversations_by_id", "entries_closed"):
            file.execute(f"DROP INDEX {index}")
        file.execute("DROP TRIGGER searchable_with_conversation")
        for table in ("searchable", "searchable_words"):
            file.execute(f"DROP TABLE {table}")
        file.execute("DELETE FROM schema WHERE number > 11")

    pending = assistant("upgrade", "--check")
    assert pending.exit_code == 1
    assert (
        "log.db: schema 11, this release has 14; "
        "to do: 0012_restores.sql, 0013_search.sql, 0014_conversation_list.sql\n" in pending.stdout
    )
    assert "Have a backup" in pending.stdout
    with lock_data_folder(folder):
        assert isinstance(assistant("upgrade").exception, StorageInUse)

    done = assistant("upgrade").stdout
    assert done.index("Have a backup") < done.index("log.db: schema 11 -> 14\n")
    assert "log.db: schema 14, this release has 14; nothing to do\n" in assistant("upgrade", "--check").stdout


def test_a_log_of_a_newer_release_is_refused(folder: Path) -> None:
    with closing(connect(folder / "log.db")) as file:
        migrate(file, "log.db")
        file.execute("INSERT INTO schema VALUES (99, '0099_later.sql')")

    assert "was written by a newer release (its schema is number 99" in refusal(assistant("upgrade"))


def test_a_file_that_is_no_log_is_refused(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "log.db")) as file:
        file.execute("CREATE TABLE other (column_)")

    assert isinstance(assistant("upgrade").exception, AssistantError)
