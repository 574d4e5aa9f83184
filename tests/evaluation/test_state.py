"""Records are what a function of the tools returns, or else a SQLite file; two snapshots can be compared."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.evaluation.state import (
    RowAdded,
    RowChanged,
    RowRemoved,
    Tables,
    differences,
    read_sqlite,
    reset_records,
    take_snapshot,
)
from assistant.tools.discovery import open_package

SCHEMA = """
CREATE TABLE orders (number INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT, seal BLOB);
CREATE TABLE seats (hall TEXT, place INTEGER, taken INTEGER, PRIMARY KEY (place, hall));
CREATE TABLE "odd ""name" (word TEXT);
CREATE VIEW open_orders AS SELECT * FROM orders;
INSERT INTO orders (status, seal) VALUES ('new', x'00ff'), ('new', NULL);
INSERT INTO seats VALUES ('a', 1, 0);
INSERT INTO "odd ""name" VALUES ('one'), ('one');
"""

After = Callable[[str], tuple[Tables, Tables]]


@pytest.fixture
def after(tmp_path: Path) -> After:
    """The books before and after some statements."""
    file = tmp_path / "crm.db"

    def run(statements: str) -> tuple[Tables, Tables]:
        with closing(sqlite3.connect(file)) as db:
            db.executescript(SCHEMA)
            before = read_sqlite(file)
            db.executescript(statements)
            return before, read_sqlite(file)

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


def test_a_missing_file_is_empty(tmp_path: Path) -> None:
    assert read_sqlite(tmp_path / "crm.db") == {}
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


@pytest.fixture
def tools(tmp_path: Path) -> Callable[[str], None]:
    """Makes a folder with this ``_evaluation.py`` the package ``tools``."""

    def open_with(source: str) -> None:
        (tmp_path / "tools").mkdir()
        (tmp_path / "tools" / "_evaluation.py").write_text(source)
        open_package(tmp_path / "tools")

    return open_with


async def test_a_function_of_the_tools_returns_the_records(
    tools: Callable[[str], None], tmp_path: Path
) -> None:
    tools("""
orders = {7: {"status": "new", "items": [{"b": 1, "a": None}], "paid": True}}
async def reset():
    orders[7]["status"] = "reset"
def snapshot():
    return {"orders": orders, "counts": {"open": 1}}
""")

    before = await take_snapshot(tmp_path)
    await reset_records()
    after = await take_snapshot(tmp_path)

    assert before.tables == {
        "orders": {"7": {"status": "new", "items": '[{"a": null, "b": 1}]', "paid": "true"}},
        "counts": {"open": {"value": "1"}},
    }
    assert differences(before.tables, after.tables) == [
        RowChanged("orders", "7", (("status", "new", "reset"),))
    ]
    assert before.digest != after.digest


async def test_without_such_a_function_the_database_is_read(
    after: After, tools: Callable[[str], None], tmp_path: Path
) -> None:
    after("")
    tools("")

    await reset_records()

    assert list((await take_snapshot(tmp_path)).tables) == ["orders", "seats", 'odd "name']
    assert (await take_snapshot(tmp_path / "elsewhere")).tables == {}


async def test_records_that_are_no_tables_are_refused(tools: Callable[[str], None], tmp_path: Path) -> None:
    tools("def snapshot(): return [1, 2]")

    with pytest.raises(DeclarationError, match=r"must return a mapping \{table: .* not \[1, 2\]"):
        await take_snapshot(tmp_path)


async def test_a_mistake_in_the_file_is_not_taken_for_a_missing_one(
    tools: Callable[[str], None], tmp_path: Path
) -> None:
    tools("import no_such_module_at_all")

    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        await take_snapshot(tmp_path)
