"""Documents in the SQLite file of the log."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import orjson

from assistant.conversation.documents import (
    ALL_CUSTOMERS,
    Document,
    DocumentInfo,
    DocumentKind,
    Finding,
    Passage,
    Vector,
)
from assistant.errors import DeclarationError, StoreError
from assistant.store.documents.vectors import check_passages, check_query_vector
from assistant.store.sqlite.file import ThreadBoundConnection, connect, empty_journal, migrate, transaction

if TYPE_CHECKING:
    from assistant.store.documents.vector_cache import VectorCache


_HEADER = 40
_HEADER_TOLERANCE = 50
"""The maximum error of ``_HEADER`` for a row, in bytes, in either direction."""


FoundRow: TypeAlias = tuple[int, bytes]
"""A document's number, and the digest of its customer."""

_NAMED = "SELECT document, whose FROM documents WHERE named = ?"
_WHOSE = "SELECT document, whose FROM documents WHERE whose = ?"
_EXPIRED = "SELECT document, whose FROM documents WHERE expires_ms <= ?"
_FORGET = (
    "DELETE FROM passages WHERE document = ?",
    "DELETE FROM documents WHERE document = ?",
)
_CHANGED = "REPLACE INTO shelves (whose) VALUES (?)"
_EMPTY = "DELETE FROM shelves WHERE whose = ?1 AND NOT EXISTS (SELECT 1 FROM documents WHERE whose = ?1)"


_KEEP_PASSAGES = (
    "INSERT INTO passages (document, margin, vectors, about, filler)"
    " VALUES (?, zeroblob(?), ?, ?, zeroblob(?))"
)
_VECTORS = "SELECT pack, vectors FROM passages WHERE document = ? ORDER BY pack"
_FOUND = "SELECT documents.about, passages.about FROM passages JOIN documents USING (document) WHERE pack = ?"

_PASSAGES_PER_ROW = 16
"""Small enough for quick reading, large enough that the padding of a row is negligible."""


_KEEP_DOCUMENT = (
    "INSERT INTO documents (named, whose, tenant, embedder, kept_ms, expires_ms, passages, characters,"
    " margin, about, text, filler) VALUES (?, ?, ?, ?, ?, ?, ?, ?, zeroblob(?), ?, ?, zeroblob(?))"
)
_GET = "SELECT about, text, kept_ms, expires_ms FROM documents WHERE named = ?"
_LISTED = "SELECT about, passages, characters, kept_ms, expires_ms FROM documents WHERE "
_STALE = (
    "SELECT tenant, about FROM documents WHERE document IN"
    " (SELECT document FROM documents WHERE embedder <> ?) ORDER BY kept_ms, document"
)


@dataclass(frozen=True, slots=True)
class DocumentDetails:
    """A document's metadata, without its text and numbers; the fields are those of ``Document``."""

    ref: str
    customer: str
    kind: DocumentKind
    title: str
    mime: str
    conversation: str
    origin: str


def put_document(
    file: sqlite3.Connection, document: Document, passages: Sequence[Passage], embedder: str
) -> None:
    """Store a document and replace the one with its ref, within a transaction.

    Raises:
        StoreError: a field is not text.
    """
    delete_found(file, find_named(file, document.tenant, document.ref))
    try:
        kept = _keep(file, document, len(passages), embedder)
        keep_passages(file, kept, passages)
    except (TypeError, UnicodeEncodeError) as error:
        raise StoreError(f"{document.ref!r} holds signs that are no text: {error}") from error
    file.execute(_CHANGED, (digest(document.tenant, document.customer),))


def read_document(
    file: sqlite3.Connection, tenant: str, customer: str, ref: str, now_ms: int
) -> Document | None:
    """The whole document; None if it does not exist, has expired, or belongs to another customer."""
    row = file.execute(_GET, (digest(tenant, ref),)).fetchone()
    if row is None:
        return None
    kept, text, kept_ms, expires_ms = row
    its = details_from_bytes(kept)
    if its.customer not in (ALL_CUSTOMERS, customer) or (expires_ms is not None and expires_ms <= now_ms):
        return None
    return Document(tenant=tenant, text=text.decode(), kept_ms=kept_ms, expires_ms=expires_ms, **asdict(its))


def list_documents(file: sqlite3.Connection, tenant: str, customer: str | None) -> list[DocumentInfo]:
    """The documents of a customer, or of the whole tenant if None, oldest first."""
    if customer is None:
        rows = file.execute(f"{_LISTED} tenant = ?", (tenant,))
    else:
        rows = file.execute(f"{_LISTED} whose = ?", (digest(tenant, customer),))
    return sorted((_listed(*row) for row in rows), key=lambda one: (one.kept_ms, one.ref))


def list_stale(file: sqlite3.Connection, embedder: str) -> list[tuple[str, str, str]]:
    """Tenant, customer and ref of documents with vectors of another embedder, oldest first."""
    rows = ((tenant, details_from_bytes(kept)) for tenant, kept in file.execute(_STALE, (embedder,)))
    return [(tenant, its.customer, its.ref) for tenant, its in rows]


