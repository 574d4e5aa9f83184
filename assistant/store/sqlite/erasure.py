"""Deletes data from the log's file permanently: it stays neither in the file nor in its journal."""

import sqlite3
from collections.abc import Collection, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeAlias, TypeVar

import orjson

from assistant.conversation.codec import entry_from_json, kind_named
from assistant.conversation.customer import ConversationKey
from assistant.conversation.snapshots import THINNERS, Aging, Thinner
from assistant.errors import LogError
from assistant.store.sqlite.conversation_index import FORGET_DELETED_WORDS
from assistant.store.sqlite.file import connect, transaction
from assistant.store.sqlite.last_append import forget_last_append
from assistant.store.sqlite.log_rows import body_of, checksum_of

T = TypeVar("T")
_Row: TypeAlias = tuple[str, str, str, int, int, str, bytes]
"""Tenant, customer, conversation, number, time, turn's id, body."""

_ERASE = (
    "DELETE FROM entries WHERE tenant = ? AND customer = ?",
    "DELETE FROM writes WHERE tenant = ? AND customer = ?",
    "DELETE FROM recordings WHERE tenant = ? AND customer = ?",
)
_ERASE_LAST = "DELETE FROM conversations WHERE tenant = ? AND customer = ?"
_COUNT = "UPDATE erasures SET count = count + 1"
_OLD = (
    "SELECT tenant, customer, conversation FROM conversations AS those"
    " WHERE (?2 IS NULL OR tenant = ?2)"
    " AND opened_ms < ?1 AND open_turn = '' AND waiting = '' AND handoff = '' AND long_calls = ''"
    " AND NOT EXISTS ("
    "SELECT 1 FROM entries WHERE entries.tenant = those.tenant AND entries.customer = those.customer"
    " AND entries.conversation = those.conversation AND at_ms >= ?1)"
)
_FORGET = (
    "DELETE FROM entries WHERE tenant = ? AND customer = ? AND conversation = ?",
    "DELETE FROM conversations WHERE tenant = ? AND customer = ? AND conversation = ?",
)
_MAY_BE_THINNED = (
    "SELECT tenant, customer, conversation, seq, at_ms, turn_id, body FROM entries"
    " WHERE kind = ?1 AND at_ms < ?2 AND length(body) > ?3 AND (?4 IS NULL OR tenant = ?4)"
)
_THIN = (
    "UPDATE entries SET body = ?, checksum = ?"
    " WHERE tenant = ? AND customer = ? AND conversation = ? AND seq = ?"
)

_NOTHING_TO_THIN_BYTES = 200
"""An entry up to this size has nothing to remove."""

_BATCH_ROWS = 200
"""Rows in one transaction: an append waits at most for this many."""

_TRIES, _PATIENCE_MS = 6, 5_000
"""The number of waits for readers, and the length of each."""


def erase_customer(path: Path, tenant: str, customer: str) -> int:
    """Erase a customer's conversations, queued documents and records of recordings; returns the number of
    conversations.

    The file is rewritten, because rows that once moved between pages leave copies in gaps that nothing else
    overwrites. Nothing can be appended meanwhile. Blocks for the disk. Raises ``LogError``.
    """
    with _erasing(path) as connection:
        with transaction(connection, "IMMEDIATE"):
            for order in _ERASE:
                connection.execute(order, (tenant, customer))
            erased = connection.execute(_ERASE_LAST, (tenant, customer)).rowcount
            if erased:
                connection.execute(_COUNT)
                connection.execute(FORGET_DELETED_WORDS)
        connection.execute("VACUUM")
        return erased


def forget_conversations(
    path: Path, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
) -> int:
    """Erase ended conversations without an entry after ``before_ms``, except those in ``keep``.

    ``tenant``: only this tenant's; None: all. Blocks for the disk. Returns their number. Raises ``LogError``.
    """
    kept = {(key.tenant, key.customer, key.conversation) for key in keep}
    with _erasing(path) as connection:
        old = [key for key in connection.execute(_OLD, (before_ms, tenant)) if key not in kept]
        for some in _batches(old):
            with transaction(connection, "IMMEDIATE"):
                for key in some:
                    for order in _FORGET:
                        connection.execute(order, key)
                connection.execute(_COUNT)
        if old:
            connection.execute(FORGET_DELETED_WORDS)
        return len(old)


def thin_out(path: Path, what: Aging, before_ms: int, tenant: str | None = None) -> int:
    """Replace each old entry that has something to remove by a smaller one.

    ``tenant``: only this tenant's; None: all. Blocks for the disk. Returns their number. Raises ``LogError``.
    """
    kind, thin = THINNERS[what]
    with _erasing(path) as connection:
        old = connection.execute(
            _MAY_BE_THINNED, (kind_named(kind), before_ms, _NOTHING_TO_THIN_BYTES, tenant)
        ).fetchall()
        return sum(_thin_rows(connection, some, kind_named(kind), thin) for some in _batches(old))


def _thin_rows(connection: sqlite3.Connection, rows: Sequence[_Row], kind: str, thin: Thinner) -> int:
    changes = [
        (left, checksum_of(seq, at_ms, turn_id, kind, left), tenant, customer, conversation, seq)
        for tenant, customer, conversation, seq, at_ms, turn_id, body in rows
        if (left := _thinned_body(kind, turn_id, body, conversation, thin)) is not None
    ]
    with transaction(connection, "IMMEDIATE"):
        connection.executemany(_THIN, changes)
    return len(changes)


def _thinned_body(kind: str, turn_id: str, body: bytes, conversation: str, thin: Thinner) -> bytes | None:
    entry = entry_from_json(kind, orjson.loads(body))
    left = thin(conversation, turn_id, entry)
    return None if left is entry else body_of(left)


@contextmanager
def _erasing(path: Path) -> Generator[sqlite3.Connection]:
    """A separate connection; at the end the journal contains no deleted data either."""
    try:
        with closing(connect(path)) as connection:
            yield connection
            forget_last_append(path)
            _empty_journal_or_fail(connection)
    except sqlite3.Error as error:
        raise LogError(f"the log could not be thinned out: {error}") from error


def _empty_journal_or_fail(connection: sqlite3.Connection) -> None:
    """Write the journal into the file, and empty it, because it contains the earlier content of the file."""
    connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
    for _ in range(_TRIES):
        busy, _pages, _folded = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            return
    raise LogError(
        "the data is erased from the log but may still be in its journal, because another process kept reading it:"
        " run the command again"
    )


def _batches(rows: list[T]) -> list[list[T]]:
    return [rows[first : first + _BATCH_ROWS] for first in range(0, len(rows), _BATCH_ROWS)]
