"""``assistant documents``: adds, lists, removes and searches the documents for answers."""

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Literal, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from assistant.assembly.knowledge_folder import KINDS, Read, documents_in
from assistant.assembly.library import library_in
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.conversation.documents import ALL_CUSTOMERS, Document, Finding, place_of
from assistant.errors import DocumentRefused
from assistant.ids import SystemIds
from assistant.memory.file_reader import ReadFile, read_file
from assistant.memory.library import Library, LibraryDocument
from assistant.memory.retrieval_tools import SCORE_THRESHOLD, above_threshold
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.store.storage import Storage, StorageInUse
from assistant.tenants import load_settings


@dataclass(frozen=True, slots=True)
class OpenedLibrary:
    """The library. ``served``: a server uses the data folder, and writes queued documents."""

    library: Library
    served: bool


@asynccontextmanager
async def open_library(
    settings: Settings, clock: Clock, *, writes: bool = False
) -> AsyncGenerator[OpenedLibrary]:
    """The library of the data folder, which is created if it does not exist.

    With ``writes``, this process writes queued documents, unless a server does; no server can start meanwhile.
    Raises ``DeclarationError`` if the folder or a setting cannot be used.
    """
    async with AsyncExitStack() as in_the_end:

        async def opened(*, exclusive: bool) -> Storage:
            return await in_the_end.enter_async_context(
                open_storage(settings, clock, SystemIds(), exclusive=exclusive)
            )

        alone = writes
        try:
            storage = await opened(exclusive=writes)
        except StorageInUse:
            storage, alone = await opened(exclusive=False), False
        library = await in_the_end.enter_async_context(library_in(settings, storage, clock))
        if alone:
            library.start()
        yield OpenedLibrary(library, served=writes and not alone)


_DAYS = re.compile(r"(\d{1,5})d")


def parse_expiry(said: str, clock: Clock) -> int | None:
    """The time in Unix milliseconds; None for "". A day means its beginning, in the local time zone.

    Raises ``typer.BadParameter`` if it is no valid time, or in the past.
    """
    if not said:
        return None
    at = _moment(said, clock.now())
    if at is None:
        raise typer.BadParameter(
            f"{said!r} is no day; write one such as {clock.now().year + 1}-01-31, or days from now such as 90d",
            param_hint="--expires",
        )
    if at <= clock.now():
        raise typer.BadParameter(f"{said} is past already", param_hint="--expires")
    return int(at.timestamp() * 1000)


def _moment(said: str, now: datetime) -> datetime | None:
    if days := _DAYS.fullmatch(said):
        return now + timedelta(days=int(days[1]))
    try:
        day = date.fromisoformat(said)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file that is not added: ``why`` says the reason and what is allowed."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A file that was read. ``ref`` is the same each time it is read for the same ``customer``."""

    path: Path
    read: ReadFile

    def ref(self, customer: str) -> str:
        """The document's reference in the library."""
        named = hashlib.sha256(f"{customer}\0{self.origin}".encode())
        return f"document:{named.hexdigest()[:24]}"

    @property
    def origin(self) -> str:
        """The path from which it was read."""
        return str(self.path.resolve())


FileResult: TypeAlias = ReadDocument | RefusedFile


def files_at(paths: Sequence[Path]) -> list[Path | RefusedFile]:
    """The files at these paths, each once and in order; for a folder, all documents in it."""
    found: dict[Path, Path | RefusedFile] = {}
    for path in paths:
        for one in _at(path):
            found.setdefault(one.path if isinstance(one, RefusedFile) else one, one)
    return list(found.values())


def _at(path: Path) -> Iterator[Path | RefusedFile]:
    kinds = ", ".join(sorted(KINDS))
    if path.is_dir():
        inside = list(documents_in(path))
        yield from inside
        if not inside:
            yield RefusedFile(path, f"there is no document in this folder; these are read: {kinds}")
    elif not path.exists():
        yield RefusedFile(path, "there is no such file")
    elif path.suffix.lower() not in KINDS:
        yield RefusedFile(path, f"files like this cannot be read; these can: {kinds}")
    else:
        yield path


