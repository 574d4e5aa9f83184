"""The tables of the SQLite log: encoding, inserting and reading entries."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import orjson

from assistant.conversation.codec import entry_from_json, entry_to_json, kind_of
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Entry, Logged
from assistant.errors import LogError
from assistant.storage_ports import Numbering
from assistant.store.memory_log import (
    Progress,
    already_said,
    changes_progress,
    check_numbering,
    client_message_ids,
    progress_after,
)
from assistant.store.sqlite.file import transaction
from assistant.store.sqlite.write_queue import add_results

_Row: TypeAlias = tuple[str, str, str, int, int, str, int, str, bytes, str | None, int]

_LAST = "SELECT max(seq) FROM entries WHERE tenant = ? AND customer = ? AND conversation = ?"
_SAID = "SELECT 1 FROM entries WHERE tenant = ? AND customer = ? AND conversation = ? AND said = ?"
_KEEP = "INSERT INTO entries VALUES "
_ROW = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PROGRESS = (
    "SELECT open_turn, waiting, handoff, long_calls FROM conversations"
    " WHERE tenant = ? AND customer = ? AND conversation = ?"
)
_OPEN = (
    "INSERT INTO conversations (tenant, customer, conversation, opened_ms, open_turn, waiting, handoff, long_calls,"
    " reached) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_MOVE = (
    "UPDATE conversations SET open_turn = ?, waiting = ?, handoff = ?, long_calls = ?, reached = ?"
    " WHERE tenant = ? AND customer = ? AND conversation = ?"
)
_READ = (
    "SELECT seq, at_ms, turn_id, kind, body, fence, checksum FROM entries"
    " WHERE tenant = ? AND customer = ? AND conversation = ? AND seq > ? ORDER BY seq"
)
_NUMBERING = (
    "SELECT erasures.count, restores.id, coalesce((SELECT restored_seq FROM conversations"
    " WHERE tenant = ? AND customer = ? AND conversation = ?), 0) FROM erasures, restores"
)
_REACHED = "SELECT reached FROM conversations WHERE tenant = ? AND customer = ? AND conversation = ?"
_CONVERSATIONS = (
    "SELECT conversation FROM conversations WHERE tenant = ? AND customer = ?"
    " ORDER BY opened_ms, conversation"
)
_UNFINISHED = (
    "SELECT tenant, customer, conversation FROM conversations"
    " WHERE open_turn <> '' OR waiting <> '' OR handoff <> '' OR long_calls <> ''"
)
_VISITORS = (
    "SELECT DISTINCT customer FROM entries WHERE kind = 'identified' AND tenant = ?"
    " AND json_extract(CAST(body AS TEXT), '$.customer') = ? AND customer <> ?"
)

_ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Addition:
    """The entries of one caller, already encoded, so that an encoding error reaches only that caller."""

    key: tuple[str, str, str]
    entries: Sequence[Logged]
    rows: Sequence[_Row]


def encode_addition(key: ConversationKey, entries: Sequence[Logged]) -> Addition:
    """Encode entries for the table.

    Raises:
        LogError: an entry contains a value that is not JSON.
    """
    ours = (key.tenant, key.customer, key.conversation)
    return Addition(ours, entries, [_row(ours, logged) for logged in entries])


def _row(key: tuple[str, str, str], logged: Logged) -> _Row:
    entry = logged.entry
    try:
        body = body_of(entry)
    except TypeError as error:
        raise LogError(
            f"entry {logged.seq}, a {kind_of(entry)}, cannot be written as JSON: {error}"
        ) from error
    said = entry.client_message_id if isinstance(entry, CustomerMessage) else None
    kind = kind_of(entry)
    checksum = checksum_of(logged.seq, logged.at_ms, logged.turn_id, kind, body)
    return (*key, logged.seq, logged.at_ms, logged.turn_id, logged.fence, kind, body, said, checksum)


def checksum_of(seq: int, at_ms: int, turn_id: str, kind: str, body: bytes) -> int:
    """A checksum that detects an entry's row that a damaged disk has changed."""
    return crc32(body, crc32(f"{seq} {at_ms} {turn_id} {kind}".encode("utf-8", "surrogatepass")))


def body_of(entry: Entry) -> bytes:
    """An entry's fields as stored in the table. Raises ``TypeError`` for values that are not JSON."""
    return orjson.dumps(entry_to_json(entry), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, Sequence):
        return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    raise TypeError(f"{type(value).__name__} is not JSON")


