"""What is asked of the table of documents that wait to be written."""

import sqlite3
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from assistant.conversation.documents import LOOKUPS, Document, DocumentKind, Listed, result_ref
from assistant.conversation.entries import Logged
from assistant.conversation.memories import Snapshot
from assistant.conversation.writes import Waiting

_Row: TypeAlias = tuple[str, str, str, str, str, str, str, str, int, int | None, int, int, str]

_LISTED = "ref, customer, kind, title, mime, characters, origin, kept_ms, expires_ms"
_WAITING = f"number, tenant, due_ms, tries, problem, {_LISTED}"
_DOCUMENT = "ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms"
_ADD = (
    "REPLACE INTO writes (tenant, customer, ref, kind, title, mime, conversation, origin, kept_ms, expires_ms,"
    " characters, due_ms, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_NEXT = f"SELECT {_WAITING} FROM writes WHERE kind IN (%s) AND due_ms <= ? ORDER BY due_ms, number LIMIT 1"  # noqa: S608
_ALL = (
    f"SELECT {_WAITING} FROM writes WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR customer = ?2)"  # noqa: S608
    " ORDER BY number"
)
_READ = f"SELECT {_DOCUMENT} FROM writes WHERE number = ?"  # noqa: S608 - constants, as everywhere here
_GET = f"SELECT {_DOCUMENT} FROM writes WHERE tenant = ? AND ref = ? AND customer IN ('', ?)"  # noqa: S608


def add(connection: sqlite3.Connection, document: Document, due_ms: int) -> None:
    """Let a document wait, in place of the one with its ``ref``."""
    row: _Row = (
        *(document.tenant, document.customer, document.ref, document.kind, document.title, document.mime),
        *(document.conversation, document.origin, document.kept_ms, document.expires_ms),
        *(len(document.text), due_ms, document.text),
    )
    connection.execute(_ADD, row)


def add_results(connection: sqlite3.Connection, key: tuple[str, str, str], entries: Iterable[Logged]) -> None:
    """Let the full results wait whose snapshots these entries bring.

    A snapshot does not say how its call ended: where there was no result, whoever reads it from the log finds so.
    What a model has put into words was a snapshot before, and its result waits or is kept already; what was looked
    up in documents is none of its own.
    """
    tenant, customer, conversation = key
    for logged in entries:
        entry = logged.entry
        if isinstance(entry, Snapshot) and _is_new(entry):
            ref = result_ref(conversation, logged.turn_id, entry.call_id)
            place = (tenant, customer, ref, "result", entry.tool_name, "application/json", conversation, "")
            connection.execute(_ADD, (*place, logged.at_ms, None, 0, logged.at_ms, ""))


def _is_new(snapshot: Snapshot) -> bool:
    first = snapshot.made_by == "rule" and snapshot.result_summary is not None
    return first and snapshot.tool_name not in LOOKUPS


def next_due(connection: sqlite3.Connection, kinds: Sequence[DocumentKind], now_ms: int) -> Waiting | None:
    """Of these kinds the one that has been due the longest."""
    row = connection.execute(_NEXT % ", ".join("?" * len(kinds)), (*kinds, now_ms)).fetchone()
    return _waiting(*row) if row is not None else None


def waiting(connection: sqlite3.Connection, tenant: str | None, customer: str | None) -> list[Waiting]:
    """All that waits or has failed for good, longest first; None: whoever's it is."""
    return [_waiting(*row) for row in connection.execute(_ALL, (tenant, customer))]


def read(connection: sqlite3.Connection, number: int) -> Document | None:
    """The document that waits under this number."""
    return _document(connection.execute(_READ, (number,)).fetchone())


def get(connection: sqlite3.Connection, tenant: str, customer: str, ref: str) -> Document | None:
    """The document, if this customer may read it."""
    return _document(connection.execute(_GET, (tenant, ref, customer)).fetchone())


def _waiting(
    number: int,
    tenant: str,
    due_ms: int | None,
    tries: int,
    problem: str,
    *listed: *tuple[str, str, DocumentKind, str, str, int, str, int, int | None],
) -> Waiting:
    ref, customer, kind, title, mime, characters, origin, kept_ms, expires_ms = listed
    return Waiting(
        number=number,
        tenant=tenant,
        due_ms=due_ms,
        tries=tries,
        problem=problem,
        listed=Listed(
            ref=ref,
            customer=customer,
            kind=kind,
            title=title,
            mime=mime,
            passages=0,
            characters=characters,
            origin=origin,
            kept_ms=kept_ms,
            expires_ms=expires_ms,
        ),
    )


def _document(
    row: tuple[str, str, str, DocumentKind, str, str, str, str, str, int, int | None] | None,
) -> Document | None:
    if row is None:
        return None
    ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms = row
    return Document(
        ref=ref,
        tenant=tenant,
        customer=customer,
        kind=kind,
        title=title,
        text=text,
        mime=mime,
        conversation=conversation,
        origin=origin,
        kept_ms=kept_ms,
        expires_ms=expires_ms,
    )
