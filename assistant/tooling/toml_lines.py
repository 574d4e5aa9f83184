"""Where each key of a TOML file stands, for those who have to mend it."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Lines: TypeAlias = Mapping[tuple[str, ...], int]
"""The line of each key, by the way to it."""

_PART = r"""\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*"""
_HEADER = re.compile(rf"\s*\[\[?({_PART}(?:\.{_PART})*)\]")
_KEY = re.compile(rf"({_PART}(?:\.{_PART})*)=")
_NAME = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def toml_lines(source: str) -> Lines:
    """The lines of a file's keys and tables, from 1; what stands within a line has that line.

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
    """The line of a key, or of the nearest thing around it; the file's first without any.

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
