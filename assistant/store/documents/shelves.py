"""Keeps the shelves that were searched last in memory, and brings them up to date before each search."""

import sqlite3
from collections import OrderedDict
from collections.abc import Collection

from assistant.conversation.documents import Finding, Vector
from assistant.store.documents import packs
from assistant.store.documents.shelf import Shelf

_CHANGE = "SELECT change FROM shelves WHERE whose = ?"
_THERE = "SELECT document, passages, expires_ms FROM documents WHERE whose = ? AND embedder = ?"


class Shelves:
    """Shelves by the digest of whose they are. Used by one thread at a time.

    A shelf in memory is compared with the file by the number of its last change, whoever made it, and takes in
    only what it has not got: a document never changes under its number.

    Args:
        embedder: whose vectors are looked at.
        width: how many numbers these have.
        memory_bytes: shelves are let go of above that, those that were not searched the longest first. What one
            search needs is held whatever it takes.
    """

    def __init__(self, embedder: str, width: int, memory_bytes: int) -> None:
        self._embedder = embedder
        self._width = width
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[bytes, Shelf] = OrderedDict()
        self._bytes = 0

    def search(
        self, file: sqlite3.Connection, whose: Collection[bytes], question: Vector, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages on these shelves, nearest first. To be asked within a transaction."""
        shelves = [self._up_to_date(file, one) for one in whose]
        self._let_go(whose)
        near = sorted(hit for shelf in shelves for hit in shelf.nearest(question, limit, now_ms))
        hits = near[: max(limit, 0)]
        in_packs: dict[int, dict[int, float]] = {}
        for hit in hits:
            in_packs.setdefault(hit.pack, {})[hit.at] = hit.score
        found = {pack: packs.findings(file, pack, scores) for pack, scores in in_packs.items()}
        return [found[hit.pack][hit.at] for hit in hits]

    def _let_go(self, needed: Collection[bytes]) -> None:
        while self._bytes > self._memory_bytes and next(iter(self._kept)) not in needed:
            _, shelf = self._kept.popitem(last=False)
            self._bytes -= shelf.memory_bytes

    def _up_to_date(self, file: sqlite3.Connection, whose: bytes) -> Shelf:
        # Out of the books meanwhile: if the file fails half-way, nobody finds half a shelf.
        shelf = self._kept.pop(whose, None)
        if shelf is None:
            shelf = Shelf(self._width)
        else:
            self._bytes -= shelf.memory_bytes
        (change,) = file.execute(_CHANGE, (whose,)).fetchone() or (0,)
        if change != shelf.change:
            self._catch_up(file, whose, shelf)
            shelf.change = change
        if change:
            self._kept[whose] = shelf
            self._bytes += shelf.memory_bytes
        return shelf

    def _catch_up(self, file: sqlite3.Connection, whose: bytes, shelf: Shelf) -> None:
        rows = file.execute(_THERE, (whose, self._embedder)).fetchall()
        shelf.forget(shelf.documents.difference(document for document, _, _ in rows))
        new = [row for row in rows if row[0] not in shelf.documents]
        shelf.make_room(sum(passages for _, passages, _ in new))
        for document, _, expires_ms in new:
            shelf.add(document, expires_ms, packs.vectors(file, document))
