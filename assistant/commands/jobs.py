"""``assistant jobs``: the background work that was given up."""

import asyncio

import typer

from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.ids import SystemIds
from assistant.jobs import FailedJob
from assistant.settings import load_installation


def jobs(*, retry: bool) -> int:
    """Print the jobs that were given up, or queue them once more; returns the exit code: 1 if there are any.

    Raises ``DeclarationError`` if the storage cannot be used.
    """
    set_up_logging("ERROR")
    return asyncio.run(_jobs(retry=retry))


async def _jobs(*, retry: bool) -> int:
    settings = load_installation()
    opened = open_storage(
        settings, SystemClock(settings.time_zone), SystemIds(), exclusive=False, create=False
    )
    async with opened as storage:
        if retry:
            typer.echo(f"{await storage.jobs.retry_failed()} queued once more")
            return 0
        failed = await storage.jobs.failed()
    for one in failed:
        typer.echo(_line(one))
    typer.echo(
        f"{len(failed)} given up" + ("; `assistant jobs --retry` queues them once more" if failed else "")
    )
    return 1 if failed else 0


def _line(failed: FailedJob) -> str:
    whose = " ".join(filter(None, (failed.job.tenant, failed.job.customer)))
    return f"{failed.job.kind}  {whose}  {failed.tries} tries: {failed.problem}"