async def read_document(path: Path, read: Read, most_bytes: int) -> FileResult:
    """Read one file of any kind."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return RefusedFile(path, f"cannot be opened: {error.strerror}")
    if len(content) > most_bytes:
        return RefusedFile(
            path, f"has {len(content)} bytes; at most {most_bytes} are taken (ASSISTANT_MAX_UPLOAD_BYTES)"
        )
    try:
        text = await read(path.name, content)
    except DocumentRefused as error:
        return RefusedFile(path, str(error))
    except Exception as error:
        # A file may make its reader fail in any way; the other files are still read.
        return RefusedFile(path, f"{type(error).__name__} while it was read; is it whole?")
    return (
        ReadDocument(path, text)
        if text.text.strip()
        else RefusedFile(path, "there is no text in it; scanned pages cannot be read")
    )


Doing: TypeAlias = Literal["reading", "embedding"]


class AddProgress:
    """Shows the progress of documents. With ``progress`` None no bars are shown."""

    def __init__(self, console: Console, documents: int, progress: Progress | None = None) -> None:
        self._console, self._progress = console, progress
        self._bars: dict[Doing, TaskID] = {}
        if progress is not None:
            self._bars["reading"] = progress.add_task("reading", total=documents, document="")
            self._bars["embedding"] = progress.add_task("embedding", total=documents, document="")

    def show(self, doing: Doing, document: str) -> None:
        """Show the current step of this document."""
        if self._progress is not None:
            self._progress.update(self._bars[doing], document=document)

    def step(self, doing: Doing) -> None:
        """Count one more document as done."""
        if self._progress is not None:
            self._progress.advance(self._bars[doing])

    def reach(self, doing: Doing, number: int) -> None:
        """Set the number of documents that are done."""
        if self._progress is not None:
            self._progress.update(self._bars[doing], completed=number)

    def begin(self, *, served: bool) -> None:
        """All files are read; now they are indexed, by the server if there is one."""
        if served:
            self._console.print("A server has this data folder; it takes the documents up.")


@contextmanager
def add_progress(console: Console, documents: int) -> Generator[AddProgress]:
    """Progress bars, which are removed at the end."""
    if not console.is_terminal:
        yield AddProgress(console, documents)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[document]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        yield AddProgress(progress.console, documents, progress)


_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOptions:
    """The options of the command. ``customer`` "" means all customers; ``title`` and ``expires`` may be ""."""

    paths: tuple[Path, ...]
    customer: str = ALL_CUSTOMERS
    title: str = ""
    expires: str = ""
    tenant: str = ""


def add(options: AddOptions) -> int:
    """Add the files; returns the exit code, 1 if any was refused.

    Raises:
        AssistantError: the library cannot be opened.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    expires_ms = parse_expiry(options.expires, clock)
    files = files_at(options.paths)
    if options.title and len(files) > 1:
        raise typer.BadParameter(f"goes with one file, and these are {len(files)}", param_hint="--title")
    console = Console(highlight=False)
    with add_progress(console, len(files)) as stage:
        added = asyncio.run(_add(files, options, expires_ms, settings, clock, stage))
    return added.say(console, Console(stderr=True, highlight=False))


@dataclass(frozen=True, slots=True)
class _Added:
    """The result: ``failed`` has the problem of each document that could not be stored, by reference."""

    documents: Sequence[Document]
    refused: Sequence[RefusedFile]
    failed: Mapping[str, str]

    def say(self, console: Console, errors: Console) -> int:
        """Print a line for each file, with refused files on ``errors``; returns the exit code."""
        for one in self.documents:
            if one.ref not in self.failed:
                console.print(f"{one.title}  ({one.ref}, {len(one.text)} characters)", markup=False)
        problems = [f"{one.path}: {one.why}" for one in self.refused]
        problems += [
            f"{one.origin}: {self.failed[one.ref]}" for one in self.documents if one.ref in self.failed
        ]
        for problem in problems:
            errors.print(f"not added: {problem}", markup=False, style="red")
        console.print(f"{len(self.documents) - len(self.failed)} added, {len(problems)} refused.")
        return 1 if problems else 0


async def _add(
    files: Sequence[Path | RefusedFile],
    options: AddOptions,
    expires_ms: int | None,
    settings: Settings,
    clock: Clock,
    stage: AddProgress,
) -> _Added:
    taken = [await _taken(file, settings, clock, stage) for file in files]
    documents = [_document(one, options, clock, expires_ms) for one in taken if isinstance(one, ReadDocument)]
    failed = await _keep(documents, settings, clock, stage) if documents else {}
    return _Added(documents, [one for one in taken if isinstance(one, RefusedFile)], failed)


async def _taken(
    file: Path | RefusedFile, settings: Settings, clock: Clock, stage: AddProgress
) -> FileResult:
    stage.show("reading", (file.path if isinstance(file, RefusedFile) else file).name)
    taken = file
    if not isinstance(taken, RefusedFile):
        taken = await read_document(taken, partial(read_file, clock=clock), settings.max_upload_bytes)
    stage.step("reading")
    return taken


def _document(file: ReadDocument, options: AddOptions, clock: Clock, expires_ms: int | None) -> Document:
    return Document(
        ref=file.ref(options.customer),
        tenant=options.tenant,
        customer=options.customer,
        kind="upload" if options.customer else "knowledge",
        title=options.title or file.read.title,
        text=file.read.text,
        mime=file.read.mime,
        origin=file.origin,
        kept_ms=clock.now_ms(),
        expires_ms=expires_ms,
    )


