"""What is asked of the table of documents: to keep one, to read one, to list them."""

import sqlite3
from collections.abc import Sequence

from assistant.conversation.documents import EVERYBODY, Document, Listed, Passage
from assistant.errors import StoreError
from assistant.store.documents import packs
from assistant.store.documents.about import about, about_of, digest
from assistant.store.documents.forgetting import forget, named
from assistant.store.documents.own_pages import margin_and_filler

_KEEP = (
    "INSERT INTO documents (named, whose, tenant, embedder, kept_ms, expires_ms, passages, characters,"
    " margin, about, text, filler) VALUES (?, ?, ?, ?, ?, ?, ?, ?, zeroblob(?), ?, ?, zeroblob(?))"
)
_CHANGED = "REPLACE INTO shelves (whose) VALUES (?)"
_GET = "SELECT about, text, kept_ms, expires_ms FROM documents WHERE named = ?"
_LISTED = "SELECT about, passages, characters, kept_ms, expires_ms FROM documents WHERE "
_STALE = (
    "SELECT tenant, about FROM documents WHERE document IN"
    " (SELECT document FROM documents WHERE embedder <> ?) ORDER BY kept_ms, document"
)


def put(file: sqlite3.Connection, document: Document, passages: Sequence[Passage], embedder: str) -> None:
    """Keep a document in place of the one with its ref, within a transaction.

    Raises:
        StoreError: it holds what is not text.
    """
    forget(file, named(file, document.tenant, document.ref))
    try:
        kept = _keep(file, document, len(passages), embedder)
        packs.keep(file, kept, passages)
    except (TypeError, UnicodeEncodeError) as error:
        raise StoreError(f"{document.ref!r} holds signs that are no text: {error}") from error
    file.execute(_CHANGED, (digest(document.tenant, document.customer),))


def _keep(file: sqlite3.Connection, document: Document, passages: int, embedder: str) -> int | None:
    words, text = about(document), document.text.encode()
    names = digest(document.tenant, document.ref), digest(document.tenant, document.customer)
    ahead = sum(map(len, (*names, document.tenant.encode(), embedder.encode())))
    margin, filler = margin_and_filler(file, ahead, len(words) + len(text))
    times = document.kept_ms, document.expires_ms
    numbers = passages, len(document.text)
    row = (*names, document.tenant, embedder, *times, *numbers, margin, words, text, filler)
    return file.execute(_KEEP, row).lastrowid


def get(file: sqlite3.Connection, tenant: str, customer: str, ref: str, now_ms: int) -> Document | None:
    """The whole document; None for one that is not there, has expired, or is another customer's."""
    row = file.execute(_GET, (digest(tenant, ref),)).fetchone()
    if row is None:
        return None
    kept, text, kept_ms, expires_ms = row
    its = about_of(kept)
    if its.customer not in (EVERYBODY, customer) or (expires_ms is not None and expires_ms <= now_ms):
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


def listed(file: sqlite3.Connection, tenant: str, customer: str | None) -> list[Listed]:
    """What is kept of a customer, or of the whole tenant for None, oldest first."""
    if customer is None:
        rows = file.execute(f"{_LISTED} tenant = ?", (tenant,))
    else:
        rows = file.execute(f"{_LISTED} whose = ?", (digest(tenant, customer),))
    return sorted((_listed(*row) for row in rows), key=lambda one: (one.kept_ms, one.ref))


def _listed(kept: bytes, passages: int, characters: int, kept_ms: int, expires_ms: int | None) -> Listed:
    its = about_of(kept)
    return Listed(
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


def stale(file: sqlite3.Connection, embedder: str) -> list[tuple[str, str, str]]:
    """Tenant, customer and ref of what another embedder made, oldest first."""
    rows = ((tenant, about_of(kept)) for tenant, kept in file.execute(_STALE, (embedder,)))
    return [(tenant, its.customer, its.ref) for tenant, its in rows]
