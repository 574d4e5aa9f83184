"""The differences of two texts, as people read them, each of them told once."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

_CONTEXT = 1
"""So many lines that are the same stand around those that are not."""

Where: TypeAlias = tuple[str, int]
"""A conversation's name, and the turn."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines with ``-``, ``+`` or a blank before them, and where they stand."""

    lines: tuple[str, ...]
    where: tuple[Where, ...]


def changed(today: Sequence[str], edited: Sequence[str], context: int = 0) -> list[str]:
    """The lines that differ, ``-`` before today's and ``+`` before the edited ones.

    >>> changed(["Hello.", "Be brief."], ["Hello.", "Be very brief."])
    ['- Be brief.', '+ Be very brief.']
    """
    lines = list(difflib.unified_diff(today, edited, n=context, lineterm=""))[2:]
    hunks = [f"{line[0]} {line[1:]}".rstrip() if line[0] in "-+ " else "..." for line in lines]
    return hunks[1:]  # dots between two hunks, none before the first


def grouped(texts: Iterable[tuple[Where, str, str]]) -> list[Difference]:
    """The differences of each place's two texts; those that change the same lines are told once.

    In the order in which they first came. Around the lines stands what stood there in the first place.
    """
    shown: dict[tuple[str, ...], list[str]] = {}
    places: dict[tuple[str, ...], dict[Where, None]] = {}
    for where, today, edited in texts:
        before, after = today.splitlines(), edited.splitlines()
        key = tuple(changed(before, after))
        if key:
            shown.setdefault(key, changed(before, after, _CONTEXT))
            places.setdefault(key, {})[where] = None
    return [Difference(tuple(lines), tuple(places[key])) for key, lines in shown.items()]
