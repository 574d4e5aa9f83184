"""The files that somebody wants to add, each read or refused."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assistant.assembly.knowledge_folder import KINDS, Read, Readable, documents_in
from assistant.errors import DocumentRefused


@dataclass(frozen=True, slots=True)
class Refused:
    """A file that is not added: ``why``, and what would do."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Text:
    """A file that was read. ``ref`` is the same whenever it is read, for the same ``customer``."""

    path: Path
    read: Readable

    def ref(self, customer: str) -> str:
        """Its name in the library."""
        named = hashlib.sha256(f"{customer}\0{self.origin}".encode())
        return f"document:{named.hexdigest()[:24]}"

    @property
    def origin(self) -> str:
        """Where it was read."""
        return str(self.path.resolve())


Taken: TypeAlias = Text | Refused


def files_at(paths: Sequence[Path]) -> list[Path | Refused]:
    """The files that these paths name, each once and in order; of a folder all that are documents."""
    found: dict[Path, Path | Refused] = {}
    for path in paths:
        for one in _at(path):
            found.setdefault(one.path if isinstance(one, Refused) else one, one)
    return list(found.values())


def _at(path: Path) -> Iterator[Path | Refused]:
    kinds = ", ".join(sorted(KINDS))
    if path.is_dir():
        inside = list(documents_in(path))
        yield from inside
        if not inside:
            yield Refused(path, f"there is no document in this folder; these are read: {kinds}")
    elif not path.exists():
        yield Refused(path, "there is no such file")
    elif path.suffix.lower() not in KINDS:
        yield Refused(path, f"files like this cannot be read; these can: {kinds}")
    else:
        yield path


async def read_file(path: Path, read: Read, most_bytes: int) -> Taken:
    """Read one file, whatever is in it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        return Refused(path, f"cannot be opened: {error.strerror}")
    if len(content) > most_bytes:
        return Refused(
            path, f"has {len(content)} bytes; at most {most_bytes} are taken (ASSISTANT_UPLOAD_BYTES)"
        )
    try:
        text = await read(path.name, content)
    except DocumentRefused as error:
        return Refused(path, str(error))
    except Exception as error:
        # A file may break its reader in any way, and the others are still to be read.
        return Refused(path, f"{type(error).__name__} while it was read; is it whole?")
    return (
        Text(path, text)
        if text.text.strip()
        else Refused(path, "there is no text in it; scanned pages cannot be read")
    )
