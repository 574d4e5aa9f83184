"""Keeps the document library equal to the folder of the company's documents."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import structlog

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentInfo
from assistant.errors import AssistantError, DocumentRefused
from assistant.memory.file_reader import ReadFile
from assistant.ports import Clock
from assistant.prompts.folder import is_hidden
from assistant.settings import Settings
from assistant.shipped import own_or_shipped, shipped

KINDS: Final = frozenset((".md", ".markdown", ".txt", ".html", ".htm", ".pdf"))
"""The suffixes of document files."""

_FOR_EDITORS: Final = "readme"
_OURS: Final = "knowledge/"


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file: its path, its name in the folder, and its content when it was read."""

    path: Path
    name: str
    content: bytes

    @property
    def origin(self) -> str:
        """A hash of name and content. If it is the same, the file need not be read again."""
        return f"{_OURS}{self.name}#{hashlib.sha256(self.content).hexdigest()[:16]}"

    @property
    def ref(self) -> str:
        """The document's reference. It does not change when the file is edited."""
        return f"document:{hashlib.sha256(f'{_OURS}{self.name}'.encode()).hexdigest()[:24]}"


def name_of(listed: DocumentInfo) -> str | None:
    """The name of the file that a document was read from; None if it has another source.

    >>> from assistant.conversation.documents import DocumentInfo
    >>> where = {"ref": "r", "customer": "", "kind": "knowledge", "title": "", "mime": "", "passages": 0}
    >>> name_of(DocumentInfo(**where, characters=0, origin="knowledge/en/returns.md#0f3a"))
    'en/returns.md'
    """
    ours = listed.kind == "knowledge" and listed.origin.startswith(_OURS)
    return listed.origin.removeprefix(_OURS).rpartition("#")[0] if ours else None


def documents_in(folder: Path) -> Iterator[Path]:
    """The documents below a folder, sorted.

    Leaves out hidden files, files that begin with "_" and README files, because these are for editors.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        set_aside = path.stem.lower() == _FOR_EDITORS or any(part.startswith("_") for part in name.parts)
        if path.suffix.lower() in KINDS and not set_aside and not is_hidden(name) and path.is_file():
            yield path


_NAME = "knowledge"


def knowledge_folder(settings: Settings) -> Path:
    """The chosen folder, or ``knowledge`` in the current folder; it may not exist.

    The demo shop's pages are used only with its tools, so that another company's customers never read the
    demo's terms.
    """
    if settings.knowledge_dir is not None:
        return settings.knowledge_dir
    own, tools = Path(_NAME), own_or_shipped(settings.tools_dir, "tools")
    is_demo = tools.resolve() == shipped("tools").resolve()
    return shipped(_NAME) if is_demo and not own.is_dir() else own


log = structlog.get_logger(__name__)

_Stamps: TypeAlias = Mapping[Path, tuple[int, int]]


Read: TypeAlias = Callable[[str, bytes], Awaitable[ReadFile]]
"""Reads a file, given its name and content. Raises ``DocumentRefused``."""


class DocumentLibrary(Protocol):
    """What this module uses of the document library."""

    async def keep(self, document: Document) -> None:
        """Store a document and replace the one with its ``ref``."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> Sequence[DocumentInfo]:
        """All stored and queued documents."""
        ...

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document, stored or queued."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document permanently."""
        ...


class Knowledge:
    """Keeps the folder's documents in the library: new and edited files are stored, removed ones deleted.

    A file that has not changed since an earlier start is not read again, and neither is a file that another
    server has queued. A file that cannot be read is logged once, and its earlier version stays.

    Args:
        folder: may be missing for a while; then nothing changes.
        tenant: the tenant whose customers may all read it.
        library: stores the documents.
        read: reads a file.
        clock: gives the time of storing.
    """

    def __init__(self, folder: Path, tenant: str, library: DocumentLibrary, read: Read, clock: Clock) -> None:
        self.folder = folder
        self._tenant, self._library, self._read, self._clock = tenant, library, read, clock
        self._seen: _Stamps | None = None
        self._refused: set[str] = set()

    async def look(self) -> None:
        """Apply the changes since the last call. Raises ``StoreError`` if the library is not available."""
        if not self.folder.is_dir():
            return
        seen = await asyncio.to_thread(_stamps, self.folder)
        if seen == self._seen:
            return
        kept = {
            one.ref: one
            for one in await self._library.documents(self._tenant, ALL_CUSTOMERS)
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
        there = await self._library.load(self._tenant, ALL_CUSTOMERS, file.ref)
        if there is not None and there.origin == file.origin:
            return  # another server stored the same file first
        read = await self._text_of(file)
        if read is None:
            self._refused.add(file.origin)
            return
        await self._library.keep(
            Document(
                ref=file.ref,
                tenant=self._tenant,
                customer=ALL_CUSTOMERS,
                kind="knowledge",
                title=read.title,
                text=read.text,
                mime=read.mime,
                origin=file.origin,
                kept_ms=self._clock.now_ms(),
            )
        )
        log.info("document stored", document=str(file.path), title=read.title)

    async def _text_of(self, file: DocumentFile) -> ReadFile | None:
        try:
            return await self._read(file.path.name, file.content)
        except DocumentRefused as error:
            why = str(error)
        except Exception as error:
            # A file may make its reader fail in any way; that file is skipped, and the others are stored.
            why = f"{type(error).__name__} while it was read; is it whole?"
        log.warning("document left out; the others are stored", document=str(file.path), why=why)
        return None

    async def _forget(self, kept: Collection[DocumentInfo], there: Collection[str]) -> None:
        for one in kept:
            name = name_of(one)
            if name not in there:
                await self._library.delete(self._tenant, one.ref)
                log.info("document deleted with its file", document=name)


_FIRST_PAUSE_S = 10.0
_LONGEST_PAUSE_S = 600.0


async def look_once(knowledge: Knowledge, clock: Clock) -> None:
    """Read the folder once, and bring the document library up to date with it.

    If the database of the library does not answer, this is tried again until it works, after longer and longer
    pauses. The changes include those that were made while the server did not run.
    """
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            await knowledge.look()
        except AssistantError as error:
            log.error(
                "the company's documents were not updated",
                folder=str(knowledge.folder),
                why=str(error),
                again_in_s=pause_s,
            )
        else:
            return
        await clock.sleep(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


def _stamps(folder: Path) -> _Stamps:
    """The time of change and the size of each document: if they are unchanged, the files are not read."""
    stamps: dict[Path, tuple[int, int]] = {}
    for path in documents_in(folder):
        try:
            stat = path.stat()
        except FileNotFoundError:  # an editor is about to replace the file
            continue
        stamps[path] = stat.st_mtime_ns, stat.st_size
    return stamps


def _files(folder: Path, paths: Collection[Path]) -> list[DocumentFile]:
    files: list[DocumentFile] = []
    for path in paths:
        try:
            files.append(DocumentFile(path, path.relative_to(folder).as_posix(), path.read_bytes()))
        except OSError as error:
            log.warning("document left out; the others are stored", document=str(path), why=error.strerror)
    return files
