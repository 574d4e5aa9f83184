"""The index of conversations in the database. See the port in :mod:`assistant.inspector.conversation_index`.

A row refers to its conversation and is deleted with it, by the database.
"""

import json
from collections.abc import Sequence

from assistant.conversation.customer import ConversationKey
from assistant.inspector.conversation_index import (
    FINAL,
    FoundConversation,
    IndexedConversation,
    Position,
    Search,
)
from assistant.store.postgres.database import ConnectionPool, key_of, key_values, seeing, storable
from assistant.store.postgres.driver import Value
from assistant.store.sqlite.conversation_index import found_conversation

_LOCATE = """
SELECT customer FROM conversations WHERE tenant = $1 AND conversation = $2 ORDER BY opened_ms DESC LIMIT 1
"""
_OUTDATED = """
SELECT tenant, customer, conversation FROM conversations LEFT JOIN searchable USING (tenant, customer, conversation)
WHERE tenant = $1 AND (seq IS DISTINCT FROM last_seq OR form IS DISTINCT FROM $2)
ORDER BY conversations.last_ms DESC LIMIT $3
"""
_PUT = """
INSERT INTO searchable
    (tenant, customer, conversation, seq, form, opened_ms, last_ms, busy, outcome, cost_usd, marks, words, who,
        about)
SELECT tenant, customer, conversation, $4, $6, $7, $8, $9, $10, $11, $12,
    array_to_tsvector($13::text[]), array_to_tsvector($14::text[]), $15
FROM conversations, installation
WHERE tenant = $1 AND customer = $2 AND conversation = $3 AND last_seq >= $4 AND erasures = $5
FOR KEY SHARE OF conversations
ON CONFLICT (tenant, customer, conversation) DO UPDATE SET seq = excluded.seq, form = excluded.form,
    opened_ms = excluded.opened_ms, last_ms = excluded.last_ms, busy = excluded.busy, outcome = excluded.outcome,
    cost_usd = excluded.cost_usd, marks = excluded.marks, words = excluded.words, who = excluded.who,
    about = excluded.about
"""
_FIND = "SELECT customer, conversation, opened_ms, last_ms, busy, outcome, cost_usd, about FROM searchable"
_COLUMNS = ("customer", "conversation", "opened_ms", "last_ms", "busy", "outcome", "cost_usd", "about")


class PostgresConversationIndex:
    """The index, which all servers share.

    Args:
        connections: closed by their owner.
    """

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    async def locate(self, tenant: str, conversation: str) -> ConversationKey | None:
        """The key of a conversation of the log; None if there is none."""
        async with self._seen(tenant) as connection:
            customer = await connection.fetchval(_LOCATE, tenant, _plain(conversation))
        if customer is None:
            return None
        return ConversationKey(tenant=tenant, customer=str(customer), conversation=conversation)

    async def find(
        self, tenant: str, search: Search, *, after: Position | None = None, limit: int = 50
    ) -> list[FoundConversation]:
        """The conversations that fit, the one with the newest activity first."""
        conditions, values = _conditions(tenant, search, after)
        query = (
            f"{_FIND} WHERE {' AND '.join(conditions)}"
            f' ORDER BY last_ms DESC, conversation COLLATE "C" DESC LIMIT {int(limit)}'
        )
        async with self._seen(tenant) as connection:
            rows = await connection.fetch(query, *values)
        return [
            found_conversation(tenant, [row[name] for name in _COLUMNS], search.idle_before_ms)
            for row in rows
        ]

    async def outdated(self, tenant: str, form: str, limit: int) -> list[ConversationKey]:
        """Conversations whose row is missing, of another form, or older than their last entry."""
        async with self._seen(tenant) as connection:
            return [key_of(row) for row in await connection.fetch(_OUTDATED, tenant, form, limit)]

    async def put(self, rows: Sequence[IndexedConversation]) -> None:
        """Store rows, except those of conversations that were erased meanwhile."""
        for row in rows:
            values: list[Value] = [
                *key_values(row.key),
                *(row.seq, row.erasures, row.form, row.opened_ms, row.last_ms, int(row.busy)),
                *(row.outcome, row.cost_usd, [storable(mark) for mark in row.marks]),
                *(row.words.split(), row.who.split(), json.dumps(dict(row.about))),
            ]
            async with self._seen(row.key.tenant) as connection:
                await connection.execute(_PUT, *values)

    async def close(self) -> None:
        """Does nothing: the connections have another owner."""

    def _seen(self, tenant: str):
        return seeing(self._connections, tenant, "the index of conversations did not answer")


def _conditions(tenant: str, search: Search, after: Position | None) -> tuple[list[str], list[Value]]:
    conditions, values = list[str](), list[Value]()

    def add(condition: str, *given: Value) -> None:
        first = len(values) + 1
        conditions.append(condition.format(*(f"${first + number}" for number in range(len(given)))))
        values.extend(given)

    add("tenant = {}", tenant)
    if after is not None:
        add(
            '(last_ms, conversation COLLATE "C") < ({}, {} COLLATE "C")',
            after.last_ms,
            _plain(after.conversation),
        )
    for column, words in (("words", search.words), ("who", search.who)):
        if words:
            # Words have only letters and digits, so they need no other quotes.
            add(f"{column} @@ {{}}::text::tsquery", " & ".join(f"'{word}':*" for word in words))
    if search.marks:
        add("marks @> {}::text[]", [storable(_plain(mark)) for mark in search.marks])
    final = ", ".join(f"'{one}'" for one in sorted(FINAL))
    if search.outcome == "running":
        add(f"(busy = 1 OR last_ms > {{}}) AND outcome NOT IN ({final})", search.idle_before_ms)
    elif search.outcome is not None:
        add("outcome = {}", search.outcome)
        if search.outcome not in FINAL:
            add("busy = 0 AND last_ms <= {}", search.idle_before_ms)
    if search.since_ms is not None:
        add("last_ms >= {}", search.since_ms)
    if search.until_ms is not None:
        add("opened_ms < {}", search.until_ms)
    if search.cost_from is not None:
        add("cost_usd >= {}", search.cost_from)
    if search.cost_to is not None:
        add("cost_usd <= {}", search.cost_to)
    return conditions, values


def _plain(text: str) -> str:
    return storable(text.encode("utf-8", "replace").decode())
