"""Finds the line of a TOML file on which something is set."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import cast

_HEADER = re.compile(r"\s*\[\[?\s*(?P<path>[^\[\]]+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*(?P<path>[\w\-.\"' ]+?)\s*=")


def line_of(path: Sequence[str], source: str) -> int:
    r"""The line of the innermost key of ``path`` that is written there; 1 when none of them is.

    >>> line_of(["servers", "crm", "timeout_s"], "[servers.crm]\ncommand = 'a'\ntimeout_s = -1")
    3
    >>> line_of(["servers", "crm", "comand"], "[servers.shop]\nurl = ''\n[servers.crm]")
    3
    """
    wanted = tuple(path)
    places = dict(_places(source))
    for end in range(len(wanted), 0, -1):
        if wanted[:end] in places:
            return places[wanted[:end]]
    return 1


def _places(source: str) -> Iterator[tuple[tuple[str, ...], int]]:
    """Each table and key with its line, from the last to the first: what is met first counts."""
    table: tuple[str, ...] = ()
    found: list[tuple[tuple[str, ...], int]] = []
    for number, line in enumerate(source.splitlines(), start=1):
        if header := _HEADER.fullmatch(line):
            table = _parts(header["path"])
            found += [(table[:end], number) for end in range(1, len(table) + 1)]
        elif key := _KEY.match(line):
            found.append(((*table, *_parts(key["path"])), number))
    yield from reversed(found)


def _parts(written: str) -> tuple[str, ...]:
    """The names of a dotted key, without their quotes."""
    try:
        inner: object = tomllib.loads(f"{written} = 0")
    except tomllib.TOMLDecodeError:
        return (written,)
    names: list[str] = []
    while isinstance(inner, dict):
        name, inner = next(iter(cast("dict[str, object]", inner).items()))
        names.append(name)
    return tuple(names)
