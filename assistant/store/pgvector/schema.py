"""Brings a database to the newest schema, by numbered files that are each applied once."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from assistant.errors import StoreError
from assistant.store.pgvector.driver import Connection

SCHEMA = "meanwhile"
"""The corner of the database that is ours: whatever else is in it may have tables of the same names."""

_LOCK = 0x6D65616E  # "mean": any number, as long as every replica takes the same
_EXISTS = "SELECT to_regclass('meanwhile.steps') IS NOT NULL"
_NUMBERS = """
CREATE SCHEMA IF NOT EXISTS meanwhile;
CREATE TABLE IF NOT EXISTS meanwhile.steps (number integer PRIMARY KEY, name text NOT NULL);
"""
_HAS = "SELECT coalesce(max(number), 0) FROM meanwhile.steps"
_DONE = "INSERT INTO meanwhile.steps (number, name) VALUES ($1, $2)"


async def bring_up_to_date(connection: Connection) -> None:
    """Apply what this database does not have yet, in the order of the numbers; all or nothing.

    Any number of replicas may call it at once: one applies, the others wait for it and find it done.

    Args:
        connection: whose search path begins with our corner.

    Raises:
        StoreError: the tables were made by a newer release than this one.
    """
    if await version(connection) == newest():
        return  # whoever only reads and writes need not be allowed to create
    async with connection.transaction():
        # Until the transaction ends; creating what "IF NOT EXISTS" does not find fails when two do it at once.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
        await connection.execute(_NUMBERS)
        for number, file in _steps_after(int(str(await connection.fetchval(_HAS)))):
            await connection.execute(file.read_text(encoding="utf-8"))
            await connection.execute(_DONE, number, file.name)


async def version(connection: Connection) -> int:
    """The number of the newest file that was applied; 0 for a database without our tables. Only looks."""
    if not await connection.fetchval(_EXISTS):
        return 0
    return int(str(await connection.fetchval(_HAS)))


def newest() -> int:
    """The number of the newest schema that this release knows."""
    return max(_steps())


def _steps_after(has: int) -> list[tuple[int, Traversable]]:
    steps = _steps()
    if has > max(steps):
        raise StoreError(
            f"the tables were made by a newer release (their schema is number {has}, the newest known here is"
            f" {max(steps)}): install that release again, or set ASSISTANT_DOCUMENTS to another database"
        )
    return [(number, steps[number]) for number in range(has + 1, max(steps) + 1)]


def _steps() -> dict[int, Traversable]:
    folder = files("assistant.store") / "pgvector"
    return {
        int(file.name[:4]): file for file in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", file.name)
    }
