"""Decides whether a trial passed: compares snapshots of the company's database from before and after."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, assert_never

from assistant.evaluation.tasks import Added, Change, Changed, Removed, Task, pattern_of

Row: TypeAlias = Mapping[str, str]
"""Each column's value as text; "null" for none."""

Snapshot: TypeAlias = Mapping[str, Mapping[str, Row]]
"""Table, then the row's key, then the row. Keys of several columns are joined by "/"."""


@dataclass(frozen=True, slots=True)
class RowChanged:
    """A row has different values: column, from, to."""

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
    """A row was removed."""

    table: str
    row: str

    def __str__(self) -> str:
        return f"{self.table} {self.row} is gone"


Difference: TypeAlias = RowChanged | RowAdded | RowRemoved


def read_snapshot(file: Path) -> Snapshot:
    """All tables in a file; empty if there is no such file. SQLite's own tables are left out."""
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file)) as db:
        tables = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
        ).fetchall()
        return {str(name): dict(_rows(db, str(name))) for (name,) in tables}


def differences(before: Snapshot, after: Snapshot, ignore: Collection[str] = ()) -> list[Difference]:
    """The differences, in the order of tables and rows."""
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


_LONGEST = 400
"""How many characters of what was said a complaint shows."""

_PLAIN = str.maketrans(
    {"\u00a0": " ", "\u202f": " ", "\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'}
)


def judge(task: Task, changes: Sequence[Difference], said: Sequence[str], ran: Collection[str]) -> list[str]:
    """The unmet expectations, one line each; empty if the task is done.

    Args:
        task: with its expectations.
        changes: what is different in the books.
        said: the assistant's messages, in order.
        ran: the names of the tools that were run.
    """
    return [*_state(task, changes), *_words(task, said), *_calls(task, ran)]


def _state(task: Task, changes: Sequence[Difference]) -> Iterator[str]:
    left = list(changes)
    for wanted in task.changes:
        found = next((one for one in left if _fits(wanted, one)), None)
        if found is None:
            yield f"state: expected {_spelled(wanted)}; it did not come to that"
        else:
            left.remove(found)
    for one in left:
        yield f"state: nobody expected {one}"


def _fits(wanted: Change, found: Difference) -> bool:
    match wanted, found:
        case Changed(), RowChanged():
            here = (found.table, found.row) == (wanted.table, wanted.row)
            return here and {column: now for column, _, now in found.columns} == wanted.changed
        case Added(), RowAdded():
            return found.table == wanted.table and wanted.added.items() <= found.values.items()
        case Removed(), RowRemoved():
            return (found.table, found.row) == (wanted.table, wanted.removed)
        case _:
            return False


def _spelled(wanted: Change) -> str:
    match wanted:
        case Changed(table=table, row=row, changed=changed):
            return f"{table} {row}: " + ", ".join(f"{name} -> {value!r}" for name, value in changed.items())
        case Added(table=table, added=added):
            return f"a new row in {table}: " + ", ".join(f"{name} {value!r}" for name, value in added.items())
        case Removed(table=table, removed=row):
            return f"{table} {row} to be gone"
        case _:
            assert_never(wanted)


def _words(task: Task, said: Sequence[str]) -> Iterator[str]:
    spoken = " ".join(" ".join(said).translate(_PLAIN).split())
    for choice in task.must:
        if not any(pattern_of(words).search(spoken) for words in choice):
            yield f"must: expected {' or '.join(map(repr, choice))}; said was {_shortened(spoken)!r}"
    for words in task.must_not:
        if (found := pattern_of(words).search(spoken)) is not None:
            around = spoken[max(0, found.start() - 60) : found.end() + 60]
            yield f"must_not: {words!r} was said: {around!r}"


def _calls(task: Task, ran: Collection[str]) -> Iterator[str]:
    told = ", ".join(dict.fromkeys(ran)) or "nothing"
    for tool in task.calls:
        if tool not in ran:
            yield f"calls: expected {tool}; {told} was run"
    for tool in task.calls_not:
        if tool in ran:
            yield f"calls_not: {tool} was run"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
