"""Puts new text in the place of old, also where the text comes in pieces."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """What stands from ``start`` to ``end`` becomes ``text``."""

    start: int
    end: int
    text: str


def rewritten(pieces: Sequence[str], spans: Sequence[Span]) -> list[str]:
    """The same pieces with the spans of their joined text replaced.

    A replacement stands in the piece in which what it replaces begins; so nothing comes earlier than it did.
    Pieces may become empty.

    Args:
        pieces: a text, cut anywhere.
        spans: in order, none of them over another.

    >>> rewritten(["Hello A", "na, hel", "lo"], [Span(6, 9, "Robin")])
    ['Hello Robin', ', hel', 'lo']
    """
    text = "".join(pieces)
    found: list[str] = []
    start = 0
    for piece in pieces:
        found.append(_between(text, start, start + len(piece), spans))
        start += len(piece)
    return found


def _between(text: str, start: int, end: int, spans: Sequence[Span]) -> str:
    parts: list[str] = []
    at = start
    for span in spans:
        if span.end <= start or span.start >= end:
            continue
        parts.append(text[at : max(at, span.start)])
        if span.start >= start:
            parts.append(span.text)
        at = min(span.end, end)
    parts.append(text[at:end])
    return "".join(parts)
