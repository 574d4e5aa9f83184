"""``assistant jobs`` and the doctor name failed background work, which can be queued again."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.jobs import jobs
from assistant.conversation.documents import Document
from assistant.doctor.database_findings import job_findings
from assistant.errors import StoreError
from assistant.findings import Wrong
from assistant.ids import SystemIds
from assistant.jobs import Job, JobKind
from assistant.settings import Settings
from assistant.tenants import load_settings


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """An empty installation, of each kind in turn."""
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    if request.param == "postgres":
        monkeypatch.setenv("ASSISTANT_DATABASE", request.getfixturevalue("database"))
    return load_settings()


async def given_up(settings: Settings) -> None:
    """A job of Ana's that fails for good."""

    async def fail(job: Job) -> None:
        raise StoreError(f"no place for {job.arguments['page']}")

    async with open_storage(settings, SystemClock(), SystemIds()) as storage:
        await storage.jobs.later(Job(kind="export", tenant="acme", customer="ana", arguments={"page": 7}))
        kind = JobKind(name="export", run=fail, lane="quick", tries=1)
        running = asyncio.create_task(storage.jobs.run([kind]))
        while not await storage.jobs.failed():  # noqa: ASYNC110 - it is in a file
            await asyncio.sleep(0.05)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


def test_a_failed_job_is_named(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(given_up(settings))
    capsys.readouterr()

    assert asyncio.run(job_findings(settings, offline=False)) == [
        Wrong(
            "jobs",
            "export: 1 given up; the newest, of acme, after 1 tries: no place for 7",
            "when that is mended, run `assistant jobs --retry`",
        )
    ]
    assert jobs(retry=False) == 1
    assert capsys.readouterr().out.splitlines() == [
        "export  acme ana  1 tries: no place for 7",
        "1 given up; `assistant jobs --retry` queues them once more",
    ]
    assert jobs(retry=True) == 0
    assert jobs(retry=False) == 0
    assert capsys.readouterr().out.splitlines() == ["1 queued once more", "0 given up"]
    assert asyncio.run(job_findings(settings, offline=False)) == []


async def document_given_up(settings: Settings) -> None:
    """A page of the company's that could not be written."""
    async with open_storage(settings, SystemClock(), SystemIds()) as storage:
        page = Document(
            ref="d1", tenant="acme", customer="", kind="knowledge", title="Returns", text="30 days"
        )
        await storage.writes.add(page, 1)
        [waiting] = await storage.writes.waiting()
        await storage.writes.put_off(waiting.number, "the vectors have another width", None)


def test_a_failed_document_is_named(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(document_given_up(settings))

    [found] = asyncio.run(job_findings(settings, offline=False))
    assert isinstance(found, Wrong)
    assert "after 1 tries: Returns: the vectors have another width" in found.says
    assert jobs(retry=False) == 1
    assert jobs(retry=True) == 0
    assert jobs(retry=False) == 0
    assert capsys.readouterr().out.splitlines() == [
        "document  acme  1 tries: Returns: the vectors have another width",
        "1 given up; `assistant jobs --retry` queues them once more",
        "1 queued once more",
        "0 given up",
    ]


def test_before_the_first_start_there_are_no_jobs(settings: Settings) -> None:
    assert asyncio.run(job_findings(settings, offline=False)) == []
