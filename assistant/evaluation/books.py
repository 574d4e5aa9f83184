"""The tables of any SQLite file as plain rows, and what is different between two looks at them."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Row: TypeAlias = Mapping[str, str]
"""Each column's value as text; "null" for none."""

Books: TypeAlias = Mapping[str, Mapping[str, Row]]
"""Table, then the row's key, then the row. Keys of several columns are joined by "/"."""


@dataclass(frozen=True, slots=True)
class RowChanged:
    """A row has other values: column, from, to."""

    table: str
    row: str
    columns: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        changes = ", ".join(f"{column} {was!r} -> {now!r}" for column, was, now in self.columns)
        return f"{self.table} {self.row}: {changes}"


@dataclass(frozen=True, slots=True)
class RowAdded:
    """A row is new."""

    table: str
    row: str
    values: Row

    def __str__(self) -> str:
        return f"{self.table} {self.row} is new: {', '.join(f'{name} {at!r}' for name, at in self.values.items())}"


@dataclass(frozen=True, slots=True)
class RowRemoved:
    """A row is gone."""

    table: str
    row: str

    def __str__(self) -> str:
        return f"{self.table} {self.row} is gone"


Difference: TypeAlias = RowChanged | RowAdded | RowRemoved


def read_books(file: Path) -> Books:
    """Everything in a file; nothing when there is no such file. Tables of SQLite's own are left out."""
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        ).fetchall()
        return {str(name): dict(_rows(db, str(name))) for (name,) in tables}


def differences(before: Books, after: Books, ignore: Collection[str] = ()) -> list[Difference]:
    """What is different afterwards, in the order of tables and rows."""
    found: list[Difference] = []
    for table in [*before, *(name for name in after if name not in before)]:
        if table not in ignore:
            found += _in_table(table, before.get(table, {}), after.get(table, {}))
    return found


def _in_table(table: str, before: Mapping[str, Row], after: Mapping[str, Row]) -> Iterator[Difference]:
    for key, was in before.items():
        if key not in after:
            yield RowRemoved(table, key)
        elif columns := tuple(_columns(was, after[key])):
            yield RowChanged(table, key, columns)
    for key, row in after.items():
        if key not in before:
            yield RowAdded(table, key, row)


def _columns(was: Row, now: Row) -> Iterator[tuple[str, str, str]]:
    for column in {**was, **now}:
        before, after = was.get(column, "null"), now.get(column, "null")
        if before != after:
            yield column, before, after


def _rows(db: sqlite3.Connection, table: str) -> Iterator[tuple[str, Row]]:
    quoted = '"' + table.replace('"', '""') + '"'
    columns = db.execute(f"PRAGMA table_info({quoted})").fetchall()
    names = [str(column[1]) for column in columns]
    # The place in the primary key, from 1; 0 for other columns.
    keys = [
        place for _, place in sorted((column[5], place) for place, column in enumerate(columns) if column[5])
    ]
    # Without a key of its own, the table's hidden number tells rows apart.
    hidden = "" if keys else "rowid, "
    for row in db.execute(f"SELECT {hidden}* FROM {quoted}"):  # noqa: S608 - quoted above
        values = [_text(value) for value in (row if keys else row[1:])]
        key = "/".join(values[place] for place in keys) if keys else str(row[0])
        yield key, dict(zip(names, values, strict=True))


def _text(value: object) -> str:
    if value is None:
        return "null"
    return value.hex() if isinstance(value, bytes) else str(value)