def keep_addition(connection: sqlite3.Connection, new: Addition) -> None:
    """Store an addition, within a transaction. A refused addition changes nothing.

    Raises:
        LogConflict: a number is already used or leaves a gap.
        AlreadySaid: a client's message id is already used.
    """
    (last,) = connection.execute(_LAST, new.key).fetchone()
    check_numbering(new.entries, last or 0)
    for message in client_message_ids(new.entries):
        if connection.execute(_SAID, (*new.key, message)).fetchone():
            raise already_said(message)
    _insert(connection, new.rows)
    add_results(connection, new.key, new.entries)
    reached = new.entries[-1].seq
    if last is None:
        progress = progress_after(Progress(), new.entries)
        opened_ms = new.entries[0].at_ms
        connection.execute(_OPEN, (*new.key, opened_ms, *_columns(progress), reached))
    elif changes_progress(new.entries):
        progress = progress_after(Progress(*connection.execute(_PROGRESS, new.key).fetchone()), new.entries)
        connection.execute(_MOVE, (*_columns(progress), reached, *new.key))


def _columns(progress: Progress) -> tuple[str, str, str, str]:
    return progress.open_turn, progress.waiting, progress.handoff, progress.long_calls


def _insert(connection: sqlite3.Connection, rows: Sequence[_Row]) -> None:
    # One statement for many rows: each statement passes the interpreter's lock to the event loop and takes it
    # back, which takes longer than the row.
    for first in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[first : first + _ROWS_AT_ONCE]
        connection.execute(_KEEP + ", ".join([_ROW] * len(some)), [value for row in some for value in row])


def read_entries(connection: sqlite3.Connection, key: ConversationKey, above: int) -> list[Logged]:
    """The entries with a number above ``above``, in order.

    Raises:
        LogError: an entry is damaged or missing, or has not the form of this release; with its number.
    """
    ours = (key.tenant, key.customer, key.conversation)
    with transaction(connection, "DEFERRED"):
        try:
            (reached,) = connection.execute(_REACHED, ours).fetchone() or (0,)
            rows = connection.execute(_READ, (*ours, above)).fetchall()
        except sqlite3.OperationalError:
            # A command reads the log of an older release.
            reached, rows = (
                0,
                connection.execute(_READ.replace(", checksum", ", NULL"), (*ours, above)).fetchall(),
            )
    found = list[Logged]()
    for number, row in enumerate(rows, max(above, 0) + 1):
        try:
            found.append(_entry(number, *row))
        except LogError as error:
            raise LogError(f"conversation {key.conversation}, entry {number}: {error}") from error
    if (last := max(above, 0) + len(found)) < reached:
        raise LogError(f"conversation {key.conversation}, entry {last + 1}: {_MISSING}")
    return found


_MISSING = "it is missing, so the log is damaged: restore a backup"


def _entry(
    number: int, seq: int, at_ms: int, turn_id: str, kind: str, body: object, fence: int, checksum: int | None
) -> Logged:
    if seq != number:
        raise LogError(_MISSING)
    if checksum is not None and (
        not isinstance(body, bytes) or checksum != checksum_of(seq, at_ms, turn_id, kind, body)
    ):
        raise LogError("its checksum is wrong, so the log is damaged: restore a backup")
    assert isinstance(body, bytes | str)  # noqa: S101 - without a checksum it may have been edited by hand
    return Logged(seq, at_ms, turn_id, entry_from_json(kind, orjson.loads(body)), fence)


def read_entries_of_kinds(
    connection: sqlite3.Connection, key: ConversationKey, kinds: Collection[str]
) -> list[Logged]:
    """The entries of these kinds, in order. Raises ``LogError`` with the number of a damaged one."""
    order = _READ.replace("seq > ?", f"kind IN ({', '.join('?' * len(kinds))})")
    found = list[Logged]()
    for row in connection.execute(order, (key.tenant, key.customer, key.conversation, *kinds)).fetchall():
        try:
            found.append(_entry(row[0], *row))
        except LogError as error:
            raise LogError(f"conversation {key.conversation}, entry {row[0]}: {error}") from error
    return found


def list_conversations(connection: sqlite3.Connection, tenant: str, customer: str) -> list[str]:
    """The ids of a customer's conversations, oldest first."""
    return [conversation for (conversation,) in connection.execute(_CONVERSATIONS, (tenant, customer))]


def list_visitors(connection: sqlite3.Connection, tenant: str, customer: str) -> list[str]:
    """The visitors who were identified as this customer."""
    return [visitor for (visitor,) in connection.execute(_VISITORS, (tenant, customer, customer))]


def read_numbering(connection: sqlite3.Connection, key: ConversationKey) -> Numbering:
    """The erasures and the last restore of this log, and the conversation's last number at that time."""
    ours = (key.tenant, key.customer, key.conversation)
    erasures, restore, seq = connection.execute(_NUMBERING, ours).fetchone()
    return Numbering(erasures=erasures, restore=restore, restored_seq=seq)


def list_unfinished(connection: sqlite3.Connection) -> list[ConversationKey]:
    """The conversations in which the assistant, or an agent, still has to answer."""
    return [
        ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        for tenant, customer, conversation in connection.execute(_UNFINISHED)
    ]
