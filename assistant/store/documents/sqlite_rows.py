"""The tables of documents and passages in SQLite: writing, reading, listing and deleting rows.

Names are kept as digests, texts as bytes. Zeros are put around them so that what is deleted leaves no copy behind.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import orjson

from assistant.conversation.documents import (
    ALL_CUSTOMERS,
    Document,
    DocumentInfo,
    DocumentKind,
    Finding,
    Passage,
)
from assistant.errors import StoreError

_HEADER = 40
_HEADER_TOLERANCE = 50
"""By how many bytes ``_HEADER`` may be wrong for a row, in either direction."""


FoundRow: TypeAlias = tuple[int, bytes]
"""A document's number, and the digest of whose it is."""

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
"""Few enough to be read quickly, enough that the padding of a row does not count."""


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
    """Keep a document in place of the one with its ref, within a transaction.

    Raises:
        StoreError: it holds what is not text.
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
    """The whole document; None for one that is not there, has expired, or is another customer's."""
    row = file.execute(_GET, (digest(tenant, ref),)).fetchone()
    if row is None:
        return None
    kept, text, kept_ms, expires_ms = row
    its = details_from_bytes(kept)
    if its.customer not in (ALL_CUSTOMERS, customer) or (expires_ms is not None and expires_ms <= now_ms):
        return None
    return Document(
        ref=its.ref,
        tenant=tenant,
        customer=its.customer,
        kind=its.kind,
        title=its.title,
        text=text.decode(),
        mime=its.mime,
        conversation=its.conversation,
        origin=its.origin,
        kept_ms=kept_ms,
        expires_ms=expires_ms,
    )


def list_documents(file: sqlite3.Connection, tenant: str, customer: str | None) -> list[DocumentInfo]:
    """What is kept of a customer, or of the whole tenant for None, oldest first."""
    if customer is None:
        rows = file.execute(f"{_LISTED} tenant = ?", (tenant,))
    else:
        rows = file.execute(f"{_LISTED} whose = ?", (digest(tenant, customer),))
    return sorted((_listed(*row) for row in rows), key=lambda one: (one.kept_ms, one.ref))


def list_stale(file: sqlite3.Connection, embedder: str) -> list[tuple[str, str, str]]:
    """Tenant, customer and ref of what another embedder made, oldest first."""
    rows = ((tenant, details_from_bytes(kept)) for tenant, kept in file.execute(_STALE, (embedder,)))
    return [(tenant, its.customer, its.ref) for tenant, its in rows]


def digest(tenant: str, name: str) -> bytes:
    """The key in an index for a ref or a customer of a tenant."""
    # The tenant's length says where it ends: there is no sign that it could not hold.
    both = f"{len(tenant)} {tenant}{name}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(both, digest_size=16).digest()


def details_to_bytes(document: Document) -> bytes:
    """A document's metadata as bytes. Raises ``TypeError`` for what is not text."""
    return orjson.dumps(
        DocumentDetails(
            ref=document.ref,
            customer=document.customer,
            kind=document.kind,
            title=document.title,
            mime=document.mime,
            conversation=document.conversation,
            origin=document.origin,
        )
    )


def details_from_bytes(kept: bytes) -> DocumentDetails:
    """The metadata from its bytes."""
    return DocumentDetails(**orjson.loads(kept))


def padding_around(file: sqlite3.Connection, ahead: int, content: int) -> tuple[int, int]:
    """How many zeros a row needs before its content, and how many behind it.

    SQLite keeps the first part of a long row on a page that it shares with others, and moves it between pages as
    they fill and empty: copies stay behind in the gaps, which ``secure_delete`` does not reach. The rest of the row
    stands on pages of its own, which are overwritten when they become free. So the shared part has to be zeros: the
    row is filled up to the length at which SQLite shares as little of it as it ever does.

    Args:
        file: where the row will be kept.
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
    """All that is kept of a customer."""
    return file.execute(_WHOSE, (digest(tenant, customer),)).fetchall()


def find_expired(file: sqlite3.Connection, now_ms: int) -> list[FoundRow]:
    """All that has expired, of all tenants."""
    return file.execute(_EXPIRED, (now_ms,)).fetchall()


def delete_found(file: sqlite3.Connection, documents: Sequence[FoundRow]) -> int:
    """Delete these and their passages, within a transaction; gives their number."""
    for order in _FORGET:
        file.executemany(order, [(document,) for document, _ in documents])
    for whose in {whose for _, whose in documents}:
        file.execute(_CHANGED, (whose,))
        file.execute(_EMPTY, (whose,))
    return len(documents)


def keep_passages(file: sqlite3.Connection, document: int | None, passages: Sequence[Passage]) -> None:
    """Keep a document's passages, in their order. Raises ``TypeError`` for what is not text."""
    for first in range(0, len(passages), _PASSAGES_PER_ROW):
        some = passages[first : first + _PASSAGES_PER_ROW]
        vectors = b"".join(passage.vector for passage in some)
        words = orjson.dumps([(one.number, one.start, one.end, one.text, one.place) for one in some])
        margin, filler = padding_around(file, 0, len(vectors) + len(words))
        file.execute(_KEEP_PASSAGES, (document, margin, vectors, words, filler))


def read_vectors(file: sqlite3.Connection, document: int) -> Iterator[tuple[int, bytes]]:
    """A document's vectors in their order: each pack's number, and its vectors one behind the other."""
    return file.execute(_VECTORS, (document,))


def read_findings(file: sqlite3.Connection, pack: int, scores: dict[int, float]) -> dict[int, Finding]:
    """What was found in a pack, by its place there, which has a score; without vectors."""
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
