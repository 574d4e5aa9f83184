"""The files of a folder that are documents for customers."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.conversation.documents import Listed
from assistant.prompts.folder import is_hidden

KINDS: Final = frozenset((".md", ".markdown", ".txt", ".html", ".htm", ".pdf"))
"""The endings of files that are documents."""

_FOR_EDITORS: Final = "readme"
_OURS: Final = "knowledge/"


@dataclass(frozen=True, slots=True)
class DocumentFile:
    """A file by its path, and by its name in the folder, as it stood when it was read."""

    path: Path
    name: str
    content: bytes

    @property
    def origin(self) -> str:
        """The name and the content: as long as both are the same, the file need not be read again."""
        return f"{_OURS}{self.name}#{hashlib.sha256(self.content).hexdigest()[:16]}"

    @property
    def ref(self) -> str:
        """The same however often the file is edited, so that what was found in it once leads to it."""
        return f"document:{hashlib.sha256(f'{_OURS}{self.name}'.encode()).hexdigest()[:24]}"


def name_of(listed: Listed) -> str | None:
    """The name of the file that a document was read from; None where it came from elsewhere.

    >>> from assistant.conversation.documents import Listed
    >>> where = {"ref": "r", "customer": "", "kind": "knowledge", "title": "", "mime": "", "passages": 0}
    >>> name_of(Listed(**where, characters=0, origin="knowledge/en/returns.md#0f3a"))
    'en/returns.md'
    """
    ours = listed.kind == "knowledge" and listed.origin.startswith(_OURS)
    return listed.origin.removeprefix(_OURS).rpartition("#")[0] if ours else None


def documents_in(folder: Path) -> Iterator[Path]:
    """The documents below a folder, sorted.

    What is hidden, begins with "_" or is called README is for whoever edits the others.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        set_aside = path.stem.lower() == _FOR_EDITORS or any(part.startswith("_") for part in name.parts)
        if path.suffix.lower() in KINDS and not set_aside and not is_hidden(name) and path.is_file():
            yield path
