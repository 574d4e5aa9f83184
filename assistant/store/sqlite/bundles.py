"""Stores the prompts of each bundle while conversations may continue with it."""

import sqlite3
from pathlib import Path

import orjson

from assistant.store.sqlite.file import ask_file
from assistant.store.storage import StoredBundle

_KEEP = "INSERT OR IGNORE INTO bundles VALUES (?, ?, ?, ?, ?)"
_NEWEST = "SELECT bundle, kept_ms FROM bundles WHERE tenant = ? ORDER BY kept_ms DESC, bundle LIMIT ?"
_READ = "SELECT kept_ms, tools, prompts FROM bundles WHERE tenant = ? AND bundle = ?"


def read_bundle(connection: sqlite3.Connection, tenant: str, bundle: str) -> StoredBundle | None:
    """The tenant's bundle with this name; None if it was never stored here."""
    row = connection.execute(_READ, (tenant, bundle)).fetchone()
    if row is None:
        return None
    kept_ms, tools, prompts = row
    return StoredBundle(bundle=bundle, kept_ms=kept_ms, tools=tools, prompts=orjson.loads(prompts))


class SqliteBundles:
    """The bundles, in the log's file, so that one backup has both.

    Its methods are called rarely, so each opens the file, in a thread.

    Args:
        path: the log's file, which a :class:`SqliteLog` has opened before.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def keep(self, tenant: str, kept: StoredBundle) -> None:
        """Store a tenant's bundle durably; nothing changes if it is already stored. Raises ``LogError``."""
        row = (tenant, kept.bundle, kept.kept_ms, kept.tools, orjson.dumps(dict(kept.prompts)))
        await ask_file(self._path, "the bundles", lambda connection: connection.execute(_KEEP, row))

    async def read(self, tenant: str, bundle: str) -> StoredBundle | None:
        """The tenant's bundle with this name; None if it was never stored here. Raises ``LogError``."""
        return await ask_file(
            self._path, "the bundles", lambda connection: read_bundle(connection, tenant, bundle)
        )

    async def newest(self, tenant: str, limit: int) -> list[tuple[str, int]]:
        """The names of the tenant's newest bundles, and when each was first used. Raises ``LogError``."""
        return await ask_file(
            self._path,
            "the bundles",
            lambda connection: connection.execute(_NEWEST, (tenant, limit)).fetchall(),
        )
