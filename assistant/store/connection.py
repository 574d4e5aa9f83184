"""Opens the SQLite file, to write or only to look."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

_BUSY_S = 5.0
"""How long a statement that reads waits for another process, such as a backup."""

_WRITE_S = 60.0
"""How long one that writes does: for as long as the file may be written anew, when somebody is erased."""


def connect(path: Path) -> sqlite3.Connection:
    """A connection in autocommit mode whose commits are on the disk when they return.

    It may be opened in one thread and used in another, by one at a time.
    """
    # Autocommit: we say ourselves when a transaction begins.
    connection = sqlite3.connect(path, timeout=_WRITE_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # What is deleted is overwritten: who is erased must not be found in the free pages.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """A connection that cannot change anything, also while a server writes. The file must exist."""
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, timeout=_BUSY_S)
