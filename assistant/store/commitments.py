"""Keeps the commitments that erasures leave of receipts, in the log's own file."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from assistant.errors import LogError
from assistant.store.connection import connect, connect_to_read
from assistant.store.schema import bring_up_to_date

_KEEP = "INSERT OR IGNORE INTO commitments VALUES (?, ?)"
_FIND = "SELECT erased_ms FROM commitments WHERE commitment = ?"


def keep_commitments(log: Path, commitments: Sequence[bytes], erased_ms: int) -> None:
    """Keep them durably; one that is kept already stays as it is. Raises ``LogError``."""
    if not commitments:
        return
    try:
        with closing(connect(log)) as connection:
            bring_up_to_date(connection, str(log))
            connection.executemany(_KEEP, [(each, erased_ms) for each in commitments])
    except sqlite3.Error as error:
        raise LogError(f"{log} could not keep the commitments of receipts: {error}") from error


def erased_at(log: Path, commitment: bytes) -> int | None:
    """When the entries behind this receipt were erased, in Unix ms; None when they were not erased here.

    Raises ``LogError``.
    """
    try:
        with closing(connect_to_read(log)) as connection:
            row = connection.execute(_FIND, (commitment,)).fetchone()
    except sqlite3.OperationalError:
        return None  # the log of an older release
    except sqlite3.Error as error:
        raise LogError(f"{log} could not be read: {error}") from error
    return None if row is None else int(row[0])
