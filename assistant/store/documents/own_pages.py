"""Lays a row of SQLite out so that what it holds stands on pages of its own."""

import sqlite3

_HEADER = 40
_ROUGHLY = 50
"""By how many bytes ``_HEADER`` may be wrong for a row, to either side."""


def margin_and_filler(file: sqlite3.Connection, ahead: int, content: int) -> tuple[int, int]:
    """How many zeros a row needs before its content, and how many behind it.

    SQLite keeps the first part of a long row on a page that it shares with others, and moves it between pages as
    they fill and empty: copies stay behind in the gaps, which ``secure_delete`` does not reach. The rest of the row
    stands on pages of its own, which are overwritten when they become free. So the shared part has to be zeros: the
    row is filled up to the length at which SQLite shares as little of it as it ever does.

    Args:
        file: where the row will be kept.
        ahead: the bytes of text and blobs in the columns before the margin.
        content: the bytes in the columns between margin and filler.
    """
    (page,) = file.execute("PRAGMA page_size").fetchone()
    shared = (page - 12) * 32 // 255 - 23
    margin = shared + 2 * _ROUGHLY
    length = ahead + _HEADER + margin + content
    return margin, (shared + _ROUGHLY - length) % (page - 4)
