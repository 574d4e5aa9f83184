"""Conversations as they are played: a bar where somebody is looking."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from assistant.replay.suite import AsExpected, Result


@contextmanager
def played_shown(console: Console, files: int) -> Generator[Callable[[Result], None]]:
    """Gives what shows one more of so many ``files``. The bar is gone afterwards."""
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[different]} different"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar, different = progress.add_task("playing", total=files, different=0), 0

        def show(result: Result) -> None:
            nonlocal different
            different += not isinstance(result, AsExpected)
            progress.update(bar, advance=1, description=result.path.name, different=different)

        yield show
