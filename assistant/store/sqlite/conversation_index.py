"""The index of conversations in the log's own file.

See the port in :mod:`assistant.inspector.conversation_index`.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from assistant.conversation.customer import ConversationKey
from assistant.errors import LogError, StoreError
from assistant.inspector.conversation_index import (
    FINAL,
    FoundConversation,
    IndexedConversation,
    ListedOutcome,
    Position,
    Search,
)
from assistant.store.sqlite.file import ThreadBoundConnection, connect, transaction

T = TypeVar("T")

_LOCATE = (
    "SELECT customer FROM conversations WHERE tenant = ? AND conversation = ? ORDER BY opened_ms DESC LIMIT 1"
)
_LAST_SEQ = (
    "(SELECT max(seq) FROM entries WHERE entries.tenant = those.tenant AND entries.customer = those.customer"
    " AND entries.conversation = those.conversation)"
)
_OUTDATED = (
    "SELECT those.customer, those.conversation FROM conversations AS those LEFT JOIN searchable"  # noqa: S608
    " USING (tenant, customer, conversation)"
    f" WHERE tenant = ? AND (form IS NOT ? OR searchable.seq IS NOT {_LAST_SEQ})"
    " ORDER BY those.opened_ms DESC LIMIT ?"
)
_EXISTS = (
    "SELECT 1 FROM conversations AS those, erasures"  # noqa: S608
    f" WHERE tenant = ? AND customer = ? AND conversation = ? AND count = ? AND {_LAST_SEQ} >= ?"
)
_DELETE = "DELETE FROM searchable WHERE tenant = ? AND customer = ? AND conversation = ?"
_INSERT = (
    "INSERT INTO searchable (tenant, customer, conversation, seq, form, opened_ms, last_ms, busy, outcome,"
    " cost_usd, marks, about) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_WORDS = "INSERT INTO searchable_words (rowid, words, who) VALUES (?, ?, ?)"
_FIND = "SELECT customer, conversation, opened_ms, last_ms, busy, outcome, cost_usd, about FROM searchable"
_MATCHES = "id IN (SELECT rowid FROM searchable_words WHERE searchable_words MATCH ?)"
_HAS_MARK = "EXISTS (SELECT 1 FROM json_each(marks) WHERE value = ?)"

FORGET_DELETED_WORDS = "INSERT INTO searchable_words (searchable_words) VALUES ('optimize')"
"""The full-text index only marks rows as deleted; this rewrites it without them."""


class SqliteConversationIndex:
    """The index, with a connection and a thread of its own.

    Args:
        path: the log's file, which must exist.
    """

    def __init__(self, path: Path) -> None:
        connection = connect(path)
        # A lost row is made again, so no commit has to wait for the disk.
        connection.execute("PRAGMA synchronous = NORMAL")
        self._file = ThreadBoundConnection(connection, "conversation-index", "the index of conversations")

    async def locate(self, tenant: str, conversation: str) -> ConversationKey | None:
        """The key of a conversation of the log; None if there is none."""
        row = await self._ask(lambda file: file.execute(_LOCATE, (tenant, _plain(conversation))).fetchone())
        if row is None:
            return None
        return ConversationKey(tenant=tenant, customer=row[0], conversation=conversation)

    async def find(
        self, tenant: str, search: Search, *, after: Position | None = None, limit: int = 50
    ) -> list[FoundConversation]:
        """The conversations that fit, the one with the newest activity first."""
        conditions, values = _conditions(tenant, search, after)
        query = f"{_FIND} WHERE {' AND '.join(conditions)} ORDER BY last_ms DESC, conversation DESC LIMIT ?"
        rows = await self._ask(lambda file: file.execute(query, (*values, limit)).fetchall())
        return [found_conversation(tenant, row, search.idle_before_ms) for row in rows]

    async def outdated(self, tenant: str, form: str, limit: int) -> list[ConversationKey]:
        """Conversations whose row is missing, of another form, or older than their last entry."""
        rows = await self._ask(lambda file: file.execute(_OUTDATED, (tenant, form, limit)).fetchall())
        return [ConversationKey(tenant=tenant, customer=row[0], conversation=row[1]) for row in rows]

    async def put(self, rows: Sequence[IndexedConversation]) -> None:
        """Store rows, except those of conversations that were erased meanwhile."""

        def write(file: sqlite3.Connection) -> None:
            for row in rows:  # each alone, so that an append waits for one row at most
                with transaction(file, "IMMEDIATE"):
                    _put(file, row)

        if rows:
            await self._ask(write)

    async def close(self) -> None:
        """Finish pending work and close the connection."""
        await self._file.close()

    async def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return await self._file.ask(question)
        except StoreError as error:
            raise LogError(str(error)) from error


def _put(file: sqlite3.Connection, row: IndexedConversation) -> None:
    ours = (row.key.tenant, row.key.customer, row.key.conversation)
    if file.execute(_EXISTS, (*ours, row.erasures, row.seq)).fetchone() is None:
        return
    file.execute(_DELETE, ours)
    added = file.execute(
        _INSERT,
        (
            *ours,
            *(row.seq, row.form, row.opened_ms, row.last_ms, int(row.busy), row.outcome, row.cost_usd),
            *(json.dumps(row.marks), json.dumps(dict(row.about))),
        ),
    )
    file.execute(_INSERT_WORDS, (added.lastrowid, row.words, row.who))


def _conditions(tenant: str, search: Search, after: Position | None) -> tuple[list[str], list[Any]]:
    conditions, values = list[str](["tenant = ?"]), list[Any]([tenant])

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(given)

    if after is not None:
        add("(last_ms, conversation) < (?, ?)", after.last_ms, _plain(after.conversation))
    if search.words or search.who:
        asked = [
            f"{column} : {_quoted(word)} *"
            for column, words in (("words", search.words), ("who", search.who))
            for word in words
        ]
        add(_MATCHES, " AND ".join(asked))
    for mark in search.marks:
        add(_HAS_MARK, _plain(mark))
    final = ", ".join(f"'{one}'" for one in sorted(FINAL))
    if search.outcome == "running":
        add(f"(busy = 1 OR last_ms > ?) AND outcome NOT IN ({final})", search.idle_before_ms)
    elif search.outcome is not None:
        add("outcome = ?", search.outcome)
        if search.outcome not in FINAL:
            add("busy = 0 AND last_ms <= ?", search.idle_before_ms)
    if search.since_ms is not None:
        add("last_ms >= ?", search.since_ms)
    if search.until_ms is not None:
        add("opened_ms < ?", search.until_ms)
    if search.cost_from is not None:
        add("cost_usd >= ?", search.cost_from)
    if search.cost_to is not None:
        add("cost_usd <= ?", search.cost_to)
    return conditions, values


def _quoted(word: str) -> str:
    return '"' + word.replace('"', "") + '"'


def _plain(text: str) -> str:
    """Half a character cannot be compared; nothing that is stored has one."""
    return text.encode("utf-8", "replace").decode()


def found_conversation(tenant: str, row: Sequence[Any], idle_before_ms: int) -> FoundConversation:
    """A row of the index as a list shows it."""
    customer, conversation, opened_ms, last_ms, busy, ended, cost_usd, about = row
    outcome: ListedOutcome = ended
    if outcome not in FINAL and (busy or last_ms > idle_before_ms):
        outcome = "running"
    return FoundConversation(
        key=ConversationKey(tenant=tenant, customer=customer, conversation=conversation),
        opened_ms=opened_ms,
        last_ms=last_ms,
        outcome=outcome,
        cost_usd=cost_usd,
        about=json.loads(about),
    )
