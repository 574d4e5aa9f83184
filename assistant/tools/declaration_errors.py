"""Mistakes in declarations of tools: the problem, the place, and how to correct it."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from assistant.errors import DeclarationError


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake. ``where`` is ``file:line``; ``problem`` says what is wrong and what would be right."""

    where: str
    problem: str
    tool: str | None = None

    def __str__(self) -> str:
        """Returns the mistake as ``file:line: tool 'x': problem; what would be right``."""
        subject = f"tool {self.tool!r}: " if self.tool else ""
        return f"{self.where}: {subject}{self.problem}"


def declaration_error(mistakes: Sequence[Mistake]) -> DeclarationError:
    """Returns one error with all mistakes, one on each line, sorted by file and line, each once."""
    return DeclarationError("\n".join(map(str, sorted_mistakes(mistakes))))


def sorted_mistakes(mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Returns the mistakes sorted by file and line, each once."""
    return sorted(dict.fromkeys(mistakes), key=_by_location)


def _by_location(mistake: Mistake) -> tuple[str, int]:
    file, _, line = mistake.where.rpartition(":")
    return file, int(line) if line.isdigit() else 0


def source_location(file: str | Path, line: int) -> str:
    """Returns a ``file:line`` that terminals can open, relative to the current folder if it is below it."""
    path = Path(file)
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line}"


def load_toml(file: Path, cure: str) -> tuple[str, dict[str, object]] | Mistake:
    """Returns the text of a file and its tables, or the mistake if it cannot be read.

    ``cure`` says how to write a setting.
    """

    def mistake(line: int, problem: str) -> Mistake:
        return Mistake(source_location(file, line), problem)

    if not (file.is_file() or file.is_dir()):
        return mistake(1, "not a regular file; put one in its place")
    try:
        source = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return mistake(1, f"not UTF-8 text ({error.reason}); save it as UTF-8")
    except OSError as error:
        return mistake(1, f"cannot be read: {error.strerror}; give the server leave to")
    try:
        return source, tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else source.count("\n") + 1
        return mistake(line, f"not valid TOML: {error}; {cure}")
    except RecursionError:
        return mistake(1, "not valid TOML: nested too deeply; write the inner part as a separate table")


Lines: TypeAlias = Mapping[tuple[str, ...], int]
"""The line of each key, by its path."""

_PART = r"""\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*"""
_HEADER = re.compile(rf"\s*\[\[?({_PART}(?:\.{_PART})*)\]")
_KEY = re.compile(rf"({_PART}(?:\.{_PART})*)=")
_NAME = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def toml_lines(source: str) -> Lines:
    """Returns the line numbers of a file's keys and tables, from 1.

    A value inside a line has the line's number.

    >>> toml_lines('''[tools.a]
    ... query = {b = 1}''')[("tools", "a", "query")]
    2
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(source.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _path(header[1])
            _note(lines, table, number)
        elif key := _KEY.match(line):
            _note(lines, table + _path(key[1]), number)
    return lines


def line_of(path: Sequence[str], lines: Lines) -> int:
    """Returns the line of a key, or of the nearest table around it, or 1 if the file has neither.

    >>> line_of(("tools", "a", "path"), {("tools", "a"): 7})
    7
    """
    for length in range(len(path), 0, -1):
        if found := lines.get(tuple(path[:length])):
            return found
    return 1


def _note(lines: dict[tuple[str, ...], int], path: tuple[str, ...], number: int) -> None:
    for length in range(1, len(path) + 1):
        lines.setdefault(path[:length], number)


def _path(written: str) -> tuple[str, ...]:
    return tuple("".join(found) for found in _NAME.findall(written))
