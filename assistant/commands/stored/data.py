"""``assistant data copy``: move an installation from its data folder to a database."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from assistant.commands.logging import set_up_logging
from assistant.settings import Settings
from assistant.settings_sources import load_installation
from assistant.store.copying.copy import CopyReport, copy_installation

_SHOWN_DIGITS = 16


def copy(to: str | None) -> int:
    """Copy everything, and print a table of the result; returns the exit code: 1 if something differs.

    Args:
        to: the database's address; None: the address in ASSISTANT_DATABASE.

    Raises:
        typer.BadParameter: no database is named.
        AssistantError: the folder or the database cannot be used.
    """
    set_up_logging("ERROR")
    settings = load_installation()
    setting = "--to"
    if to is None:
        if settings.database is None:
            raise typer.BadParameter("name the database, here or in ASSISTANT_DATABASE", param_hint="--to")
        to, setting = settings.database.get_secret_value(), "ASSISTANT_DATABASE"
    console = Console(highlight=False, markup=False, emoji=False)
    report = asyncio.run(_copied(settings, to, setting, console))
    console.print(_table(report))
    console.print(_verdict(settings, report), soft_wrap=True)
    return 0 if report.equal else 1


async def _copied(settings: Settings, to: str, setting: str, console: Console) -> CopyReport:
    with copy_progress(console) as progress:
        return await copy_installation(
            settings.data_dir,
            to,
            setting,
            documents=settings.document_store == "embedded",
            progress=progress,
        )


def _table(report: CopyReport) -> Table:
    table = Table("table", box=None, pad_edge=False)
    for heading in ("data folder", "database"):
        table.add_column(heading, justify="right")
    for heading in ("SHA-256 of the folder's rows", "of the database's rows", ""):
        table.add_column(heading)
    for one in report.tables:
        sums = (one.source.sha256[:_SHOWN_DIGITS], one.target.sha256[:_SHOWN_DIGITS])
        table.add_row(
            one.table, str(one.source.rows), str(one.target.rows), *sums, "" if one.equal else "DIFFERENT"
        )
    return table


def _verdict(settings: Settings, report: CopyReport) -> str:
    if report.equal:
        stay = (
            ""
            if settings.document_store == "embedded"
            else " The documents stay in ASSISTANT_DOCUMENT_STORE."
        )
        done = (
            "Everything is copied" if report.copied else "Everything was copied before; nothing has changed"
        )
        return (
            f"{done}. Set ASSISTANT_DATABASE to this database and start your servers.{stay}"
            " The data folder keeps all of it."
        )
    if report.copied:
        return (
            "The copy is not complete, and no server will start on it: drop the schema meanwhile in the database,"
            " and copy again."
        )
    return "A copy was finished before, and data have changed since. Nothing was copied."


@contextmanager
def copy_progress(console: Console) -> Generator[Callable[[int, int], None] | None]:
    """A bar in a terminal; None elsewhere."""
    if not console.is_terminal:
        yield None
        return
    columns = TextColumn("copying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("copying", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
