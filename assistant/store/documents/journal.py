"""Empties SQLite's journal, which holds what the file held before."""

import sqlite3

from assistant.errors import StoreError

_AT_ONCE_MS = 250
"""How long one try waits for whoever reads. No longer: meanwhile nobody else can write."""


def fold_the_journal(file: sqlite3.Connection, patience_ms: int) -> None:
    """Fold the journal into the file, and empty it, waiting so long for whoever reads what stands there.

    Raises:
        StoreError: somebody was reading all the time.
    """
    (usual_ms,) = file.execute("PRAGMA busy_timeout").fetchone()
    file.execute(f"PRAGMA busy_timeout = {min(patience_ms, _AT_ONCE_MS)}")
    try:
        for _ in range(0, patience_ms, _AT_ONCE_MS):
            busy, _pages, _folded = file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
    finally:
        file.execute(f"PRAGMA busy_timeout = {usual_ms}")
    raise StoreError(
        "what was deleted is found no more but may still stand in the file's journal, which somebody was reading"
        " all the time: end that and ask again"
    )
