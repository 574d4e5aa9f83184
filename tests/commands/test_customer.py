"""``assistant customer``, as an operator calls it: alone, while a server runs, and when a store is unavailable."""

import asyncio
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.conversation.codec import FORMAT, entry_to_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.errors import DeclarationError, StoreError
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.erasure_records import SqliteErasureRecords
from assistant.store.sqlite.log import SqliteLog
from assistant.store.storage import Recording

WORD = "orchid-4711"
ANA = ConversationKey(tenant="demo", customer="ana", conversation="c-1")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command runs with a data folder in which Ana has said something."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    asyncio.run(has_said(tmp_path / "data", ANA))
    return tmp_path


async def has_said(data: Path, key: ConversationKey) -> None:
    log = SqliteLog(data / "log.db")
    said = CustomerMessage(message_id="u1", client_message_id="x1", text=WORD)
    await log.append(key, [Logged(1, 1_700_000_000_000, "", said)])
    await log.close()


def customer(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(app, ["customer", *words], input=typed)


def raw(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_all_data_is_written_into_a_file_that_only_its_owner_can_read(folder: Path) -> None:
    result = customer("export", "ana")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Written to ana.customer.json: 1 conversations, 0 documents, 0 recordings. It is as private as the customer"
        " is: keep it so.\n"
    )
    file = folder / "ana.customer.json"
    assert file.stat().st_mode & 0o077 == 0
    given = orjson.loads(file.read_bytes())
    assert given["conversations"][0]["transcript"][0]["text"] == WORD
    assert given["conversations"][0]["began_at"] == "2023-11-14T22:13:20+00:00"


def test_an_existing_file_is_overwritten_only_on_request(folder: Path) -> None:
    (folder / "ana.json").write_text("mine")
    (folder / "ana.json").chmod(0o644)

    refused = customer("export", "ana", "-o", "ana.json")
    forced = customer("export", "ana", "-o", "ana.json", "--force")

    assert refused.exit_code == 2
    assert "--force writes over it" in refused.output
    assert forced.exit_code == 0
    assert (folder / "ana.json").stat().st_mode & 0o077 == 0
    assert "there is no folder nowhere" in customer("export", "ana", "-o", "nowhere/ana.json").output


@pytest.mark.parametrize(
    "words", [("export", "bo"), ("erase", "bo", "--yes"), ("export", "ana", "--tenant", "bank")]
)
def test_a_customer_without_data_is_reported(folder: Path, words: tuple[str, ...]) -> None:
    result = customer(*words)

    assert result.exit_code == 1
    assert result.stdout.startswith("Nothing is kept of customer ")
    assert list(folder.glob("*.json")) == []
    assert WORD.encode() in raw(folder / "data")


def test_an_erasure_asks_first_and_then_deletes_everything(folder: Path) -> None:
    no = customer("erase", "ana", typed="n\n")
    assert no.exit_code == 1
    assert WORD.encode() in raw(folder / "data")

    yes = customer("erase", "ana", typed="y\n")

    assert yes.exit_code == 0, yes.output
    assert "Erase all data of customer 'ana' of 'demo' permanently?" in yes.stdout
    assert "Erased: 1 conversations, 0 documents, 0 recordings." in yes.stdout
    assert "nor what backups hold" in yes.stdout
    assert WORD.encode() not in raw(folder / "data")


def test_recordings_are_erased_too_and_others_are_named(folder: Path) -> None:
    records = SqliteErasureRecords(folder / "data" / "log.db")
    here, there = folder / "data" / "ana.conversation.yaml", folder / "ana.conversation.yaml"
    for path in (here, there):
        path.write_text(WORD)
        asyncio.run(records.note_recording(ANA, Recording(path)))

    result = customer("erase", "ana", "--yes")

    assert "Erased: 1 conversations, 0 documents, 1 recordings." in result.stdout
    assert f"Also recorded in {there}, which is not in the data folder: delete it yourself." in result.stderr
    assert (here.exists(), there.exists()) == (False, True)


def test_while_a_server_runs_data_is_exported_but_not_erased(folder: Path) -> None:
    with lock_data_folder(folder / "data"):
        assert customer("export", "ana").exit_code == 0
        refused = customer("erase", "c/17", "--yes")

    assert isinstance(refused.exception, DeclarationError)
    told = str(refused.exception)
    assert "is in use by process" in told
    assert "http://127.0.0.1:8000/v1/operators/customers/c%2F17" in told
    assert WORD.encode() in raw(folder / "data")


def test_a_folder_without_a_log_is_reported_and_not_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(folder / "elsewhere"))
    for words in (("export", "ana"), ("erase", "ana", "--yes")):
        result = customer(*words)
        assert isinstance(result.exception, DeclarationError)
        assert "is ASSISTANT_DATA_DIR right" in str(result.exception)
        assert "curl" not in str(result.exception)
    assert not (folder / "elsewhere").exists()


def test_an_older_folder_is_upgraded_and_then_erased_from(folder: Path) -> None:
    old = folder / "data" / "log.db"
    for path in (folder / "data").iterdir():
        path.unlink()
    steps = sorted((files("assistant.store") / "migrations" / "sqlite").iterdir(), key=lambda step: step.name)
    with closing(sqlite3.connect(old)) as file:
        file.execute("CREATE TABLE schema (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
        for number, step in enumerate(steps[:2], 1):
            file.executescript(step.read_text())
            file.execute("INSERT INTO schema VALUES (?, ?)", (number, step.name))
        said = CustomerMessage(message_id="u1", client_message_id="x1", text=WORD)
        body = orjson.dumps(entry_to_json(said))
        file.execute(
            "INSERT INTO entries VALUES ('demo', 'ana', 'c-1', 1, 1, '', 0, 'customer_message', ?, 'x1')",
            (body,),
        )
        file.execute("INSERT INTO conversations VALUES ('demo', 'ana', 'c-1', 1, '', 'u1')")
        file.commit()

    for words in (("export", "ana"), ("erase", "ana", "--yes")):
        refused = customer(*words)
        assert isinstance(refused.exception, DeclarationError)
        assert "this log has no format number" in str(refused.exception)
    with closing(sqlite3.connect(old)) as file:
        file.execute(f"PRAGMA user_version = {FORMAT}")
    assert customer("export", "ana").exit_code == 0
    assert WORD in (folder / "ana.customer.json").read_text()
    assert customer("erase", "ana", "--yes").exit_code == 0
    assert WORD.encode() not in raw(folder / "data")


def test_without_the_document_server_the_remaining_data_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DOCUMENT_STORE", "http://127.0.0.1:9")

    result = customer("erase", "ana", "--yes")

    assert result.exit_code == 1
    assert isinstance(result.exception, StoreError)
    told = str(result.exception)
    assert told.startswith("not everything is erased: the documents are still where they were:")
    assert "erased: 1 conversations, 0 documents, 0 recordings" in told
    assert WORD.encode() not in raw(folder / "data")
    monkeypatch.delenv("ASSISTANT_DOCUMENT_STORE")
    assert "Nothing is kept" in customer("erase", "ana", "--yes").stdout
