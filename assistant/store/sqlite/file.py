"""Opens SQLite files and changes them: connections, schema steps, transactions, and a thread for each connection.

All SQLite adapters use it. The numbered SQL steps are in store/migrations/sqlite. The schema number counts the
changes of tables. The format number, SQLite's user_version, is for the entries in them; it is compared before
any data is read.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import quote

from assistant.conversation.codec import FORMAT
from assistant.errors import DeclarationError, LogError, StoreError

_BUSY_S = 5.0
"""Seconds that a read statement waits for another process, such as a backup."""

_WRITE_S = 60.0
"""Seconds that a write statement waits: the file is rewritten when a customer is erased."""


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode. A commit is on disk when it returns.

    It may be opened in one thread and used in another, but only by one at a time.
    """
    # Autocommit: the code begins transactions explicitly.
    connection = sqlite3.connect(path, timeout=_WRITE_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        # Deleted data is overwritten: the data of an erased customer must not stay in free pages.
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a read-only connection, also while a server writes. The file must exist."""
    return sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, timeout=_BUSY_S)


_HAS_SCHEMA = "SELECT 1 FROM sqlite_master WHERE name = 'schema'"


def check_format(connection: sqlite3.Connection, where: str) -> bool:
    """Whether this file has data, all of it in the format of this release.

    Raises:
        DeclarationError: it has another format, or no format number.
    """
    if (problem := format_problem(connection)) is not None:
        raise DeclarationError(f"{where}: {problem}")
    return connection.execute(_HAS_SCHEMA).fetchone() is not None


def format_problem(connection: sqlite3.Connection) -> str | None:
    """The problem of a file with another format, with its solution; None if the format is right."""
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


def migrate(connection: sqlite3.Connection, where: str) -> None:
    """Apply the missing schema steps, in the order of their numbers; all or none.

    Args:
        connection: in autocommit mode.
        where: the file's name, for the error.

    Raises:
        DeclarationError: a newer release wrote the file, or it has another format.
    """
    connection.execute("BEGIN IMMEDIATE")  # two processes may open the same file at the same time
    try:
        if not check_format(connection, where):
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"
        )
        (has,) = connection.execute("SELECT coalesce(max(number), 0) FROM schema").fetchone()
        for number, file in _steps_to_apply(has, where):
            _apply(connection, number, file)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedFile:
    """A file's schema number, the newest number of this release, and the problem of its format.

    ``pending`` are the names of the missing steps, in order.
    """

    schema: int
    newest: int
    problem: str | None
    pending: tuple[str, ...]


def inspect_file(path: Path) -> InspectedFile:
    """Read a file's numbers; changes nothing. Raises ``LogError`` if the file cannot be read."""
    try:
        with closing(connect_to_read(path)) as connection:
            problem = format_problem(connection)
            (schema,) = connection.execute("SELECT max(number) FROM schema").fetchone()
    except sqlite3.Error as error:
        raise LogError(f"{path} cannot be read: {error}") from error
    steps = _steps()
    pending = tuple(steps[number].name for number in sorted(steps) if number > schema)
    return InspectedFile(schema=schema, newest=max(steps), problem=problem, pending=pending)


def _steps() -> dict[int, Traversable]:
    folder = files("assistant.store") / "migrations" / "sqlite"
    return {
        int(file.name[:4]): file for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name)
    }


