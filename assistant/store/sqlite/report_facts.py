"""Facts about conversations for reports, so that only changed conversations are read again: one small SQLite file.

It contains no text. You may delete it: then the next report reads all conversations, without the deleted ones.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import orjson

from assistant.conversation.customer import ConversationKey
from assistant.reports.collect import StoredFacts
from assistant.store.sqlite.file import SqliteKeyValue, transaction

REPORTS_FILE: Final = "reports.db"
"""The file's name in a data folder."""

_TABLES = """
CREATE TABLE IF NOT EXISTS facts (
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    last_ms      INTEGER NOT NULL,  -- the time of the last entry that was read
    form         TEXT    NOT NULL,  -- how the facts were computed
    facts        BLOB    NOT NULL,  -- JSON
    days         BLOB    NOT NULL,  -- the number of visits by day, as JSON
    PRIMARY KEY (tenant, customer, conversation)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deleted (
    tenant TEXT    NOT NULL,
    day    TEXT    NOT NULL,
    visits INTEGER NOT NULL,        -- of conversations that no longer exist
    PRIMARY KEY (tenant, day)
) WITHOUT ROWID;
"""
_LOAD = "SELECT customer, conversation, last_ms, facts, days FROM facts WHERE tenant = ? AND form = ?"
_KEEP = "REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)"
_COUNT = """
INSERT INTO deleted SELECT facts.tenant, each.key, each.value
FROM facts, json_each(CAST(facts.days AS TEXT)) AS each
WHERE facts.tenant = ?1 AND facts.customer = ?2 AND ?3 IN (facts.conversation, '')
ON CONFLICT DO UPDATE SET visits = visits + excluded.visits
"""
_FORGET = "DELETE FROM facts WHERE tenant = ?1 AND customer = ?2 AND ?3 IN (conversation, '')"


class SqliteFacts:
    """Facts of conversations. See the port :class:`assistant.reports.collect.FactsStore`.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, _TABLES, "facts for reports")

    async def load(self, tenant: str, form: str) -> dict[ConversationKey, StoredFacts]:
        """The facts of a tenant's conversations that were computed in this form."""
        rows = await self._file.ask(lambda file: file.execute(_LOAD, (tenant, form)).fetchall())
        return {
            ConversationKey(tenant=tenant, customer=customer, conversation=conversation): StoredFacts(
                last_ms=last_ms, facts=facts, days=orjson.loads(days)
            )
            for customer, conversation, last_ms, facts, days in rows
        }

    async def keep(self, form: str, facts: Mapping[ConversationKey, StoredFacts]) -> None:
        """Store facts in place of earlier facts."""
        rows = [
            (*_names(key), one.last_ms, form, one.facts, orjson.dumps(dict(one.days)))
            for key, one in facts.items()
        ]

        def write(file: sqlite3.Connection) -> None:
            with transaction(file, "IMMEDIATE"):
                file.executemany(_KEEP, rows)

        await self._file.ask(write)

    async def forget(self, keys: Sequence[ConversationKey]) -> None:
        """Delete the facts of conversations that were deleted, and count their visits by day."""
        for key in keys:
            await self._forget(_names(key))

    async def erase(self, tenant: str, customer: str) -> None:
        """Delete the facts of a customer's conversations, and count their visits by day."""
        if self._file.exists:
            await self._forget((tenant, customer, ""))

    async def deleted(self, tenant: str) -> dict[str, int]:
        """How many visits the conversations had that are deleted, for each day."""
        question = "SELECT day, visits FROM deleted WHERE tenant = ?"
        return dict(await self._file.ask(lambda file: file.execute(question, (tenant,)).fetchall()))

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()

    async def _forget(self, which: tuple[str, str, str]) -> None:
        def write(file: sqlite3.Connection) -> None:
            with transaction(file, "IMMEDIATE"):
                file.execute(_COUNT, which)
                file.execute(_FORGET, which)

        await self._file.ask(write)


def _names(key: ConversationKey) -> tuple[str, str, str]:
    return key.tenant, key.customer, key.conversation
