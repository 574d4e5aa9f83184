"""Brings a SQLite file to the newest schema, by numbered files that are each applied once."""

import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from assistant.errors import DeclarationError


def bring_up_to_date(connection: sqlite3.Connection, where: str) -> None:
    """Apply what this file does not have yet, in the order of the numbers; all or nothing.

    Args:
        connection: in autocommit mode.
        where: the file's name, for the error.

    Raises:
        DeclarationError: the file was written by a newer release than this one.
    """
    connection.execute("BEGIN IMMEDIATE")  # two processes may open the same file at once
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
        )
        (has,) = connection.execute("SELECT coalesce(max(number), 0) FROM schema").fetchone()
        for number, file in _steps_after(has, where):
            _apply(connection, number, file)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _steps_after(has: int, where: str) -> list[tuple[int, Traversable]]:
    folder = files("assistant.store") / "sqlite"
    steps = {
        int(file.name[:4]): file for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name)
    }
    newest = max(steps)
    if has > newest:
        raise DeclarationError(
            f"{where} was written by a newer release (its schema is number {has}, the newest known here is"
            f" {newest}): install that release again, or set ASSISTANT_DATA_DIR to another folder"
        )
    return [(number, steps[number]) for number in range(has + 1, newest + 1)]


def _apply(connection: sqlite3.Connection, number: int, file: Traversable) -> None:
    for statement in _statements(file.read_text(encoding="utf-8")):
        connection.execute(statement)
    connection.execute("INSERT INTO schema VALUES (?, ?)", (number, file.name))


def _statements(script: str) -> Iterator[str]:
    """Cut a script into its statements; ``executescript`` would end the transaction that we are in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
