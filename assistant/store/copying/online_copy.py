"""Copies the files of a data folder while a server uses them.

SQLite files are copied with SQLite's own backup, from one point in time: reading begins in all of them before
the first is copied. All other files are copied as they are.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import BinaryIO

from assistant.errors import StoreError
from assistant.store.sqlite.file import connect_to_read

_SQLITE_HEAD = b"SQLite format 3\0"
_JOURNALS = ("-wal", "-shm", "-journal")
_NOT_COPIED = ("lock", "log.db-last", "*.npy")
"""The lock, the note of the last append, and caches, which are rebuilt."""


def copy_online(folder: Path, to: Path, files: Iterable[Path]) -> None:
    """Copy these files of ``folder`` into ``to``, under the same names, readable by their owner alone.

    Raises:
        StoreError: a file cannot be copied, or an SQLite file is damaged.
    """
    databases, others = list[Path](), list[Path]()
    for file in files:
        (databases if is_sqlite(file) else others).append(file)
    try:
        with ExitStack() as reading:
            opened = [(path, reading.enter_context(closing(_reader(path)))) for path in databases]
            # The small files first: while such a file is read, it cannot be written.
            for path, connection in sorted(opened, key=lambda one: one[0].stat().st_size):
                _copy_database(connection, _made(to / path.relative_to(folder)))
                connection.execute("COMMIT")
            for path in others:
                with path.open("rb") as file:
                    write_private(to / path.relative_to(folder), file)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{folder} cannot be copied to {to}: {error}") from error


def files_of(folder: Path) -> Iterator[Path]:
    """The files of a data folder that a backup contains, by name."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)  # unfinished drafts
        if path.is_file() and not hidden and not path.name.endswith(_JOURNALS) and not _is_left_out(name):
            yield path


def is_sqlite(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE_HEAD)) == _SQLITE_HEAD


def _is_left_out(name: Path) -> bool:
    return len(name.parts) == 1 and any(name.match(pattern) for pattern in _NOT_COPIED)


def _reader(path: Path) -> sqlite3.Connection:
    """A connection that sees the file as it is now, without later writes."""
    connection = connect_to_read(path)
    try:
        connection.isolation_level = None
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _copy_database(source: sqlite3.Connection, to: Path) -> None:
    with closing(sqlite3.connect(to, isolation_level=None)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a journal next to it
        (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{to.name} is damaged: {verdict}; look at it with `assistant doctor`")


def write_private(path: Path, content: BinaryIO | bytes) -> None:
    """Write a new file that only its owner can read, and flush it to the disk."""
    with _made(path).open("wb") as file:
        if isinstance(content, bytes):
            file.write(content)
        else:
            shutil.copyfileobj(content, file)
        file.flush()
        os.fsync(file.fileno())


def _made(path: Path) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path
