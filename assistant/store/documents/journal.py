"""Empties SQLite's journal, which holds what the file held before."""

import sqlite3

from assistant.errors import StoreError

_WAIT_MS = 250
"""How long one try waits for whoever reads. No longer: who wants to write waits as well."""

_TRIES = 20


def fold_the_journal(file: sqlite3.Connection) -> None:
    """Fold the journal into the file, and empty it.

    Raises:
        StoreError: somebody was reading all the time.
    """
    (patience,) = file.execute("PRAGMA busy_timeout").fetchone()
    file.execute(f"PRAGMA busy_timeout = {_WAIT_MS}")
    try:
        for _ in range(_TRIES):
            busy, _pages, _folded = file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
    finally:
        file.execute(f"PRAGMA busy_timeout = {patience}")
    raise StoreError(
        "what was deleted is found no more but may still stand in the file's journal, which somebody was reading"
        " all the time: end that and ask again"
    )
