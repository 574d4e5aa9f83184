"""What is asked of the table of passages, where some neighbours share a row."""

import sqlite3
from collections.abc import Iterator, Sequence

import orjson

from assistant.conversation.documents import Finding, Passage
from assistant.store.documents.about import about_of
from assistant.store.documents.own_pages import margin_and_filler

_KEEP = (
    "INSERT INTO passages (document, margin, vectors, about, filler)"
    " VALUES (?, zeroblob(?), ?, ?, zeroblob(?))"
)
_VECTORS = "SELECT pack, vectors FROM passages WHERE document = ? ORDER BY pack"
_FOUND = "SELECT documents.about, passages.about FROM passages JOIN documents USING (document) WHERE pack = ?"

_IN_A_ROW = 16
"""Few enough that one is read quickly, so many that a row's margins do not weigh."""


def keep(file: sqlite3.Connection, document: int | None, passages: Sequence[Passage]) -> None:
    """Keep a document's passages, in their order. Raises ``TypeError`` for what is not text."""
    for first in range(0, len(passages), _IN_A_ROW):
        some = passages[first : first + _IN_A_ROW]
        vectors = b"".join(passage.vector for passage in some)
        words = orjson.dumps([(one.number, one.start, one.end, one.text, one.place) for one in some])
        margin, filler = margin_and_filler(file, 0, len(vectors) + len(words))
        file.execute(_KEEP, (document, margin, vectors, words, filler))


def vectors(file: sqlite3.Connection, document: int) -> Iterator[tuple[int, bytes]]:
    """A document's vectors in their order: each pack's number, and its vectors one behind the other."""
    return file.execute(_VECTORS, (document,))


def findings(file: sqlite3.Connection, pack: int, scores: dict[int, float]) -> dict[int, Finding]:
    """What was found in a pack, by its place there, which has a score; without vectors."""
    kept, words = file.execute(_FOUND, (pack,)).fetchone()
    its, passages = about_of(kept), orjson.loads(words)
    found: dict[int, Finding] = {}
    for at, score in scores.items():
        number, start, end, text, place = passages[at]
        passage = Passage(number=number, start=start, end=end, text=text, place=place)
        found[at] = Finding(ref=its.ref, kind=its.kind, title=its.title, passage=passage, score=score)
    return found
