"""Lists of conversations in the SQLite log, for staff."""

import sqlite3
from collections.abc import Collection

from assistant.conversation.customer import ConversationKey
from assistant.storage_ports import ListedOnly, StoredConversation
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.log_rows import read_entries_of_kinds

_KEYS = "SELECT customer, conversation, opened_ms FROM conversations AS listed WHERE tenant = ?"
_FIND = "SELECT customer FROM conversations WHERE tenant = ? AND conversation = ?"
_COUNT = "SELECT count(*) FROM conversations AS listed WHERE tenant = ?"

ONLY: dict[ListedOnly, str] = {
    "all": "",
    "handoff": " AND handoff <> ''",
    "closed": (
        " AND EXISTS (SELECT 1 FROM entries WHERE entries.tenant = listed.tenant"
        " AND entries.customer = listed.customer AND entries.conversation = listed.conversation"
        " AND kind = 'conversation_closed')"
    ),
}
"""The condition of each part of the list."""


class SqliteConversationList:
    """See the port :class:`assistant.storage_ports.ConversationList`.

    Args:
        log: the log with the conversations.
    """

    def __init__(self, log: SqliteLog) -> None:
        self._log = log

    async def find(self, tenant: str, conversation: str) -> ConversationKey | None:
        """The key of the conversation with this id."""
        row = await self._log.ask(lambda reader: reader.execute(_FIND, (tenant, conversation)).fetchone())
        if row is None:
            return None
        return ConversationKey(tenant=tenant, customer=row[0], conversation=conversation)

    async def newest(
        self,
        tenant: str,
        kinds: Collection[str],
        limit: int,
        *,
        before: tuple[int, str] | None = None,
        only: ListedOnly = "all",
        customer: str | None = None,
    ) -> list[StoredConversation]:
        """Conversations with their entries of these kinds, the one that began last first."""
        condition, values = ONLY[only], list[str | int]()
        if before is not None:
            condition, values = f"{condition} AND (opened_ms, conversation) < (?, ?)", [*before]
        if customer is not None:
            condition, values = f"{condition} AND customer = ?", [*values, customer]
        order = f"{_KEYS}{condition} ORDER BY opened_ms DESC, conversation DESC LIMIT ?"

        def read(reader: sqlite3.Connection) -> list[StoredConversation]:
            rows = reader.execute(order, (tenant, *values, limit)).fetchall()
            return [
                StoredConversation(
                    key=key, opened_ms=opened, entries=read_entries_of_kinds(reader, key, kinds)
                )
                for customer, conversation, opened in rows
                for key in [ConversationKey(tenant=tenant, customer=customer, conversation=conversation)]
            ]

        return await self._log.ask(read)

    async def count(self, tenant: str, only: ListedOnly = "all") -> int:
        """How many there are."""
        rows = await self._log.ask(lambda reader: reader.execute(_COUNT + ONLY[only], (tenant,)).fetchall())
        return int(rows[0][0])
