"""Lists the documents that there are, and deletes one."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import typer
from rich.console import Console
from rich.table import Table

from assistant.clock import SystemClock
from assistant.commands.documents_open import opened
from assistant.commands.logging import set_up_logging
from assistant.memory.library.shelved import Shelved
from assistant.settings import load_settings

_ONE_LINE = 2_000


def list_documents(tenant: str, customer: str | None, *, results: bool) -> None:
    """Print a table of them, newest last. Raises ``AssistantError`` when the library cannot be opened."""
    set_up_logging("ERROR")
    listed = [one for one in asyncio.run(_listed(tenant, customer)) if results or one.kind != "result"]
    if not listed:
        typer.echo("There are no documents. Add some: assistant documents add PATH")
        return
    console = Console(highlight=False)
    # A program that reads it wants a line for each, however long.
    console.print(_table(listed), width=None if console.is_terminal else _ONE_LINE)


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


def _table(listed: Sequence[Shelved]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("reference", "title", "for", "kind", "passages", "kept until", "state", "read from"):
        table.add_column(name, overflow="fold", justify="right" if name == "passages" else "left")
    for one in listed:
        table.add_row(
            one.ref,
            one.title,
            one.customer or "everybody",
            one.kind,
            str(one.passages),
            _day(one.expires_ms),
            _state(one),
            one.origin.partition("#")[0],
        )
    return table


def _state(one: Shelved) -> str:
    if one.state == "waiting" and one.passages:
        return f"waiting ({one.done}/{one.passages})"
    return f"{one.state}: {one.problem}" if one.problem else one.state


def _day(at_ms: int | None) -> str:
    return "for good" if at_ms is None else f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d}"
