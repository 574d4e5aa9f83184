"""Keeps the library at what the folder of the company's documents holds."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import structlog

from assistant.assembly.document_files import DocumentFile, documents_in, name_of
from assistant.conversation.documents import EVERYBODY, Document, Listed
from assistant.errors import AssistantError, DocumentRefused
from assistant.ports import Clock

log = structlog.get_logger(__name__)

_Stamps: TypeAlias = Mapping[Path, tuple[int, int]]


class Readable(Protocol):
    """What was read of a file."""

    @property
    def title(self) -> str:
        """What an answer names as its source."""
        ...

    @property
    def text(self) -> str:
        """All of it."""
        ...

    @property
    def mime(self) -> str:
        """The kind of file that it was."""
        ...


Read: TypeAlias = Callable[[str, bytes], Awaitable[Readable]]
"""Reads a file, given its name and content. Raises ``DocumentRefused``."""


class Shelves(Protocol):
    """What is asked of the library."""

    async def keep(self, document: Document) -> None:
        """Keep a document, in the place of the one with its ``ref``."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> Sequence[Listed]:
        """What is kept, or is about to be."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document for good."""
        ...


class Knowledge:
    """The folder's documents in the library: new and edited files are kept, removed ones deleted.

    What stands there unchanged since an earlier start is not read again. A file that cannot be read is told in the
    log, once, and what was kept of it before stays.

    Args:
        folder: may be missing for a while; then nothing changes.
        tenant: whose customers may all read it.
        library: where documents are kept.
        read: reads a file.
        clock: says when it was kept.
    """

    def __init__(self, folder: Path, tenant: str, library: Shelves, read: Read, clock: Clock) -> None:
        self.folder = folder
        self._tenant, self._library, self._read, self._clock = tenant, library, read, clock
        self._seen: _Stamps | None = None
        self._refused: set[str] = set()

    async def look(self) -> None:
        """Take up what has changed since the last time. Raises ``StoreError`` when the library does not answer."""
        if not self.folder.is_dir():
            return
        seen = await asyncio.to_thread(_stamps, self.folder)
        if seen == self._seen:
            return
        kept = {
            one.ref: one
            for one in await self._library.documents(self._tenant, EVERYBODY)
            if name_of(one) is not None
        }
        for file in await asyncio.to_thread(_files, self.folder, seen):
            if file.ref not in kept or kept[file.ref].origin != file.origin:
                await self._take(file)
        await self._forget(kept.values(), {path.relative_to(self.folder).as_posix() for path in seen})
        self._seen = seen

    async def _take(self, file: DocumentFile) -> None:
        if file.origin in self._refused:
            return
        read = await self._text_of(file)
        if read is None:
            self._refused.add(file.origin)
            return
        await self._library.keep(
            Document(
                ref=file.ref,
                tenant=self._tenant,
                customer=EVERYBODY,
                kind="knowledge",
                title=read.title,
                text=read.text,
                mime=read.mime,
                origin=file.origin,
                kept_ms=self._clock.now_ms(),
            )
        )
        log.info("document taken up", document=str(file.path), title=read.title)

    async def _text_of(self, file: DocumentFile) -> Readable | None:
        try:
            return await self._read(file.path.name, file.content)
        except DocumentRefused as error:
            why = str(error)
        except Exception as error:
            # A file may break its reader in any way; that one is not taken up, and the others are.
            why = f"{type(error).__name__} while it was read; is it whole?"
        log.warning("document left out, the others go on", document=str(file.path), why=why)
        return None

    async def _forget(self, kept: Collection[Listed], there: Collection[str]) -> None:
        for one in kept:
            name = name_of(one)
            if name not in there:
                await self._library.delete(self._tenant, one.ref)
                log.info("document deleted with its file", document=name)


async def look_once(knowledge: Knowledge) -> None:
    """Take up what has changed since the last start; where the library does not answer, the log says so."""
    try:
        await knowledge.look()
    except AssistantError as error:
        log.error("the company's documents were not taken up", folder=str(knowledge.folder), why=str(error))


def _stamps(folder: Path) -> _Stamps:
    """When each document was written, and its size: most looks find nothing new, and then read nothing."""
    stamps: dict[Path, tuple[int, int]] = {}
    for path in documents_in(folder):
        try:
            stat = path.stat()
        except FileNotFoundError:  # an editor is about to put another in its place
            continue
        stamps[path] = stat.st_mtime_ns, stat.st_size
    return stamps


def _files(folder: Path, paths: Collection[Path]) -> list[DocumentFile]:
    files: list[DocumentFile] = []
    for path in paths:
        try:
            files.append(DocumentFile(path, path.relative_to(folder).as_posix(), path.read_bytes()))
        except OSError as error:
            log.warning("document left out, the others go on", document=str(path), why=error.strerror)
    return files
