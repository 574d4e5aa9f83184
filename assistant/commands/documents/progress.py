"""How far adding documents has come: two bars where somebody is looking, else nothing but the end."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

Doing: TypeAlias = Literal["reading", "embedding"]


class Stage:
    """Takes what happens to the documents. ``progress`` None: nobody is looking."""

    def __init__(self, console: Console, documents: int, progress: Progress | None = None) -> None:
        self._console, self._progress = console, progress
        self._bars: dict[Doing, TaskID] = {}
        if progress is not None:
            self._bars["reading"] = progress.add_task("reading", total=documents, document="")
            self._bars["embedding"] = progress.add_task("embedding", total=documents, document="")

    def show(self, doing: Doing, document: str) -> None:
        """This is being done to this document now."""
        if self._progress is not None:
            self._progress.update(self._bars[doing], document=document)

    def step(self, doing: Doing) -> None:
        """One more document is done."""
        if self._progress is not None:
            self._progress.advance(self._bars[doing])

    def reach(self, doing: Doing, number: int) -> None:
        """So many documents are done."""
        if self._progress is not None:
            self._progress.update(self._bars[doing], completed=number)

    def begin(self, *, served: bool) -> None:
        """All are read, and now made findable: by the server, where there is one."""
        if served:
            self._console.print("A server has this data folder; it takes the documents up.")


@contextmanager
def progress_shown(console: Console, documents: int) -> Generator[Stage]:
    """The bars, which are gone afterwards."""
    if not console.is_terminal:
        yield Stage(console, documents)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[document]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield Stage(progress.console, documents, progress)
