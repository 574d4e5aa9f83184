"""Detects a log that has lost its end: the last acknowledged append is noted outside the log and its journal.

SQLite reads its journal up to the first damaged part, and ignores the rest without an error. The ignored part
is always at the end. So nothing is lost if the last append is there.
"""

import os
import sqlite3
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path

from assistant.errors import DeclarationError
from assistant.store.sqlite.file import connect_to_read

_SYNC_EVERY = 64
"""The number of notes for each write to the disk. After a crash of the machine the file may name an earlier
append; after a crash of the process it names the last append.
"""

_HEADER_BYTES = 100
"""The minimum length of an SQLite file."""

_HAS_CONVERSATIONS = "SELECT 1 FROM sqlite_master WHERE name = 'conversations'"
_CONVERSATIONS = "SELECT tenant, customer, conversation FROM conversations"
_LAST = "SELECT max(seq) FROM entries WHERE tenant = ? AND customer = ? AND conversation = ?"


class LastAppend:
    """The file that names the last acknowledged append.

    It is empty when the log has no journal. If it exists, the log has had entries.

    Args:
        log: the log's file.
    """

    def __init__(self, log: Path) -> None:
        self._path = _note_of(log)
        self._file: int | None = None
        self._noted = 0

    def note(self, key: tuple[str, str, str], seq: int) -> None:
        """Note an entry that is on the disk; call it before any caller is told.

        It raises no error: if the note cannot be written, the entries are stored anyway.
        """
        with suppress(OSError):
            if self._file is None:
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.pwrite(self._file, f"{_digest(key)} {seq:16}\n".encode(), 0)
            self._noted += 1
            if self._noted % _SYNC_EVERY == 0:
                os.fdatasync(self._file)

    def close(self) -> None:
        """Empty the file: the log is closed and needs no journal. Does nothing if nothing was noted here."""
        if self._file is not None:
            with suppress(OSError):
                os.ftruncate(self._file, 0)
            os.close(self._file)
            self._file = None


def forget_last_append(log: Path) -> None:
    """Empty the file, because the entry that it names may have been erased on purpose."""
    with suppress(OSError):
        os.truncate(_note_of(log), 0)


def check_nothing_is_lost(log: Path) -> None:
    """Look for the last acknowledged append in the log. Changes neither the log nor its journal.

    Raises:
        DeclarationError: it is missing, or the log is damaged and cannot be read.
    """
    note = _note_of(log)
    try:
        noted = note.read_text("utf-8").split()  # before the log is read: a server may append meanwhile
        digest, seq = (noted[0], int(noted[1])) if noted else ("", 0)
    except FileNotFoundError:
        noted, digest, seq = None, "", 0
    except (OSError, ValueError, IndexError) as error:
        raise DeclarationError(
            f"{note} is damaged or cannot be read: {error}; look at the log with `assistant doctor`, then remove"
            " this file"
        ) from error
    size = log.stat().st_size
    # SQLite would create a new log. A file of 0 bytes is new, unless there was a note before.
    if size < _HEADER_BYTES and (size > 0 or noted is not None):
        anew = "" if size else f"; to begin anew, remove {log}"
        raise DeclarationError(f"{log} is damaged: it was cut off; {_cure(log)}{anew}")
    try:
        with closing(connect_to_read(log)) as connection:
            stored = _last_number(connection, digest)
    except sqlite3.DatabaseError as error:
        raise DeclarationError(f"{log} is damaged or cannot be read: {error}; {_cure(log)}") from error
    if stored < seq:
        raise DeclarationError(
            f"{log} has lost its newest entries, which were acknowledged: its journal {log.name}-wal was damaged or"
            f" removed, or an older copy of the log was put here; {_cure(log)}; or remove {note} to go on without"
            " what is lost"
        )


def _last_number(connection: sqlite3.Connection, digest: str) -> int:
    """The last number of the conversation with this digest; 0 if there is no such conversation."""
    if connection.execute(_HAS_CONVERSATIONS).fetchone() is None or not digest:
        return 0
    for key in connection.execute(_CONVERSATIONS):
        if _digest(key) == digest:
            return int(connection.execute(_LAST, key).fetchone()[0] or 0)
    return 0


def _digest(key: tuple[str, str, str]) -> str:
    """A hash of the conversation's key, from which no one can read the customer's id."""
    return blake2b("\0".join(key).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _note_of(log: Path) -> Path:
    return log.with_name(f"{log.name}-last")


def _cure(log: Path) -> str:
    folder = str(log.parent)
    return f"keep a copy of the folder {folder!r}, then restore a backup (docs/guides/backup.md)"
