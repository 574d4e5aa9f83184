"""Processes that run trials: as many as requested, restarted when one ends, removed at the end."""

import asyncio
import io
import os
import sys
from pathlib import Path

import pytest

from assistant.evaluation.results import Row
from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import ConfigFactory
from assistant.evaluation.worker import Job, work
from assistant.evaluation.worker_pool import run_jobs
from assistant.ports import Clock
from assistant.sessions.config_version import ConfigVersion
from assistant.settings import Settings
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from tests.evaluation.conftest import scripted_edition

ECHO = """
import json, os, sys
print("words", file=sys.stderr, flush=True)
for line in sys.stdin:
    job = json.loads(line)
    name = job["task"]["id"]
    if name == "falls":
        sys.exit(3)
    if name == "hangs":
        sys.stdin.read()
    row = {"task": name, "digest": "d", "trial": job["trial"], "model": "m", "bundle": job["bundle"]}
    print(json.dumps({**row, "ran": [str(os.getpid()), os.environ["TMPDIR"]]}), flush=True)
"""


def task(name: str, **fields: object) -> Task:
    return Task.model_validate({"id": name, "now": "2026-11-21T10:00", "messages": ["Hi"], **fields})


def job(name: str, **fields: object) -> Job:
    return Job(task=task(name, **fields), trial=1, bundle="b")


async def run(*names: str, concurrency: int = 1, errors: Path | None = None, **environ: str) -> list[Row]:
    rows: list[Row] = []
    await run_jobs(
        [job(name) for name in names],
        concurrency,
        rows.append,
        model="m",
        environ={**os.environ, **environ},
        errors=errors,
        command=[sys.executable, "-c", ECHO],
    )
    return rows


async def test_one_process_runs_one_trial_after_the_other() -> None:
    first, second = await run("a", "b")

    assert (first.task, second.task) == ("a", "b")
    assert first.ran == second.ran


async def test_several_share_the_trials_and_leave_nothing_behind() -> None:
    rows = await run("a", "b", "c", concurrency=2)

    assert sorted(row.task for row in rows) == ["a", "b", "c"]
    assert len({row.ran[0] for row in rows}) == 2
    assert not Path(rows[0].ran[1]).exists()


async def test_a_trial_that_crashes_its_process_affects_no_other(tmp_path: Path) -> None:
    log = tmp_path / "results.log"

    fallen, other = await run("falls", "a", errors=log)

    assert fallen.broke == f"its process ended; {log} may say why"
    assert (fallen.task, fallen.model, fallen.bundle) == ("falls", "m", "b")
    assert other.passed
    assert log.read_text() == "words\nwords\n"
    (silent,) = await run("falls")
    assert silent.broke == "its process ended"


async def test_without_jobs_no_process_starts() -> None:
    assert await run() == []


async def test_stopping_ends_all_processes() -> None:
    came: asyncio.Future[Row] = asyncio.get_running_loop().create_future()
    jobs, command = [job("a"), job("hangs")], [sys.executable, "-c", ECHO]
    running = asyncio.create_task(
        run_jobs(jobs, 1, came.set_result, model="m", environ=os.environ, command=command)
    )
    process = int((await came).ran[0])

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


async def test_a_worker_answers_each_job_with_a_row(settings: Settings) -> None:
    def make_config(_: Settings, clock: Clock) -> ConfigVersion:
        return scripted_edition(ScriptedModel(says("Hello.")), clock)

    rows = await worked(settings, make_config, job("a", must=["hello"]), job("b", must=["bye"]))

    assert [(row.task, row.passed) for row in rows] == [("a", True), ("b", False)]


async def test_a_failed_trial_is_reported_in_its_row(settings: Settings) -> None:
    def make_config(_: Settings, clock: Clock) -> ConfigVersion:
        raise RuntimeError("no such tools")

    unprepared = job("a", before=[{"tool": "nobody_knows"}])

    (row,) = await worked(settings, make_config, job("a"))
    assert row.broke == "RuntimeError: no such tools"
    (row,) = await worked(settings, lambda _, clock: scripted_edition(ScriptedModel(), clock), unprepared)
    assert row.broke is not None
    assert row.broke.startswith("task 'a': before: nobody_knows did not work: There is no tool")


async def worked(settings: Settings, make_config: ConfigFactory, *jobs: Job) -> list[Row]:
    lines, rows = [one.model_dump_json().encode() for one in jobs], io.BytesIO()
    await work(lines, rows, settings, make_config)
    return [Row.model_validate_json(line) for line in rows.getvalue().splitlines()]
