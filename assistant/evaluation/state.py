"""The company's records before and after a trial, and their differences.

The function ``snapshot`` in ``tools/_evaluation.py`` returns them. Without that function, they are the tables
of ``crm.db``, a SQLite file in the trial's data folder.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from inspect import isawaitable
from pathlib import Path
from typing import TypeAlias, cast

from assistant.errors import DeclarationError
from assistant.tools.discovery import PACKAGE

Row: TypeAlias = Mapping[str, str]
"""The value of each column as text; "null" for none, JSON for lists and objects."""

Tables: TypeAlias = Mapping[str, Mapping[str, Row]]
"""Tables by name, and their rows by key. Keys of several columns are joined with "/"."""

DATABASE = "crm.db"
"""The file in the data folder whose tables are read if there is no function."""

_MODULE = f"{PACKAGE}._evaluation"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All records at one moment. ``digest`` is a hash of what the function returned: see :func:`digest_of`."""

    tables: Tables
    digest: str


@dataclass(frozen=True, slots=True)
class RowChanged:
    """A row with different values: for each changed column, its name, the old and the new value."""

    table: str
    row: str
    columns: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        changes = ", ".join(f"{column} {was!r} -> {now!r}" for column, was, now in self.columns)
        return f"{self.table} {self.row}: {changes}"


@dataclass(frozen=True, slots=True)
class RowAdded:
    """A new row."""

    table: str
    row: str
    values: Row

    def __str__(self) -> str:
        return f"{self.table} {self.row} is new: {', '.join(f'{name} {at!r}' for name, at in self.values.items())}"


@dataclass(frozen=True, slots=True)
class RowRemoved:
    """A row that was removed."""

    table: str
    row: str

    def __str__(self) -> str:
        return f"{self.table} {self.row} is gone"


Difference: TypeAlias = RowChanged | RowAdded | RowRemoved


async def reset_records() -> bool:
    """Call the function ``reset`` of ``tools/_evaluation.py``.

    Returns False if the file or the function does not exist. Exceptions of ``reset`` are not caught.
    """
    return await _call("reset") is not None


async def take_snapshot(data_dir: Path) -> Snapshot:
    """Returns the current records.

    Raises:
        DeclarationError: the function returned something other than tables.
    """
    found = await _call("snapshot")
    if found is None:
        tables = read_sqlite(data_dir / DATABASE)
        return Snapshot(tables, digest_of(tables))
    return Snapshot(_tables(found[0]), digest_of(found[0]))


def digest_of(records: object) -> str:
    """Returns the SHA-256 of the records as JSON with sorted keys. tau2 computes the hash of a database in
    the same way.

    >>> digest_of({"b": 1, "a": None}) == hashlib.sha256(b'{"a": null, "b": 1}').hexdigest()
    True
    """
    return hashlib.sha256(json.dumps(records, sort_keys=True, default=str).encode()).hexdigest()


async def _call(name: str) -> tuple[object] | None:
    """Returns the result of the function with this name, in a tuple, or None if there is no such function."""
    try:
        module = import_module(_MODULE)
    except ModuleNotFoundError as error:
        if error.name not in (_MODULE, PACKAGE):
            raise
        return None
    function = cast("Callable[[], object] | None", getattr(module, name, None))
    if function is None:
        return None
    returned = function()
    return (await returned if isawaitable(returned) else returned,)


def _tables(records: object) -> Tables:
    if isinstance(records, Mapping):
        tables = cast("Mapping[object, Mapping[object, object]]", records)
        if all(isinstance(rows, Mapping) for rows in tables.values()):
            return {
                str(name): {str(key): _row(row) for key, row in rows.items()} for name, rows in tables.items()
            }
    given = repr(cast("object", records))[:80]
    raise DeclarationError(
        f"tools/_evaluation.py: snapshot() must return a mapping {{table: {{key: row}}}}, not {given}"
    )


def _row(row: object) -> Row:
    if not isinstance(row, Mapping):
        return {"value": _text(row)}
    columns = cast("Mapping[object, object]", row)
    return {str(name): _text(value) for name, value in columns.items()}


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Mapping | list | tuple | bool):
        return json.dumps(value, sort_keys=True, default=str)
    return str(value)


def read_sqlite(file: Path) -> Tables:
    """Returns all tables in a file, or an empty mapping if there is no such file.

    SQLite's internal tables are left out.
    """
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        ).fetchall()
        return {str(name): dict(_rows(db, str(name))) for (name,) in tables}


def _rows(db: sqlite3.Connection, table: str) -> Iterator[tuple[str, Row]]:
    quoted = '"' + table.replace('"', '""') + '"'
    columns = db.execute(f"PRAGMA table_info({quoted})").fetchall()
    names = [str(column[1]) for column in columns]
    # The position in the primary key, from 1; 0 for other columns.
    keys = [
        place for _, place in sorted((column[5], place) for place, column in enumerate(columns) if column[5])
    ]
    # Without a primary key, the hidden row number distinguishes rows.
    hidden = "" if keys else "rowid, "
    for row in db.execute(f"SELECT {hidden}* FROM {quoted}"):  # noqa: S608 - quoted above
        values = [_text(value) for value in (row if keys else row[1:])]
        key = "/".join(values[place] for place in keys) if keys else str(row[0])
        yield key, dict(zip(names, values, strict=True))


def differences(before: Tables, after: Tables, ignore: Collection[str] = ()) -> list[Difference]:
    """Returns the differences, in the order of tables and rows."""
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
