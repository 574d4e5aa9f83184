"""The contents of sections while a text is read: what stands where goes to the section that is open there."""

from dataclasses import dataclass, field

from assistant.sections.escape import unescape
from assistant.sections.fences import without_fence


@dataclass(slots=True)
class _Piece:
    name: str
    texts: list[str] = field(default_factory=list[str])
    holds_others: bool = False


class Pieces:
    """Gathers contents. What comes before the first section, or between two, is dropped."""

    def __init__(self) -> None:
        self._all: list[_Piece] = []
        self._open: list[_Piece] = []

    @property
    def is_open(self) -> bool:
        """Whether a section is open."""
        return bool(self._open)

    def open(self, name: str, *, within: bool = False) -> None:
        """A section opens: within the one that is open, or after its end."""
        piece = _Piece(name)
        if within and self._open:
            self._open[-1].holds_others = True
        elif not within:
            self._open.clear()
        self._open.append(piece)
        self._all.append(piece)

    def close(self, name: str) -> None:
        """A section closes, and with it what was opened within; nothing does where none of that name is open."""
        for place in range(len(self._open) - 1, -1, -1):
            if self._open[place].name == name:
                del self._open[place:]
                return

    def add(self, text: str) -> None:
        """Some content."""
        if self._open:
            self._open[-1].texts.append(text)

    def contents(self) -> dict[str, list[str]]:
        """Everything gathered, unescaped. A section in which only others stand has no content of its own."""
        found: dict[str, list[str]] = {}
        for piece in self._all:
            content = without_fence("".join(piece.texts))
            if content or not piece.holds_others:
                found.setdefault(piece.name, []).append(unescape(content))
        return found
