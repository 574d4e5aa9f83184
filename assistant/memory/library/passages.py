"""Cuts a document into passages, each small enough to have one meaning."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import Final

from assistant.conversation.documents import Document, DocumentKind, Passage
from assistant.memory.library.data import data
from assistant.memory.library.pack import DATA, PROSE, pack
from assistant.memory.library.prose import prose

MOST: Final[Mapping[DocumentKind, int]] = {"result": 200, "upload": 1_000, "knowledge": 2_000}
"""How many passages of one document can be found: each takes some 70 ms to be embedded on this machine."""

_STRETCHES = 20
_JSON = "application/json"
_WITH_HEADINGS = ("text/markdown", "text/html")


def passages(document: Document) -> tuple[Passage, ...]:
    """The passages in order, with no vectors yet; pure.

    ``document.text[start:end]`` is a passage's text to the letter. Of a document that would have more than
    ``MOST``, so many are taken, spread evenly from its beginning to its end; its text stays whole, and can be
    loaded in full.
    """
    most = MOST[document.kind]
    every = tuple(_every(document, most * PROSE))
    if len(every) <= most:
        return every
    chosen = (every[index * (len(every) - 1) // (most - 1)] for index in range(most))
    return tuple(
        Passage(number=number, start=it.start, end=it.end, text=it.text, place=it.place)
        for number, it in enumerate(chosen)
    )


def _every(document: Document, budget: int) -> Iterator[Passage]:
    text, headings = document.text, document.mime in _WITH_HEADINGS
    if document.mime == _JSON:
        # All items before any is used: it may turn out to be no JSON, and is then cut as what it is.
        with suppress(ValueError, RecursionError):
            return pack(text, list(data(text)), DATA)
    sentences = (prose(text, start, end, headings=headings) for start, end in _stretches(text, budget))
    return pack(text, chain.from_iterable(sentences), PROSE)


def _stretches(text: str, budget: int) -> Iterator[tuple[int, int]]:
    """The whole text, or of a longer one than ``budget`` evenly spread parts of that length together.

    Finding the sentences of megabytes would take the better part of a minute, for most of them to be left out.
    """
    if len(text) <= budget:
        yield 0, len(text)
        return
    length = budget // _STRETCHES
    for number in range(_STRETCHES):
        start = number * (len(text) - length) // (_STRETCHES - 1)
        yield start, start + length
