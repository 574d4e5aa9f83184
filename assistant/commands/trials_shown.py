"""Trials as they come in: a bar where somebody is looking, else a line for each."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.evaluation.row import Row


@contextmanager
def trials_shown(console: Console, trials: int) -> Generator[Callable[[Row], None]]:
    """Gives what shows one more row of so many ``trials``. The bar is gone afterwards."""
    if not console.is_terminal:
        yield _lines(console, trials)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} failed"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar, failed = progress.add_task("trials", total=trials, failed=0), 0

        def show(row: Row) -> None:
            nonlocal failed
            failed += row.judged and not row.passed
            progress.update(bar, advance=1, description=row.task, failed=failed)

        yield show


def _lines(console: Console, trials: int) -> Callable[[Row], None]:
    number = 0

    def show(row: Row) -> None:
        nonlocal number
        number += 1
        console.print(f"[{number}/{trials}] {row.task} #{row.trial}: {_how(row)}")

    return show


def _how(row: Row) -> str:
    if not row.judged:
        return "not judged"
    return "passed" if row.passed else "FAILED" if row.broke is None else "BROKE"
