"""Any SQLite file can be looked at, and two looks compared."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.evaluation.judge import RowAdded, RowChanged, RowRemoved, Snapshot, differences, read_snapshot

SCHEMA = """
CREATE TABLE orders (number INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT, seal BLOB);
CREATE TABLE seats (hall TEXT, place INTEGER, taken INTEGER, PRIMARY KEY (place, hall));
CREATE TABLE "odd ""name" (word TEXT);
CREATE VIEW open_orders AS SELECT * FROM orders;
INSERT INTO orders (status, seal) VALUES ('new', x'00ff'), ('new', NULL);
INSERT INTO seats VALUES ('a', 1, 0);
INSERT INTO "odd ""name" VALUES ('one'), ('one');
"""

After = Callable[[str], tuple[Snapshot, Snapshot]]


@pytest.fixture
def after(tmp_path: Path) -> After:
    """The books before and after some statements."""
    file = tmp_path / "crm.db"

    def run(statements: str) -> tuple[Snapshot, Snapshot]:
        with closing(sqlite3.connect(file)) as db:
            db.executescript(SCHEMA)
            before = read_snapshot(file)
            db.executescript(statements)
            return before, read_snapshot(file)

    return run


def test_everything_is_read_as_text_by_its_key(after: After) -> None:
    books, _ = after("")

    assert books == {
        "orders": {
            "1": {"number": "1", "status": "new", "seal": "00ff"},
            "2": {"number": "2", "status": "new", "seal": "null"},
        },
        "seats": {"1/a": {"hall": "a", "place": "1", "taken": "0"}},
        'odd "name': {"1": {"word": "one"}, "2": {"word": "one"}},
    }


def test_a_file_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read_snapshot(tmp_path / "crm.db") == {}
    assert not list(tmp_path.iterdir())


def test_every_kind_of_difference_is_found(after: After) -> None:
    before, later = after(
        "UPDATE orders SET status = 'sent' WHERE number = 2; DELETE FROM orders WHERE number = 1;"
        "INSERT INTO seats VALUES ('b', 2, 1);"
    )

    assert differences(before, later) == [
        RowRemoved("orders", "1"),
        RowChanged("orders", "2", (("status", "new", "sent"),)),
        RowAdded("seats", "2/b", {"hall": "b", "place": "2", "taken": "1"}),
    ]


def test_tables_may_come_and_go_and_be_ignored(after: After) -> None:
    before, later = after(
        "DROP TABLE seats; CREATE TABLE tips (id INTEGER PRIMARY KEY); INSERT INTO tips VALUES (1)"
    )

    assert differences(before, later) == [RowRemoved("seats", "1/a"), RowAdded("tips", "1", {"id": "1"})]
    assert differences(before, later, ignore=["seats", "tips"]) == []


def test_a_column_that_is_gone_is_a_change(after: After) -> None:
    before, later = after("ALTER TABLE orders DROP COLUMN seal")

    assert differences(before, later) == [RowChanged("orders", "1", (("seal", "00ff", "null"),))]
