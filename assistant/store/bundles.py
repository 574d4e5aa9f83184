"""Stores the prompts of each bundle as long as conversations may continue with it."""

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from assistant.errors import LogError
from assistant.store.sqlite_file import connect

_KEEP = "INSERT OR IGNORE INTO bundles VALUES (?, ?, ?, ?)"
_READ = "SELECT kept_ms, tools, prompts FROM bundles WHERE bundle = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBundle:
    """The contents of one bundle.

    ``prompts`` are the files' texts by their path in the folder. Of the ``tools`` only a hash is stored, to
    tell whether today's are the same. ``kept_ms`` is when it was first used, in Unix time.
    """

    bundle: str
    kept_ms: int
    tools: str
    prompts: Mapping[str, str]


def read_bundle(connection: sqlite3.Connection, bundle: str) -> StoredBundle | None:
    """The bundle with this name; None if it was never stored here."""
    row = connection.execute(_READ, (bundle,)).fetchone()
    if row is None:
        return None
    kept_ms, tools, prompts = row
    return StoredBundle(bundle=bundle, kept_ms=kept_ms, tools=tools, prompts=orjson.loads(prompts))


class SqliteBundles:
    """The bundles, in the log's own file, so that one backup has both.

    Its methods wait for the disk and are called rarely: in a thread, one at a time.

    Args:
        path: the log's file, which a :class:`SqliteLog` has opened before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, kept: StoredBundle) -> None:
        """Store a bundle durably; nothing changes if it is already stored. Raises ``LogError``."""
        prompts = orjson.dumps(dict(kept.prompts))
        with self._connected() as connection:
            connection.execute(_KEEP, (kept.bundle, kept.kept_ms, kept.tools, prompts))

    def read(self, bundle: str) -> StoredBundle | None:
        """The bundle with this name; None if it was never stored here. Raises ``LogError``."""
        with self._connected() as connection:
            return read_bundle(connection, bundle)

    @contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        try:
            with closing(connect(self._path)) as connection:
                yield connection
        except sqlite3.Error as error:
            raise LogError(f"the bundles in {self._path} cannot be used: {error}") from error