async def _keep(
    documents: Sequence[Document], settings: Settings, clock: Clock, stage: AddProgress
) -> dict[str, str]:
    """Store the documents, and wait for them; returns the problem of each that failed, by reference."""
    async with open_library(settings, clock, writes=True) as at:
        stage.begin(served=at.served)
        for document in documents:
            await at.library.keep(document)
        return await _waited_for(at, documents, clock, stage)


async def _waited_for(
    at: OpenedLibrary, documents: Sequence[Document], clock: Clock, stage: AddProgress
) -> dict[str, str]:
    """Wait until this process or a server has written all documents; the queue shows the progress."""
    refs = {document.ref for document in documents}
    while True:
        mine = [one for one in await at.library.documents(documents[0].tenant) if one.ref in refs]
        waiting = [one for one in mine if one.state == "waiting"]
        if waiting:
            stage.show("embedding", waiting[0].title)
        stage.reach("embedding", len(refs) - len(waiting))
        if not waiting:
            return {one.ref: one.problem for one in mine if one.state == "failed"}
        await clock.sleep(_LOOK_EVERY_S)


def list_documents(tenant: str, customer: str | None, *, results: bool) -> None:
    """Print two lines for each document, newest last. Raises ``AssistantError`` if the library cannot be
    opened.
    """
    set_up_logging("ERROR")
    listed = [one for one in asyncio.run(_listed(tenant, customer)) if results or one.kind != "result"]
    if not listed:
        typer.echo("There are no documents. Add some: assistant documents add PATH")
        return
    for one in listed:
        typer.echo(f"{one.ref}  {one.title}")
        typer.echo(f"    {', '.join(_about(one))}")


def remove(tenant: str, ref: str) -> int:
    """Delete a document; returns the exit code, 1 if it does not exist."""
    set_up_logging("ERROR")
    if asyncio.run(_removed(tenant, ref)):
        typer.echo(f"Deleted {ref}.")
        return 0
    typer.echo(
        f"There is no document {ref!r}; `assistant documents list` shows those that there are.", err=True
    )
    return 1


async def _listed(tenant: str, customer: str | None) -> list[LibraryDocument]:
    settings = load_settings()
    async with open_library(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.documents(tenant, customer)


async def _removed(tenant: str, ref: str) -> bool:
    settings = load_settings()
    async with open_library(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.delete(tenant, ref)


def _about(one: LibraryDocument) -> Iterator[str]:
    """The details of a document: for which customer, how long, until when, where from, in which state."""
    yield one.kind
    yield f"for {one.customer or 'all customers'}"
    yield f"{one.passages} passage{'' if one.passages == 1 else 's'}"
    yield _state(one)
    yield _day(one.expires_ms)
    if one.origin:
        yield f"from {one.origin.partition('#')[0]}"


def _state(one: LibraryDocument) -> str:
    if one.state == "waiting" and one.passages:
        return f"waiting ({one.done}/{one.passages})"
    return f"{one.state}: {one.problem}" if one.problem else one.state


def _day(at_ms: int | None) -> str:
    return "permanently" if at_ms is None else f"until {datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d}"


_INDENT = " " * 6


def search(tenant: str, customer: str, question: str) -> None:
    """Print the nearest passages with their scores; those below the threshold are dimmed.

    Raises ``AssistantError`` if the library cannot be opened or is not available.
    """
    set_up_logging("ERROR")
    findings = asyncio.run(_found(tenant, customer, question))
    console = Console(highlight=False)
    enough = above_threshold(findings)
    for finding in findings:
        style = "" if finding in enough else "dim"
        where = ", ".join(filter(None, (finding.title, place_of(finding))))
        console.print(f"{finding.score:.2f}  {where}  ({finding.ref})", markup=False, style=style or "bold")
        console.print(_shown(finding.passage.text, console.width), markup=False, style=style)
    said = f"{len(enough)} of these {len(findings)} passages are near enough ({SCORE_THRESHOLD} and more)"
    console.print(f"{said} to be shown to the model." if findings else "There is nothing to be found.")


def _shown(text: str, width: int) -> str:
    """A passage, indented and wrapped again; its paragraphs stay."""
    paragraphs = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    return "\n".join(
        fill(part, max(width - 1, 40), initial_indent=_INDENT, subsequent_indent=_INDENT)
        for part in paragraphs
    )


async def _found(tenant: str, customer: str, question: str) -> list[Finding]:
    settings = load_settings()
    async with open_library(settings, SystemClock(settings.time_zone, settings.now)) as at:
        return await at.library.search(tenant, customer, question)
