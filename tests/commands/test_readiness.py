"""What a running server says about its parts at ``/readyz``."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.app import Assistant, open_assistant
from assistant.assembly.health import (
    SchemaCheck,
    disk_finding,
    log_findings,
    long_call_findings,
    model_findings,
    schema_finding,
    voice_findings,
)
from assistant.commands.serve import readiness_of
from assistant.commands.serve_context import server_context
from assistant.findings import Doubtful, Fine, Wrong
from assistant.server.readiness import reason
from assistant.settings import Settings
from assistant.store.sqlite.file import migrate
from assistant.store.storage import SchemaState
from assistant.voice.session import VoiceSessionFactory
from tests.server.running_server import ManualClock


def settings(folder: Path) -> Settings:
    return Settings(data_dir=folder / "data", tools_dir=folder / "tools", knowledge_dir=folder, voice=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools").mkdir()
    return tmp_path


async def looked(assistant: Assistant) -> list[str]:
    found = await readiness_of(assistant.settings, [assistant], [None]).findings()
    return [f"{type(one).__name__} {one.what}: {one.says}" for one in found]


async def test_a_server_with_everything_loaded_is_ready(folder: Path) -> None:
    async with open_assistant(settings(folder)) as assistant:
        await assistant.warming
        found = await looked(assistant)
        assistant.configs.notices.problem = "tools/credit.py:3: a mistake"
        after_a_wrong_edit = await looked(assistant)

    assert [line.partition(":")[0] for line in found] == [
        "Fine log",
        "Fine schema",
        "Fine tools",
        "Fine prompts",
        "Fine models",
        "Fine disk",
    ]
    (edits,) = [line for line in after_a_wrong_edit if "edits" in line]
    assert edits == (
        "Doubtful edits: the last edit of prompts, tools or policies was refused; the version before it serves"
    )


async def test_a_closed_log_makes_the_server_unready(folder: Path) -> None:
    async with open_assistant(settings(folder)) as assistant:
        await assistant.warming
        await assistant.storage.log.close()
        (found,) = await log_findings(assistant.storage.log)

    assert reason([found]) == "log: the log is closed"


async def test_models_that_load_or_cannot_be_loaded_make_it_unready() -> None:
    begin = asyncio.Event()

    async def load() -> None:
        await begin.wait()

    async def fail() -> None:
        raise OSError("no such file")

    loading, failing = asyncio.create_task(load()), asyncio.create_task(fail())
    await asyncio.wait({failing})
    assert model_findings([loading]) == [Wrong("models", "the models are still loading", "wait some seconds")]
    assert reason(model_findings([failing])) == "models: the models cannot be loaded"
    begin.set()
    await loading
    assert model_findings([loading]) == [Fine("models", "loaded")]


def test_customers_can_write_while_no_one_can_speak() -> None:
    voice = VoiceSessionFactory()

    first = Fine("voice", "the speech models are loaded when the first customer speaks")
    assert voice_findings([voice, None]) == [first]
    voice.mark_unavailable("no package")
    assert [type(one) for one in voice_findings([voice, None])] == [Doubtful]
    assert voice_findings([None]) == []


def test_too_little_disk_space_makes_it_unready(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free

    assert isinstance(disk_finding(tmp_path, 0), Fine)
    wrong = disk_finding(tmp_path, free * 2)
    assert isinstance(wrong, Wrong)
    assert "ASSISTANT_MIN_FREE_DISK_BYTES asks for" in wrong.says


@pytest.mark.parametrize(
    ("has", "kind", "says"),
    [
        (11, Fine, "the stored schema is 11, as this release needs"),
        (12, Doubtful, "the stored schema is 12, of a newer release; this release knows 11"),
        (10, Wrong, "the stored schema is 10; this release needs 11"),
    ],
)
def test_only_older_tables_make_it_unready(has: int, kind: type[object], says: str) -> None:
    pending = ("0011_new.sql",) if has < 11 else ()

    found = schema_finding(SchemaState(where="log.db", has=has, newest=11, pending=pending))

    assert (type(found), found.says) == (kind, says)


async def test_the_schema_is_checked_once_a_minute_while_it_is_right(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "log.db", isolation_level=None)) as log:
        migrate(log, "log.db")
    clock = ManualClock()
    check = SchemaCheck(settings(tmp_path), clock)
    assert [type(one) for one in await check.findings()] == [Fine]

    (tmp_path / "data" / "log.db").write_text("this is no log")
    assert [type(one) for one in await check.findings()] == [Fine]
    clock.advance(60.0)
    assert await check.findings() == [
        Wrong("schema", "the schema cannot be read", "see what `assistant upgrade --check` prints")
    ]


def test_waiting_long_calls_are_reported_and_do_not_make_it_unready() -> None:
    assert long_call_findings(waiting=False) == []
    (found,) = long_call_findings(waiting=True)
    assert isinstance(found, Doubtful)


@pytest.mark.parametrize(
    ("host", "origins", "warnings"),
    [("192.0.2.1", [], 1), ("192.0.2.1", ["https://chat.example"], 0), ("127.0.0.1", [], 0)],
)
async def test_a_server_for_any_host_name_warns(
    folder: Path, host: str, origins: list[str], warnings: int
) -> None:
    open_to_all = settings(folder).model_copy(update={"allowed_origins": origins})
    async with open_assistant(open_to_all) as assistant:
        with capture_logs() as logged:
            server_context(assistant, host=host)

    told = [one for one in logged if one["event"] == "this server answers to any host name"]
    assert len(told) == warnings
    assert all(one["cure"].startswith("set ASSISTANT_ALLOWED_ORIGINS") for one in told)
