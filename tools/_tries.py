"""Counts how often somebody claimed in vain to be a customer, over all conversations."""

import sqlite3
from datetime import datetime, timedelta

_MOST = 5
_WHILE = timedelta(hours=1)


def too_many(db: sqlite3.Connection, claimed: str, now: datetime) -> bool:
    """Whether this order or address was claimed in vain too often of late: then it proves nothing for a while."""
    (failed,) = db.execute(
        "SELECT count(*) FROM failed_tries WHERE claimed = ? AND at > ?",
        [claimed, (now - _WHILE).timestamp()],
    ).fetchone()
    return bool(failed >= _MOST)


def note(db: sqlite3.Connection, claimed: str, now: datetime) -> None:
    """Note that it was claimed in vain; what is older than a while is forgotten."""
    db.execute("DELETE FROM failed_tries WHERE at <= ?", [(now - _WHILE).timestamp()])
    db.execute("INSERT INTO failed_tries VALUES (?, ?)", [claimed, now.timestamp()])
