"""What is wrong with a declaration: where, what, and the cure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.errors import DeclarationError


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. ``where`` is ``file:line``; ``problem`` says what does not fit and what would."""

    where: str
    problem: str
    tool: str | None = None

    def __str__(self) -> str:
        """``file:line: tool 'x': what; cure``."""
        subject = f"tool {self.tool!r}: " if self.tool else ""
        return f"{self.where}: {subject}{self.problem}"


def declaration_error(mistakes: Sequence[Mistake]) -> DeclarationError:
    """All of them in one error, one a line, in the order of files and lines; each once."""
    return DeclarationError("\n".join(map(str, in_order(mistakes))))


def in_order(mistakes: Sequence[Mistake]) -> list[Mistake]:
    """In the order of files and lines, each once."""
    return sorted(dict.fromkeys(mistakes), key=_by_place)


def _by_place(mistake: Mistake) -> tuple[str, int]:
    file, _, line = mistake.where.rpartition(":")
    return file, int(line) if line.isdigit() else 0


def place(file: str | Path, line: int) -> str:
    """A place as one can click on it: relative to where the program was started, if it is below."""
    path = Path(file)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line}"
