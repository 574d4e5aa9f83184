"""Takes documents out of their tables; whose they were is noted, for those who hold their vectors in memory."""

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

from assistant.store.documents.about import digest

Standing: TypeAlias = tuple[int, bytes]
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


def named(file: sqlite3.Connection, tenant: str, ref: str) -> list[Standing]:
    """The document with this ref, if there is one."""
    return file.execute(_NAMED, (digest(tenant, ref),)).fetchall()


def of_customer(file: sqlite3.Connection, tenant: str, customer: str) -> list[Standing]:
    """All that is kept of a customer."""
    return file.execute(_WHOSE, (digest(tenant, customer),)).fetchall()


def expired(file: sqlite3.Connection, now_ms: int) -> list[Standing]:
    """All that has expired, of all tenants."""
    return file.execute(_EXPIRED, (now_ms,)).fetchall()


def forget(file: sqlite3.Connection, documents: Sequence[Standing]) -> int:
    """Delete these and their passages, within a transaction; gives their number."""
    for order in _FORGET:
        file.executemany(order, [(document,) for document, _ in documents])
    for whose in {whose for _, whose in documents}:
        file.execute(_CHANGED, (whose,))
        file.execute(_EMPTY, (whose,))
    return len(documents)
