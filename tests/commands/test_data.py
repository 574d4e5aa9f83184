"""``assistant data copy`` in a terminal: what it prints, and how it ends."""

import asyncio
import os
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.commands.stored.data import copy_progress
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged, TurnEnded, TurnStarted
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.store.postgres.storage import open_postgres_conversations
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.testing.virtual_time import VirtualClock
from tests.support.postgres import run

_CONVERSATIONS = 400


@pytest.fixture(autouse=True)
async def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with many short conversations."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSISTANT_DATABASE", raising=False)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    async with open_sqlite_storage(tmp_path / "data", VirtualClock(), SystemIds()) as storage:
        said = CustomerMessage(message_id="u1", client_message_id="x1", text="Hello")
        began = TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")
        turn = (said, began, TurnEnded(turn_id="t1", how="answered"))
        entries = [Logged(seq, seq, "t1", entry) for seq, entry in enumerate(turn, 1)]
        keys = [
            ConversationKey(tenant="acme", customer="ana", conversation=f"c{n}")
            for n in range(_CONVERSATIONS)
        ]
        await asyncio.gather(*(storage.log.append(key, entries) for key in keys))
    return tmp_path / "data"


async def copy(*options: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["data", "copy", *options])


async def test_it_prints_what_was_copied_and_ends_with_0(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", database)

    copied, again = await copy(), await copy()

    assert (copied.exit_code, again.exit_code) == (0, 0)
    rows = {line.split()[0]: line.split()[1:] for line in copied.stdout.splitlines() if line}
    folders, databases, ours, theirs = rows["entries"]
    assert folders == databases == str(3 * _CONVERSATIONS)
    assert ours == theirs
    assert "Everything is copied. Set ASSISTANT_DATABASE to this database" in copied.stdout
    assert "Everything was copied before; nothing has changed." in again.stdout
    assert "correct" not in copied.stdout


async def test_recall_finds_files_in_the_same_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", database)
    await copy()

    arguments = ["recall", "--conversation", "c399", "--processes", "1"]
    recalled = await asyncio.to_thread(CliRunner().invoke, app, arguments)

    assert recalled.exit_code == 0
    assert "1 conversation," in recalled.stdout
    assert "another server" not in recalled.stdout


async def test_a_difference_is_shown_and_gives_exit_code_1(database: str) -> None:
    await copy("--to", database)
    await run(
        database.replace("//plain:", "//shop:"),
        "UPDATE meanwhile.entries SET fence = 9 WHERE conversation = 'c7'",
    )

    again = await copy("--to", database)

    assert again.exit_code == 1
    [line] = [line for line in again.stdout.splitlines() if "DIFFERENT" in line]
    assert line.startswith("entries ")
    assert "A copy was finished before, and data have changed since. Nothing was copied." in again.stdout


async def test_without_a_database_it_asks_for_one() -> None:
    asked = await copy()

    assert asked.exit_code == 2
    assert "ASSISTANT_DATABASE" in asked.stderr


async def test_a_wrong_address_is_not_shown() -> None:
    refused = await copy("--to", "mysql://shop:horse@db/x")

    assert isinstance(refused.exception, DeclarationError)
    assert str(refused.exception).startswith("--to: ")
    assert "horse" not in str(refused.exception)


async def _until_some_are_there(database: str) -> None:
    connection = await asyncpg.connect(database.replace("//plain:", "//shop:"))  # pyright: ignore
    try:
        async with asyncio.timeout(30):
            while await connection.fetchval("SELECT count(*) FROM meanwhile.conversations") < 20:  # pyright: ignore
                pass
    finally:
        await connection.close()  # pyright: ignore


@pytest.mark.slow
async def test_a_killed_copy_continues_when_it_is_started_again(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATABASE", database)

    def start_and_kill() -> int:
        root = Path(__file__).parents[2]
        command = [sys.executable, "-m", "assistant", "data", "copy"]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(root)}) as process:
            asyncio.run(_until_some_are_there(database))
            process.send_signal(signal.SIGKILL)
            return process.wait()

    assert await asyncio.to_thread(start_and_kill) == -signal.SIGKILL
    with pytest.raises(DeclarationError, match="is not finished"):
        async with open_postgres_conversations(database):
            pass

    again = await copy()
    assert again.exit_code == 0
    async with open_postgres_conversations(database) as conversations:
        assert len(await conversations.listed()) == _CONVERSATIONS


def test_a_terminal_shows_the_progress() -> None:
    shown = StringIO()
    with copy_progress(Console(file=shown, force_terminal=True, width=100)) as progress:
        assert progress is not None
        progress(3, 12)

    assert "3/12" in shown.getvalue()


def test_a_pipe_gets_no_bar() -> None:
    with copy_progress(Console(file=StringIO())) as progress:
        assert progress is None
