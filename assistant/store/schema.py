"""Brings a log's file to the newest schema, by numbered files that are each applied once.

The schema's number counts the tables. The format's number, SQLite's ``user_version``, is of what stands in them: it
is compared before anything is read.
"""

import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from assistant.conversation.codec import FORMAT
from assistant.errors import DeclarationError

_HAS_SCHEMA = "SELECT 1 FROM sqlite_master WHERE name = 'schema'"


def check_format(connection: sqlite3.Connection, where: str) -> bool:
    """Whether anything was ever kept in this file, all of it in the format that this release reads.

    Raises:
        DeclarationError: it was kept in another format, or in one without a number.
    """
    if (problem := other_format(connection)) is not None:
        raise DeclarationError(f"{where}: {problem}")
    return connection.execute(_HAS_SCHEMA).fetchone() is not None


def other_format(connection: sqlite3.Connection) -> str | None:
    """What is wrong with a file whose format this release cannot read, with a cure; None where it can."""
    (has,) = connection.execute("PRAGMA user_version").fetchone()
    if has == FORMAT or (has == 0 and connection.execute(_HAS_SCHEMA).fetchone() is None):
        return None
    found = (
        f"this log has format {has}"
        if has
        else "this log has no format number: it is from before there was one"
    )
    return (
        f"{found}, and this release reads format {FORMAT} alone; set ASSISTANT_DATA_DIR to another folder to begin"
        " anew, or install the release that wrote it"
    )


def bring_up_to_date(connection: sqlite3.Connection, where: str) -> None:
    """Apply what this file does not have yet, in the order of the numbers; all or nothing.

    Args:
        connection: in autocommit mode.
        where: the file's name, for the error.

    Raises:
        DeclarationError: the file was written by a newer release than this one, or in another format.
    """
    connection.execute("BEGIN IMMEDIATE")  # two processes may open the same file at once
    try:
        if not check_format(connection, where):
            connection.execute(f"PRAGMA user_version = {FORMAT}")
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
    folder = files("assistant.store") / "migrations" / "sqlite"
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
