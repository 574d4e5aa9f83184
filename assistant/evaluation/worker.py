"""A process that runs trials one after the other. It reads one job from each line of its input, and writes
one row for each.

Tools read the address of their database from environment variables. All trials of a process share these
variables, so trials that run at the same time need separate processes.
"""

import asyncio
import logging
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict

from assistant.errors import AssistantError
from assistant.evaluation.results import Row
from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import ConfigFactory, model_name, run_trial
from assistant.settings import Settings
from assistant.tenants import load_settings


class Job(BaseModel):
    """One trial to run. ``bundle`` is the version of the prompts for the row if the trial fails early."""

    model_config = ConfigDict(frozen=True)

    task: Task
    trial: int
    bundle: str


async def work(
    jobs: Iterable[bytes], rows: BinaryIO, settings: Settings, make_config: ConfigFactory | None = None
) -> None:
    """Run the job of each line until the end of the input, and write its row.

    A trial that breaks also gives a row.
    """
    with tempfile.TemporaryDirectory(prefix="meanwhile-worker-", ignore_cleanup_errors=True) as kept:
        own = settings.model_copy(update={"data_dir": Path(kept)})
        for line in jobs:
            row = await _row(Job.model_validate_json(line), own, make_config)
            rows.write(row.model_dump_json().encode() + b"\n")
            rows.flush()


def broken(job: Job, model: str, why: str) -> Row:
    """Returns the row of a trial that did not reach its end."""
    task = job.task
    return Row(task=task.id, digest=task.digest, trial=job.trial, model=model, bundle=job.bundle, broke=why)


async def _row(job: Job, settings: Settings, make_config: ConfigFactory | None) -> Row:
    try:
        return await run_trial(job.task, job.trial, settings, make_config)
    except AssistantError as error:
        return broken(job, model_name(settings), str(error))
    except Exception as error:
        # A bug in a tool's module must not end the whole evaluation.
        return broken(job, model_name(settings), f"{type(error).__name__}: {error}")


def main() -> None:
    """Run jobs for the parent process."""
    import structlog

    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    # Output of tools must not be mixed with rows.
    with os.fdopen(os.dup(1), "wb") as rows:
        os.dup2(2, 1)
        asyncio.run(work(sys.stdin.buffer, rows, load_settings()))


if __name__ == "__main__":
    main()
