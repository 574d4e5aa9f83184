"""Leases, which assign each conversation to one server, and the messages between servers, in a PostgreSQL
database.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

import orjson

from assistant.conversation.customer import ConversationKey
from assistant.conversation.sharing import Command, Hint
from assistant.conversation.values import JsonObject
from assistant.errors import LogError, StoreError
from assistant.ports import Clock
from assistant.store.postgres.database import ALL_TENANTS, OURS, ConnectionPool, key_of, key_values, seeing
from assistant.store.postgres.driver import Connection

_TAKE = """
INSERT INTO leases AS lease (tenant, customer, conversation, fence, holder)
VALUES ($1, $2, $3, nextval('fences'), $4)
ON CONFLICT (tenant, customer, conversation) DO UPDATE SET fence = excluded.fence, holder = excluded.holder
    WHERE lease.holder = $4 OR NOT is_alive(lease.holder)
RETURNING fence
"""
_RELEASE = f"""
UPDATE leases SET holder = '', fence = nextval('fences') WHERE {OURS} AND fence = $4
"""  # noqa: S608 - constants, as everywhere here
# A visit without a message stores no row.
_NO_CONVERSATION = """NOT EXISTS (
    SELECT 1 FROM conversations WHERE conversations.tenant = leases.tenant
        AND conversations.customer = leases.customer AND conversations.conversation = leases.conversation
)"""
_FORGET_VISIT = f"DELETE FROM leases WHERE {OURS} AND fence = $4 AND {_NO_CONVERSATION}"  # noqa: S608
_FORGET_VISITS = f"DELETE FROM leases WHERE holder = $1 AND {_NO_CONVERSATION}"  # noqa: S608
_LEAVE = "UPDATE leases SET holder = '', fence = nextval('fences') WHERE holder = $1"
_FORGET_SERVER = "DELETE FROM servers WHERE server = $1"
_BEAT = """
INSERT INTO servers VALUES ($1, now() + make_interval(secs => $2))
ON CONFLICT (server) DO UPDATE SET expires_at = excluded.expires_at
"""
_FORGET_DEAD = "DELETE FROM servers WHERE expires_at < now() - interval '1 day'"
# Without waiting for locks: a server that hangs while it counts a request must not block this server's beat.
_FORGET_RATES = """
DELETE FROM rates WHERE (tenant, name) IN (
    SELECT tenant, name FROM rates WHERE at < now() - interval '2 minutes' FOR UPDATE SKIP LOCKED
)
"""
_ALIVE = "SELECT count(*) FROM servers WHERE expires_at > now()"
_KEYS = "unnest($1::text[], $2::text[], $3::text[]) AS asked (tenant, customer, conversation)"
_FREE = f"""
SELECT tenant, customer, conversation FROM (
    SELECT tenant, customer, conversation FROM conversations
    WHERE open_turn <> '' OR waiting <> '' OR handoff <> '' OR long_calls <> ''
    UNION SELECT tenant, customer, conversation FROM commands
    UNION SELECT tenant, customer, conversation FROM {_KEYS}
) AS wanted
WHERE NOT EXISTS (
    SELECT 1 FROM leases WHERE leases.tenant = wanted.tenant AND leases.customer = wanted.customer
        AND leases.conversation = wanted.conversation AND is_alive(holder)
) LIMIT $4
"""  # noqa: S608
_HOLDER = f"SELECT holder FROM leases WHERE {OURS} AND is_alive(holder) FOR SHARE"  # noqa: S608
_SEND = "INSERT INTO commands (tenant, customer, conversation, body) VALUES ($1, $2, $3, $4)"
_COMMANDS = """
SELECT number, tenant, customer, conversation, body
FROM commands JOIN leases USING (tenant, customer, conversation) WHERE holder = $1 ORDER BY number
"""
_DONE = "DELETE FROM commands WHERE number = ANY ($1)"
_POSITIONS = f"""
SELECT tenant, customer, conversation, last_seq
FROM conversations JOIN {_KEYS} USING (tenant, customer, conversation)
"""  # noqa: S608
# Two searches with an index each, instead of one over all conversations. The live servers are read once, and
# not for each lease: a new database has no statistics yet, and would compare leases many times.
_FOR_AGENTS = """
SELECT tenant, customer, conversation FROM (
    SELECT tenant, customer, conversation, last_ms, true AS asked FROM conversations
    WHERE tenant = $1 AND handoff <> ''
    UNION ALL
    SELECT tenant, customer, conversation, last_ms, false FROM conversations JOIN leases
        USING (tenant, customer, conversation)
    WHERE $4 AND tenant = $1 AND handoff = '' AND holder <> ''
        AND holder = ANY (ARRAY (SELECT server FROM servers WHERE expires_at > now()))
) AS wanted
WHERE $2::text IS NULL OR conversation = $2
ORDER BY asked DESC, last_ms DESC LIMIT $3
"""
_CHANNEL = "meanwhile"
_NOTIFY = f"SELECT pg_notify('{_CHANNEL}', $1)"
_MOST_NAMED = 100
"""A notification has at most 8,000 bytes, so a hint about more conversations is sent in pieces."""


class PostgresLeases:
    """The leases of one server.

    Args:
        connections: opened at the first call; closed by their owner. One of them listens.
        clock: gives the interval for checks of the listening connection.
        server: this server's id, a new one for each process.
        lease_s: a server without a beat for this time is replaced.
    """

    def __init__(self, connections: ConnectionPool, clock: Clock, server: str, lease_s: float) -> None:
        self.server, self._clock = server, clock
        self._connections, self._lease_s = connections, lease_s

    async def take(self, key: ConversationKey) -> int | None:
        """Take the conversation; returns the new fence number, or None if another live server holds it."""
        async with self._seen(key.tenant) as connection:
            fence = await connection.fetchval(_TAKE, *key_values(key), self.server)
        return None if fence is None else int(str(fence))

    async def release(self, fences: Mapping[ConversationKey, int]) -> None:
        """Release these conversations, if they are still held with this fence number."""
        for key, fence in fences.items():
            async with self._seen(key.tenant) as connection:
                await connection.execute(_FORGET_VISIT, *key_values(key), fence)
                await connection.execute(_RELEASE, *key_values(key), fence)

    async def beat(self) -> int:
        """Record that this server is alive; returns the number of live servers, including this one."""
        async with self._seen(ALL_TENANTS) as connection:
            await connection.execute(_BEAT, self.server, self._lease_s)
            await connection.execute(_FORGET_DEAD)
            await connection.execute(_FORGET_RATES)
            return int(str(await connection.fetchval(_ALIVE)))

    async def leave(self) -> None:
        """Release everything: this server ends."""
        async with self._seen(ALL_TENANTS) as connection:
            await connection.execute(_FORGET_VISITS, self.server)
            await connection.execute(_LEAVE, self.server)
            await connection.execute(_FORGET_SERVER, self.server)

    async def free(self, among: Collection[ConversationKey], limit: int) -> list[ConversationKey]:
        """Conversations that no live server holds: unfinished ones, and those in ``among``."""
        async with self._seen(ALL_TENANTS) as connection:
            rows = await connection.fetch(_FREE, *_columns(among), limit)
        return [key_of(row) for row in rows]

    async def send(self, key: ConversationKey, command: JsonObject) -> str | None:
        """Store a command for the server that holds the conversation; returns its id, or None if no server
        holds it.
        """
        async with self._seen(key.tenant) as connection:
            holder = await connection.fetchval(_HOLDER, *key_values(key))
            if holder is not None:
                await connection.execute(_SEND, *key_values(key), orjson.dumps(command).decode())
        return None if holder is None else str(holder)

    async def commands(self) -> list[Command]:
        """The commands for conversations that this server holds, in order."""
        async with self._seen(ALL_TENANTS) as connection:
            rows = await connection.fetch(_COMMANDS, self.server)
        return [Command(int(str(row["number"])), key_of(row), orjson.loads(str(row["body"]))) for row in rows]

    async def done(self, numbers: Sequence[int]) -> None:
        """Remove these commands."""
        async with self._seen(ALL_TENANTS) as connection:
            await connection.execute(_DONE, numbers)

    async def positions(self, keys: Collection[ConversationKey]) -> Mapping[ConversationKey, int]:
        """The last entry's number of each of these conversations that exists."""
        async with self._seen(ALL_TENANTS) as connection:
            rows = await connection.fetch(_POSITIONS, *_columns(keys))
        return {key_of(row): int(str(row["last_seq"])) for row in rows}

    async def for_agents(
        self, tenant: str, conversation: str | None, limit: int, *, held: bool = True
    ) -> list[ConversationKey]:
        """Conversations that have a handoff, then, with ``held``, those that a live server holds, newest first;
        or only the one of these with this id.
        """
        async with self._seen(tenant) as connection:
            rows = await connection.fetch(_FOR_AGENTS, tenant, conversation, limit, held)
        return [key_of(row) for row in rows]

    async def hint(self, hint: Hint) -> None:
        """Tell the other servers, without waiting for the disk."""
        named = sorted(hint.conversations)
        pieces = [named[first : first + _MOST_NAMED] for first in range(0, len(named), _MOST_NAMED)] or [[]]
        async with self._seen(ALL_TENANTS) as connection:
            for piece in pieces:
                told = {
                    "from": self.server,
                    "conversations": piece,
                    "servers": [*hint.servers],
                    "free": hint.free,
                    "handoffs": hint.handoffs,
                    "typing": sorted(hint.typing)[:_MOST_NAMED],
                    "typists": sorted(hint.typists)[: _MOST_NAMED // 2],
                }
                await connection.execute(_NOTIFY, orjson.dumps(told).decode())

    async def listen(self, heard: Callable[[Hint], None]) -> None:
        """Call ``heard`` with each hint of other servers, until cancelled. Raises an error when the connection
        is lost.
        """

        def hear(_connection: object, _pid: int, _channel: str, payload: str) -> None:
            told = cast("dict[str, Any]", orjson.loads(payload))
            if told["from"] != self.server:
                heard(
                    Hint(
                        conversations=frozenset(told["conversations"]),
                        servers=frozenset(told["servers"]),
                        free=told["free"],
                        handoffs=told.get("handoffs", False),  # an older release does not send it
                        typing=frozenset(told.get("typing", ())),
                        typists=frozenset((one, who) for one, who in told.get("typists", ())),
                    )
                )

        try:
            async with self._connections.one() as connection:
                await connection.add_listener(_CHANNEL, hear)
                try:
                    while True:  # the driver does not report that the connection is lost
                        await self._clock.sleep(_CHECK_CONNECTION_S)
                        await connection.execute("SELECT 1")
                finally:
                    await connection.remove_listener(_CHANNEL, hear)
        except StoreError as error:
            raise LogError(f"hints of other servers are not heard: {error}") from error

    def _seen(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "the leases could not be used")


_CHECK_CONNECTION_S = 5.0


def _columns(keys: Collection[ConversationKey]) -> tuple[list[str], list[str], list[str]]:
    ordered = [*keys]
    return (
        [key.tenant for key in ordered],
        [key.customer for key in ordered],
        [key.conversation for key in ordered],
    )
