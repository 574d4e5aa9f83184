"""Adds documents: reads the files, hands them to the library, and waits until they can be found."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import typer
from rich.console import Console

from assistant.clock import SystemClock
from assistant.commands.documents.expiry import expiry
from assistant.commands.documents.files import Refused, Taken, Text, files_at, read_file
from assistant.commands.documents.open import Open, opened
from assistant.commands.documents.progress import Stage, progress_shown
from assistant.commands.logging import set_up_logging
from assistant.conversation.documents import EVERYBODY, Document
from assistant.memory.file_reader import read_file as read
from assistant.ports import Clock
from assistant.settings import Settings, load_settings

_LOOK_EVERY_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for. ``customer`` "" is everybody; ``title`` and ``expires`` may be ""."""

    paths: tuple[Path, ...]
    customer: str = EVERYBODY
    title: str = ""
    expires: str = ""
    tenant: str = ""


def add(wishes: Wishes) -> int:
    """Add the files; gives the exit code, 1 when any was refused.

    Raises:
        typer.BadParameter: ``expires`` is no time to come, or a title is for several files.
        AssistantError: the library cannot be opened.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    expires_ms = expiry(wishes.expires, clock)
    files = files_at(wishes.paths)
    if wishes.title and len(files) > 1:
        raise typer.BadParameter(f"goes with one file, and these are {len(files)}", param_hint="--title")
    console = Console(highlight=False)
    with progress_shown(console, len(files)) as stage:
        added = asyncio.run(_add(files, wishes, expires_ms, settings, clock, stage))
    return added.say(console, Console(stderr=True, highlight=False))


@dataclass(frozen=True, slots=True)
class _Added:
    """What came of it: ``failed`` has the problem of each document that could not be taken up, by reference."""

    documents: Sequence[Document]
    refused: Sequence[Refused]
    failed: Mapping[str, str]

    def say(self, console: Console, errors: Console) -> int:
        """A line for each file, what was not added to ``errors``; gives the exit code."""
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
    files: Sequence[Path | Refused],
    wishes: Wishes,
    expires_ms: int | None,
    settings: Settings,
    clock: Clock,
    stage: Stage,
) -> _Added:
    taken = [await _taken(file, settings, clock, stage) for file in files]
    documents = [_document(one, wishes, clock, expires_ms) for one in taken if isinstance(one, Text)]
    failed = await _keep(documents, settings, clock, stage) if documents else {}
    return _Added(documents, [one for one in taken if isinstance(one, Refused)], failed)


async def _taken(file: Path | Refused, settings: Settings, clock: Clock, stage: Stage) -> Taken:
    stage.show("reading", (file.path if isinstance(file, Refused) else file).name)
    taken = file
    if not isinstance(taken, Refused):
        taken = await read_file(taken, partial(read, clock=clock), settings.upload_bytes)
    stage.step("reading")
    return taken


def _document(file: Text, wishes: Wishes, clock: Clock, expires_ms: int | None) -> Document:
    return Document(
        ref=file.ref(wishes.customer),
        tenant=wishes.tenant,
        customer=wishes.customer,
        kind="upload" if wishes.customer else "knowledge",
        title=wishes.title or file.read.title,
        text=file.read.text,
        mime=file.read.mime,
        origin=file.origin,
        kept_ms=clock.now_ms(),
        expires_ms=expires_ms,
    )


async def _keep(
    documents: Sequence[Document], settings: Settings, clock: Clock, stage: Stage
) -> dict[str, str]:
    """Hand them over, and wait for them; gives what is wrong with those that failed, by reference."""
    async with opened(settings, clock, writes=True) as at:
        stage.begin(served=at.served)
        for document in documents:
            await at.library.keep(document)
        return await _waited_for(at, documents, clock, stage)


async def _waited_for(at: Open, documents: Sequence[Document], clock: Clock, stage: Stage) -> dict[str, str]:
    """Until none waits any more, whoever writes them: it stands in the queue how far they have come."""
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
