"""Lists the documents that there are, and deletes one."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime

import typer

from assistant.clock import SystemClock
from assistant.commands.documents.open import opened
from assistant.commands.logging import set_up_logging
from assistant.memory.library import Shelved
from assistant.settings import load_settings


def list_documents(tenant: str, customer: str | None, *, results: bool) -> None:
    """Print two lines for each, newest last. Raises ``AssistantError`` when the library cannot be opened."""
    set_up_logging("ERROR")
    listed = [one for one in asyncio.run(_listed(tenant, customer)) if results or one.kind != "result"]
    if not listed:
        typer.echo("There are no documents. Add some: assistant documents add PATH")
        return
    for one in listed:
        typer.echo(f"{one.ref}  {one.title}")
        typer.echo(f"    {', '.join(_about(one))}")


def remove(tenant: str, ref: str) -> int:
    """Delete it; gives the exit code, 1 when there is none of that name."""
    set_up_logging("ERROR")
    if asyncio.run(_removed(tenant, ref)):
        typer.echo(f"Deleted {ref}.")
        return 0
    typer.echo(
        f"There is no document {ref!r}; `assistant documents list` shows those that there are.", err=True
    )
    return 1


async def _listed(tenant: str, customer: str | None) -> list[Shelved]:
    settings = load_settings()
    async with opened(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.documents(tenant, customer)


async def _removed(tenant: str, ref: str) -> bool:
    settings = load_settings()
    async with opened(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.delete(tenant, ref)


def _about(one: Shelved) -> Iterator[str]:
    """What there is to say of it, beside its name: whose, how long, until when, where from, how it stands."""
    yield one.kind
    yield f"for {one.customer or 'everybody'}"
    yield f"{one.passages} passage{'' if one.passages == 1 else 's'}"
    yield _state(one)
    yield _day(one.expires_ms)
    if one.origin:
        yield f"from {one.origin.partition('#')[0]}"


def _state(one: Shelved) -> str:
    if one.state == "waiting" and one.passages:
        return f"waiting ({one.done}/{one.passages})"
    return f"{one.state}: {one.problem}" if one.problem else one.state


def _day(at_ms: int | None) -> str:
    return "for good" if at_ms is None else f"until {datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d}"