def _steps_to_apply(has: int, where: str) -> list[tuple[int, Traversable]]:
    steps = _steps()
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
    """Split a script into its statements, because ``executescript`` would end the current transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def transaction(file: sqlite3.Connection, kind: Literal["IMMEDIATE", "DEFERRED"]) -> Generator[None]:
    """A block that changes everything or nothing (immediate), or reads one consistent state (deferred)."""
    file.execute(f"BEGIN {kind}")
    try:
        yield
        file.execute("COMMIT")
    except BaseException:
        if file.in_transaction:  # some errors have ended it already
            file.execute("ROLLBACK")
        raise


T = TypeVar("T")


async def ask_file(path: Path, kept: str, question: Callable[[sqlite3.Connection], T]) -> T:
    """Run a function with a separate connection, in a thread, and return its result.

    For data that is used rarely. ``kept`` is the name of the content in errors. Raises ``LogError`` if the file
    fails.
    """

    def ask() -> T:
        with closing(connect(path)) as connection:
            return question(connection)

    try:
        return await asyncio.to_thread(ask)
    except sqlite3.Error as error:
        raise LogError(f"{kept} in {path} cannot be used: {error}") from error


_AT_ONCE_MS = 250
"""How long one attempt waits for readers. Meanwhile no other connection can write."""


def empty_journal(file: sqlite3.Connection, patience_ms: int) -> None:
    """Write the journal into the file and empty it; wait up to ``patience_ms`` for readers.

    Raises:
        StoreError: there were readers the whole time.
    """
    (usual_ms,) = file.execute("PRAGMA busy_timeout").fetchone()
    file.execute(f"PRAGMA busy_timeout = {min(patience_ms, _AT_ONCE_MS)}")
    try:
        for _ in range(0, patience_ms, _AT_ONCE_MS):
            busy, _pages, _folded = file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not busy:
                return
    finally:
        file.execute(f"PRAGMA busy_timeout = {usual_ms}")
    raise StoreError(
        "the data is deleted but may still be in the file's journal, because another process kept reading it:"
        " end that process and try again"
    )


class ThreadBoundConnection:
    """A connection and the one thread that uses it, so that no query blocks the event loop.

    Args:
        file: only this object may use the connection.
        name: the thread's name.
        kept: the name of its content in errors.
    """

    def __init__(self, file: sqlite3.Connection, name: str, kept: str = "the store of documents") -> None:
        self._file, self._kept = file, kept
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._closed = False

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function with the connection and return its result. If cancelled, the function may run anyway.

        Raises:
            StoreError: the file fails, or is closed.
        """
        if self._closed:
            raise StoreError(f"{self._kept} did not answer: it is closed")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, question, self._file)
        except sqlite3.Error as error:
            raise StoreError(f"{self._kept} did not answer: {error}") from error

    async def close(self) -> None:
        """Finish pending work and close the file."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()


class SqliteKeyValue:
    """A small SQLite file with its own thread. Queries run in order; a write is on disk when it returns.

    Args:
        path: the file; created at the first query if it does not exist, readable by its owner alone. Its folder
            must exist.
        tables: the SQL that creates missing tables.
        kept: the name of its content in errors ("used tokens").

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path, tables: str, kept: str) -> None:
        self._path, self._tables, self._kept = path, tables, kept
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=kept)
        self._file: sqlite3.Connection | None = None
        try:
            if path.exists():
                self._open()
            elif not path.parent.is_dir():
                raise FileNotFoundError(f"there is no folder {path.parent}")
        except (OSError, sqlite3.Error) as error:
            raise DeclarationError(f"{path} cannot be used: {error}; is ASSISTANT_DATA_DIR right?") from error

    @property
    def exists(self) -> bool:
        """Whether the file exists, so that it can contain data."""
        return self._path.exists()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Run a function with the connection and return its result. Raises ``LogError`` if the file fails, or
        is closed.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._thread, lambda: question(self._file or self._open())
            )
        except (OSError, sqlite3.Error, RuntimeError) as error:  # the last: it is closed
            raise LogError(f"{self._kept} cannot be kept: {error}") from error

    async def close(self) -> None:
        """Finish pending work and close the file."""
        if self._file is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._file.close)
        self._thread.shutdown()

    def _open(self) -> sqlite3.Connection:
        self._path.touch(mode=0o600)
        file = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            file.execute("PRAGMA synchronous = FULL")
            file.execute("PRAGMA secure_delete = ON")  # deleted data is overwritten
            file.executescript(self._tables)
        except BaseException:
            file.close()
            raise
        self._file = file
        return file
