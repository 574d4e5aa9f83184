"""Keeps the vectors of recent searches in memory, and searches them exactly.

It imports numpy; the document store imports this module at the first search.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assistant.conversation.documents import Finding, Vector
from assistant.store.documents.sqlite import read_findings, read_vectors
from assistant.store.documents.vectors import cosine_scores, vectors_as_matrix

_NO_EXPIRY = np.iinfo(np.int64).max
_ROUNDING = 1e-5
"""An upper bound of the error of single precision, in any order of addition, for vectors of length 1."""

_COLUMNS = np.dtype([("document", "i8"), ("pack", "i8"), ("at", "i4"), ("expires_ms", "i8")])
_OVERHEAD_BYTES = 2_000
"""The approximate memory of an index in addition to its arrays, in bytes."""


@dataclass(frozen=True, slots=True, order=True)
class Hit:
    """The location of a near passage. Hits sort by nearness; of equally near ones, the first stored comes first."""

    farness: float
    pack: int
    at: int
    """Its position in the pack, from 0."""

    @property
    def score(self) -> float:
        """The cosine."""
        return -self.farness


@dataclass(slots=True)
class VectorIndex:
    """The vectors of all passages of one customer, or of the passages for all customers; in any order.

    ``change`` is the number of the last change that it includes, ``documents`` are the documents in it.
    """

    width: int
    change: int = 0
    documents: set[int] = field(default_factory=set[int])
    _size: int = 0
    _vectors: NDArray[np.float32] = field(init=False)
    _columns: NDArray[np.void] = field(init=False)

    def __post_init__(self) -> None:
        self._vectors = np.empty((0, self.width), np.float32)
        self._columns = np.empty(0, _COLUMNS)

    @property
    def memory_bytes(self) -> int:
        """Its size in memory."""
        return self._vectors.nbytes + self._columns.nbytes + _OVERHEAD_BYTES

    def reserve(self, passages: int) -> None:
        """Make sure that there is space for this many more passages."""
        wanted, has = self._size + passages, len(self._vectors)
        if wanted > has:
            # a little more each time, because otherwise every put would copy all
            self._resize(max(wanted, has + has // 4))

    def add(self, document: int, expires_ms: int | None, packs: Iterable[tuple[int, bytes]]) -> None:
        """Add a document, after ``reserve``: its rows of passages by number, each with its vectors."""
        for pack, vectors in packs:
            rows = vectors_as_matrix(vectors, self.width)
            new = slice(self._size, self._size + len(rows))
            self._vectors[new] = rows
            columns = self._columns[new]
            columns["document"], columns["pack"], columns["at"] = document, pack, np.arange(len(rows))
            columns["expires_ms"] = _NO_EXPIRY if expires_ms is None else expires_ms
            self._size = new.stop
        self.documents.add(document)

    def forget(self, documents: Collection[int]) -> None:
        """Remove these documents; the last rows move into the gaps."""
        gone = np.isin(self._columns["document"][: self._size], np.fromiter(documents, np.int64))
        stay = self._size - int(gone.sum())
        free, moved = np.flatnonzero(gone[:stay]), stay + np.flatnonzero(~gone[stay:])
        self._vectors[free] = self._vectors[moved]
        self._columns[free] = self._columns[moved]
        self._size = stay
        self.documents.difference_update(documents)
        if stay < len(self._vectors) // 4:
            self._resize(stay)

    def nearest(self, question: Vector, limit: int, now_ms: int) -> list[Hit]:
        """The nearest passages that have not expired, in order; exact, and the same on each machine."""
        vectors, columns = self._vectors[: self._size], self._columns[: self._size]
        expired = columns["expires_ms"] <= now_ms
        count = min(limit, self._size - int(expired.sum()))
        if count <= 0:
            return []
        # These scores depend on the processor's order of addition: they only select candidates.
        scores = vectors @ vectors_as_matrix(question, self.width)[0]
        scores[expired] = -np.inf
        last = np.partition(scores, self._size - count)[self._size - count]
        near = np.flatnonzero(scores >= last - _ROUNDING)
        exact = cosine_scores(vectors, near, question)
        order = np.lexsort((columns["at"][near], columns["pack"][near], -exact))[:count]
        found = zip(exact[order], columns["pack"][near[order]], columns["at"][near[order]], strict=True)
        return [Hit(-float(score), int(pack), int(at)) for score, pack, at in found]

    def _resize(self, rows: int) -> None:
        vectors, columns = np.empty((rows, self.width), np.float32), np.empty(rows, _COLUMNS)
        vectors[: self._size] = self._vectors[: self._size]
        columns[: self._size] = self._columns[: self._size]
        self._vectors, self._columns = vectors, columns


_CHANGE = "SELECT change FROM shelves WHERE whose = ?"
_THERE = "SELECT document, passages, expires_ms FROM documents WHERE whose = ? AND embedder = ?"


class VectorCache:
    """One index for each customer, by the digest of the customer. Used by one thread at a time.

    The number of the last change shows whether the file has changed, also by another process. Only new
    documents are read: a document with the same number never changes.

    Args:
        embedder: the model of the vectors.
        width: the number of values in a vector.
        memory_bytes: above this size, indexes are evicted, the least recently searched first. The indexes of
            one search are kept even if they take more.
    """

    def __init__(self, embedder: str, width: int, memory_bytes: int) -> None:
        self._embedder = embedder
        self._width = width
        self._memory_bytes = memory_bytes
        self._kept: OrderedDict[bytes, VectorIndex] = OrderedDict()
        self._bytes = 0

    def search(
        self, file: sqlite3.Connection, whose: Collection[bytes], question: Vector, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages of these customers, nearest first. Call it within a transaction."""
        indexes = [self._refreshed(file, one) for one in whose]
        self._evict(whose)
        near = sorted(hit for index in indexes for hit in index.nearest(question, limit, now_ms))
        hits = near[: max(limit, 0)]
        in_packs: dict[int, dict[int, float]] = {}
        for hit in hits:
            in_packs.setdefault(hit.pack, {})[hit.at] = hit.score
        found = {pack: read_findings(file, pack, scores) for pack, scores in in_packs.items()}
        return [found[hit.pack][hit.at] for hit in hits]

    def _evict(self, needed: Collection[bytes]) -> None:
        while self._bytes > self._memory_bytes and next(iter(self._kept)) not in needed:
            _, index = self._kept.popitem(last=False)
            self._bytes -= index.memory_bytes

    def _refreshed(self, file: sqlite3.Connection, whose: bytes) -> VectorIndex:
        # Removed during the read: if reading fails half-way, no search finds a partial index.
        index = self._kept.pop(whose, None)
        if index is None:
            index = VectorIndex(self._width)
        else:
            self._bytes -= index.memory_bytes
        (change,) = file.execute(_CHANGE, (whose,)).fetchone() or (0,)
        if change != index.change:
            self._load_changes(file, whose, index)
            index.change = change
        if change:
            self._kept[whose] = index
            self._bytes += index.memory_bytes
        return index

    def _load_changes(self, file: sqlite3.Connection, whose: bytes, index: VectorIndex) -> None:
        rows = file.execute(_THERE, (whose, self._embedder)).fetchall()
        index.forget(index.documents.difference(document for document, _, _ in rows))
        new = [row for row in rows if row[0] not in index.documents]
        index.reserve(sum(passages for _, passages, _ in new))
        for document, _, expires_ms in new:
            index.add(document, expires_ms, read_vectors(file, document))
