"""``assistant jobs``: the background jobs that failed permanently, including documents."""

import asyncio
from collections.abc import Sequence

import typer

from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.ids import SystemIds
from assistant.jobs import FailedJob, failed_documents
from assistant.settings_sources import load_installation
from assistant.store.storage import Storage


def jobs(*, retry: bool) -> int:
    """Print the jobs that failed permanently, or queue them once more; returns the exit code: 1 if there are any.

    Raises ``DeclarationError`` if the storage cannot be used.
    """
    set_up_logging("ERROR")
    return asyncio.run(_jobs(retry=retry))


async def _jobs(*, retry: bool) -> int:
    settings = load_installation()
    clock = SystemClock(settings.time_zone)
    async with open_storage(settings, clock, SystemIds(), exclusive=False, create=False) as storage:
        documents = failed_documents(await storage.writes.waiting())
        if retry:
            await _queue_again(storage, documents, clock.now_ms())
            typer.echo(f"{await storage.jobs.retry_failed() + len(documents)} queued once more")
            return 0
        failed = [*await storage.jobs.failed(), *documents]
    for one in failed:
        typer.echo(_line(one))
    typer.echo(
        f"{len(failed)} given up" + ("; `assistant jobs --retry` queues them once more" if failed else "")
    )
    return 1 if failed else 0


async def _queue_again(storage: Storage, documents: Sequence[FailedJob], now_ms: int) -> None:
    for one in documents:
        document = await storage.writes.get(one.job.tenant, one.job.customer, one.job.lock)
        if document is not None:
            await storage.writes.add(document, now_ms)


def _line(failed: FailedJob) -> str:
    whose = " ".join(filter(None, (failed.job.tenant, failed.job.customer)))
    return f"{failed.job.kind}  {whose}  {failed.tries} tries: {failed.problem}"