def digest(tenant: str, name: str) -> bytes:
    """The key in an index for a tenant's ref or customer."""
    # The tenant's length marks its end, because a name may contain any character.
    both = f"{len(tenant)} {tenant}{name}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(both, digest_size=16).digest()


def details_to_bytes(document: Document) -> bytes:
    """A document's metadata as bytes. Raises ``TypeError`` for values that are not text."""
    return orjson.dumps({field.name: getattr(document, field.name) for field in fields(DocumentDetails)})


def details_from_bytes(kept: bytes) -> DocumentDetails:
    """The metadata from its bytes."""
    return DocumentDetails(**orjson.loads(kept))


def padding_around(file: sqlite3.Connection, ahead: int, content: int) -> tuple[int, int]:
    """The number of zeros before and after the content of a row.

    SQLite stores the first part of a long row on a page that it shares with other rows, and moves it between
    pages as they fill and empty. Copies stay in the gaps, and ``secure_delete`` does not overwrite them. The
    rest of the row is on separate pages, which are overwritten when they become free. So the shared part must
    be zeros: the row is filled up to the length at which SQLite shares as little of it as possible.

    Args:
        file: the file in which the row will be stored.
        ahead: the bytes of text and blobs in the columns before the margin.
        content: the bytes in the columns between margin and filler.
    """
    (page,) = file.execute("PRAGMA page_size").fetchone()
    shared = (page - 12) * 32 // 255 - 23
    margin = shared + 2 * _HEADER_TOLERANCE
    length = ahead + _HEADER + margin + content
    return margin, (shared + _HEADER_TOLERANCE - length) % (page - 4)


def find_named(file: sqlite3.Connection, tenant: str, ref: str) -> list[FoundRow]:
    """The document with this ref, if there is one."""
    return file.execute(_NAMED, (digest(tenant, ref),)).fetchall()


def find_of_customer(file: sqlite3.Connection, tenant: str, customer: str) -> list[FoundRow]:
    """All documents of a customer."""
    return file.execute(_WHOSE, (digest(tenant, customer),)).fetchall()


def find_expired(file: sqlite3.Connection, now_ms: int) -> list[FoundRow]:
    """All expired documents, of all tenants."""
    return file.execute(_EXPIRED, (now_ms,)).fetchall()


def delete_found(file: sqlite3.Connection, documents: Sequence[FoundRow]) -> int:
    """Delete these documents and their passages, within a transaction; returns their number."""
    for order in _FORGET:
        file.executemany(order, [(document,) for document, _ in documents])
    for whose in {whose for _, whose in documents}:
        file.execute(_CHANGED, (whose,))
        file.execute(_EMPTY, (whose,))
    return len(documents)


def keep_passages(file: sqlite3.Connection, document: int | None, passages: Sequence[Passage]) -> None:
    """Store a document's passages, in order. Raises ``TypeError`` for values that are not text."""
    for first in range(0, len(passages), _PASSAGES_PER_ROW):
        some = passages[first : first + _PASSAGES_PER_ROW]
        vectors = b"".join(passage.vector for passage in some)
        words = orjson.dumps([(one.number, one.start, one.end, one.text, one.place) for one in some])
        margin, filler = padding_around(file, 0, len(vectors) + len(words))
        file.execute(_KEEP_PASSAGES, (document, margin, vectors, words, filler))


def read_vectors(file: sqlite3.Connection, document: int) -> Iterator[tuple[int, bytes]]:
    """A document's vectors in order: the number of each pack, and its concatenated vectors."""
    return file.execute(_VECTORS, (document,))


def read_findings(file: sqlite3.Connection, pack: int, scores: dict[int, float]) -> dict[int, Finding]:
    """The findings in a pack, without vectors; ``scores`` maps a position in the pack to its score."""
    kept, words = file.execute(_FOUND, (pack,)).fetchone()
    its, passages = details_from_bytes(kept), orjson.loads(words)
    found: dict[int, Finding] = {}
    for at, score in scores.items():
        number, start, end, text, place = passages[at]
        passage = Passage(number=number, start=start, end=end, text=text, place=place)
        found[at] = Finding(ref=its.ref, kind=its.kind, title=its.title, passage=passage, score=score)
    return found


def _keep(file: sqlite3.Connection, document: Document, passages: int, embedder: str) -> int | None:
    words, text = details_to_bytes(document), document.text.encode()
    names = digest(document.tenant, document.ref), digest(document.tenant, document.customer)
    ahead = sum(map(len, (*names, document.tenant.encode(), embedder.encode())))
    margin, filler = padding_around(file, ahead, len(words) + len(text))
    times = document.kept_ms, document.expires_ms
    numbers = passages, len(document.text)
    row = (*names, document.tenant, embedder, *times, *numbers, margin, words, text, filler)
    return file.execute(_KEEP_DOCUMENT, row).lastrowid


