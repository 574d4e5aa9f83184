"""What is read at one moment, and what is written all or nothing."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal


@contextmanager
def transaction(file: sqlite3.Connection, kind: Literal["IMMEDIATE", "DEFERRED"]) -> Generator[None]:
    """A block that changes all or nothing (immediate), or sees the file as it was at one moment (deferred)."""
    file.execute(f"BEGIN {kind}")
    try:
        yield
        file.execute("COMMIT")
    except BaseException:
        if file.in_transaction:  # some errors have ended it already
            file.execute("ROLLBACK")
        raise
