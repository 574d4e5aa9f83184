"""Plans the trials of an evaluation and runs them in several worker processes."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.errors import DeclarationError
from assistant.evaluation.results import Row
from assistant.evaluation.tasks import Task
from assistant.evaluation.worker import Job, broken


@dataclass(frozen=True, slots=True)
class Plan:
    """``jobs`` are the trials to run. ``done`` are the rows of trials that need not run again."""

    jobs: tuple[Job, ...]
    done: tuple[Row, ...]


def plan(
    tasks: Sequence[Task],
    times: int,
    *,
    model: str,
    bundle: str,
    rows: Sequence[Row],
    simulator: str | None = None,
    retry_failed: bool = False,
) -> Plan:
    """Plan each task ``times`` times: first all tasks once, then all again.

    An existing row is used if its task, model and prompts are the current ones, its customer was played by
    the same ``simulator`` (if any), and the trial reached its end. Of several rows of a trial, the newest is
    used; with ``retry_failed`` it is not used if a provider failed in it.
    """
    known = {
        (row.task, row.digest, row.trial): row
        for row in rows
        if row.broke is None
        and row.judged
        and (row.model, row.bundle) == (model, bundle)
        and row.simulator in (None, simulator)
    }
    if retry_failed:
        known = {key: row for key, row in known.items() if not row.model_errors}
    wanted = [(task, trial) for trial in range(1, times + 1) for task in tasks]
    left = [(task, trial) for task, trial in wanted if (task.id, task.digest, trial) not in known]
    keys = [(task.id, task.digest, trial) for task, trial in wanted]
    return Plan(
        jobs=tuple(Job(task=task, trial=trial, bundle=bundle) for task, trial in left),
        done=tuple(known[key] for key in keys if key in known),
    )


def check_tools(tasks: Sequence[Task], known: Sequence[str]) -> None:
    """Check that tasks name only tools that exist.

    Raises:
        DeclarationError: one line for each tool that is not declared.
    """
    problems = [
        f"task {task.id!r}: {field}: there is no tool {tool!r}; {_cure(tool, known)}"
        for task in tasks
        for field, tool in _named(task)
        if tool not in known
    ]
    if problems:
        raise DeclarationError("\n".join(problems))


def _named(task: Task) -> Iterator[tuple[str, str]]:
    yield from (("before", step.tool) for step in task.before)
    yield from (("calls", tool) for tool in task.calls)
    yield from (("calls_not", tool) for tool in task.calls_not)


def _cure(tool: str, known: Sequence[str]) -> str:
    close = get_close_matches(tool, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known) or 'none'}"


_LONGEST_ROW = 1 << 24

_COMMAND = (sys.executable, "-m", "assistant.evaluation.worker")


async def run_jobs(
    jobs: Sequence[Job],
    concurrency: int,
    took: Callable[[Row], None],
    *,
    model: str,
    environ: Mapping[str, str],
    errors: Path | None = None,
    command: Sequence[str] = _COMMAND,
) -> None:
    """Run all jobs, and pass each row to ``took`` when it is ready. A cancellation kills running jobs.

    Args:
        jobs: the jobs; they begin in this order.
        concurrency: the number of processes that run at the same time.
        took: called with each row. It must not block for long.
        model: the name of the model for rows of trials that crashed their process.
        environ: the processes' environment.
        errors: the file for the processes' standard error; None: it is discarded.
        command: the command that starts a process.
    """
    left = deque(jobs)

    async def one_worker(environ: Mapping[str, str]) -> None:
        async with _Worker(environ, errors, command) as worker:
            while left:
                job = left.popleft()
                took(await worker.run(job) or broken(job, model, f"its process ended{_see(errors)}"))

    # A killed process cannot clean up, so all files of the processes are in one folder, which is removed.
    with TemporaryDirectory(prefix="meanwhile-evaluation-", ignore_cleanup_errors=True) as folder:
        told = {**environ, "TMPDIR": folder, "TEMP": folder}
        async with asyncio.TaskGroup() as pool:
            for _ in range(min(concurrency, len(jobs))):
                pool.create_task(one_worker(told))


def _see(errors: Path | None) -> str:
    return f"; {errors} may say why" if errors is not None else ""


class _Worker:
    """One process, which is started when there is a job, and started again if it has ended."""

    def __init__(self, environ: Mapping[str, str], errors: Path | None, command: Sequence[str]) -> None:
        self._environ, self._errors, self._command = environ, errors, command
        self._process: Process | None = None

    async def __aenter__(self) -> "_Worker":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._end()

    async def run(self, job: Job) -> Row | None:
        """Returns the job's row, or None if the process ended instead."""
        process = self._process = self._process or await self._start()
        assert process.stdin is not None  # noqa: S101 - asked for below
        assert process.stdout is not None  # noqa: S101
        with suppress(ConnectionError):
            process.stdin.write(job.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
        line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            await self._end()
            return None
        return Row.model_validate_json(line)

    async def _start(self) -> Process:
        errors = self._errors.open("ab") if self._errors is not None else None
        try:
            return await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors or DEVNULL,
                env=self._environ,
                limit=_LONGEST_ROW,
                # Ctrl-C is handled by the parent process, which ends the others.
                start_new_session=os.name != "nt",
            )
        finally:
            if errors is not None:
                errors.close()

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.communicate()