def _listed(
    kept: bytes, passages: int, characters: int, kept_ms: int, expires_ms: int | None
) -> DocumentInfo:
    its = details_from_bytes(kept)
    return DocumentInfo(
        ref=its.ref,
        customer=its.customer,
        kind=its.kind,
        title=its.title,
        mime=its.mime,
        passages=passages,
        characters=characters,
        origin=its.origin,
        kept_ms=kept_ms,
        expires_ms=expires_ms,
    )


_MEMORY_BYTES = 512 * 2**20
_PATIENCE_MS = 5_000


class SqliteDocuments:
    """All documents in one file. One thread writes, another reads, a third searches.

    Vectors of recent searches stay in memory, about 1.6 kB for a passage of 384 numbers. Other processes may
    write the file at the same time; each search sees the current state.

    Args:
        path: the file; created if it does not exist, readable by its owner alone. Its folder must exist.
        embedder: the name of the model that makes the vectors. Documents with vectors of another model, or of
            another width, are stored but not found; see :meth:`stale`.
        width: the number of values in a vector.
        memory_bytes: above this size, vectors are evicted from memory, except those that the current search
            needs.
        patience_ms: how long a deletion waits for other readers of the data that it has to overwrite. Then it
            raises ``StoreError`` although the document is no longer found; the next deletion tries again.

    Raises:
        DeclarationError: the file cannot be used, or a newer release wrote it.
    """

    def __init__(
        self,
        path: Path,
        *,
        embedder: str,
        width: int,
        memory_bytes: int = _MEMORY_BYTES,
        patience_ms: int = _PATIENCE_MS,
    ) -> None:
        self._embedder = f"{embedder} {width}"
        self._width = width
        self._memory_bytes = memory_bytes
        self._patience_ms = patience_ms
        self._vector_cache: VectorCache | None = None
        # the last process may have ended after a deletion, before it emptied the journal
        self._owes_the_journal = True
        self._writing = ThreadBoundConnection(_open(path), "documents-writer")
        self._reading = ThreadBoundConnection(connect(path), "documents-reader")
        self._searching = ThreadBoundConnection(connect(path), "documents-search")

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document and replace the one with its ``ref``. Raises ``StoreError``; see the port."""

        def keep(file: sqlite3.Connection) -> None:
            check_passages(document, passages, self._width)
            with transaction(file, "IMMEDIATE"):
                put_document(file, document, passages, self._embedder)

        await self._writing.ask(keep)

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; of equally near ones, the first stored comes first."""
        whose = {digest(tenant, customer), digest(tenant, ALL_CUSTOMERS)}

        def look(file: sqlite3.Connection) -> list[Finding]:
            check_query_vector(vector, self._width)
            with transaction(file, "DEFERRED"):
                return self._vectors_in_memory().search(file, whose, vector, limit, now_ms)

        return await self._searching.ask(look)

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document; None if it does not exist, has expired, or belongs to another customer."""
        return await self._reading.ask(lambda file: read_document(file, tenant, customer, ref, now_ms))

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """All documents, oldest first: of one customer, or of the whole tenant if None."""
        return await self._reading.ask(lambda file: list_documents(file, tenant, customer))

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of documents with vectors of another embedder, oldest first. Search finds
        them after a new ``put``.
        """
        return await self._reading.ask(lambda file: list_stale(file, self._embedder))

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages permanently. Returns whether it existed."""
        return await self._forget(lambda file: find_named(file, tenant, ref)) > 0

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer permanently; returns their number."""
        return await self._forget(lambda file: find_of_customer(file, tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        return await self._forget(lambda file: find_expired(file, now_ms))

    async def close(self) -> None:
        """Finish pending work and close the file."""
        for thread in (self._searching, self._reading, self._writing):
            await thread.close()

    async def _forget(self, which: Callable[[sqlite3.Connection], list[FoundRow]]) -> int:
        def forget(file: sqlite3.Connection) -> int:
            with transaction(file, "IMMEDIATE"):
                count = delete_found(file, which(file))
            self._owes_the_journal |= count > 0
            if self._owes_the_journal:  # also because of an earlier deletion that could not empty it
                empty_journal(file, self._patience_ms)
                self._owes_the_journal = False
            return count

        return await self._writing.ask(forget)

    def _vectors_in_memory(self) -> "VectorCache":
        if self._vector_cache is None:
            # Imported at the first search: numpy takes a while to load, and many installations have no documents.
            from assistant.store.documents.vector_cache import VectorCache

            self._vector_cache = VectorCache(self._embedder, self._width, self._memory_bytes)
        return self._vector_cache


def _open(path: Path) -> sqlite3.Connection:
    try:
        path.touch(mode=0o600)
        file = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise DeclarationError(f"{path} cannot be opened: {error}; is ASSISTANT_DATA_DIR right?") from error
    try:
        migrate(file, str(path))
    except BaseException:
        file.close()
        raise
    return file
