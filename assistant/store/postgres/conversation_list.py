"""Lists of conversations in a PostgreSQL database, for staff."""

from collections.abc import Collection
from typing import cast

import orjson

from assistant.conversation.codec import entry_from_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.storage_ports import ListedOnly, StoredConversation
from assistant.store.postgres.database import ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Row
from assistant.store.sqlite.conversation_list import ONLY

_FIND = "SELECT customer FROM conversations WHERE tenant = $1 AND conversation = $2"
_ENTRIES = """
SELECT customer, conversation, seq, at_ms, turn_id, kind, body, fence FROM entries
JOIN unnest($2::text[], $3::text[]) AS asked (customer, conversation) USING (customer, conversation)
WHERE tenant = $1 AND kind = ANY ($4) ORDER BY customer, conversation, seq
"""


class PostgresConversationList:
    """See the port :class:`assistant.storage_ports.ConversationList`.

    Args:
        connections: opened at the first call; closed by their owner.
    """

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    async def find(self, tenant: str, conversation: str) -> ConversationKey | None:
        """The key of the conversation with this id."""
        async with seeing(self._connections, tenant, "the list could not be read") as connection:
            customer = await connection.fetchval(_FIND, tenant, storable(conversation))
        if customer is None:
            return None
        return ConversationKey(tenant=tenant, customer=str(customer), conversation=conversation)

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
        at_ms, name = before if before is not None else (2**62, "")
        asked = (
            "SELECT customer, conversation, opened_ms FROM conversations AS listed WHERE tenant = $1"  # noqa: S608
            f"{ONLY[only]} AND (opened_ms, conversation) < ($2, $3) AND ($5::text IS NULL OR customer = $5)"
            " ORDER BY opened_ms DESC, conversation DESC LIMIT $4"
        )
        async with seeing(self._connections, tenant, "the list could not be read") as connection:
            rows = await connection.fetch(asked, tenant, at_ms, storable(name), limit, customer)
            named = [str(row["customer"]) for row in rows], [str(row["conversation"]) for row in rows]
            entries = await connection.fetch(_ENTRIES, tenant, *named, list(kinds))
        found: dict[tuple[str, str], list[Logged]] = {}
        for row in entries:
            found.setdefault((str(row["customer"]), str(row["conversation"])), []).append(_entry(row))
        return [
            StoredConversation(
                key=ConversationKey(tenant=tenant, customer=customer, conversation=conversation),
                opened_ms=int(str(row["opened_ms"])),
                entries=found.get((customer, conversation), ()),
            )
            for row, customer, conversation in zip(rows, *named, strict=True)
        ]

    async def count(self, tenant: str, only: ListedOnly = "all") -> int:
        """How many there are."""
        asked = f"SELECT count(*) FROM conversations AS listed WHERE tenant = $1{ONLY[only]}"  # noqa: S608
        async with seeing(self._connections, tenant, "the list could not be read") as connection:
            return int(str(await connection.fetchval(asked, tenant)))


def _entry(row: Row) -> Logged:
    """An entry from its row. Raises ``LogError`` if it has not the form of this release."""
    _, _, seq, at_ms, turn_id, kind, body, fence = cast(
        "tuple[str, str, int, int, str, str, str, int]", tuple(row.values())
    )
    return Logged(seq, at_ms, turn_id, entry_from_json(kind, orjson.loads(body)), fence)
