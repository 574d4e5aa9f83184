"""The small tables of an installation in a PostgreSQL database.

It contains prompts and their edits, delivery positions, credentials, used tokens, counts of requests and of
spending, and what erasing needs. Each class implements its port, over a pool that its owner closes. A write is
durable when it returns, but for the counts of requests. Methods raise ``LogError`` if the database does not answer.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any, ClassVar, cast

import orjson

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.usage import Spent, SpentToday
from assistant.errors import LogError, StoreError
from assistant.ports import Clock, Keys
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition
from assistant.store.credential_cipher import CredentialCipher, StoredCredential
from assistant.store.postgres.database import ALL_TENANTS, OURS, ConnectionPool, key_of, key_values, seeing
from assistant.store.postgres.driver import Connection, Row
from assistant.store.sqlite.deliveries import MOST_ATTEMPTS, AttemptRow, attempt_from, attempt_values
from assistant.store.sqlite.spending import micro_usd, oldest_kept, spent_today
from assistant.store.storage import Recording, StoredBundle


class _State:
    """The tables behind one port. Errors contain only ``what``, the name of their content, never the values."""

    what: ClassVar[str]

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        """A transaction that sees only this tenant's rows. Raises ``LogError``."""
        return seeing(self._connections, tenant, f"{self.what} cannot be kept")

    @asynccontextmanager
    async def _one(self) -> AsyncGenerator[Connection]:
        """A connection for tables that have no tenant. Raises ``LogError``."""
        try:
            async with self._connections.one() as connection:
                yield connection
        except StoreError as error:
            raise LogError(f"{self.what} cannot be kept: {error}") from error


_KEEP_BUNDLE = (
    "INSERT INTO bundles (tenant, bundle, kept_ms, tools, prompts) VALUES ($1, $2, $3, $4, $5)"
    " ON CONFLICT DO NOTHING"
)
_NEWEST_BUNDLES = """
SELECT bundle, kept_ms FROM bundles WHERE tenant = $1 ORDER BY kept_ms DESC, bundle COLLATE "C" LIMIT $2
"""
_READ_BUNDLE = "SELECT kept_ms, tools, prompts FROM bundles WHERE tenant = $1 AND bundle = $2"


class PostgresBundles(_State):
    """The prompts of each bundle, while conversations may continue with it."""

    what = "bundles"

    async def keep(self, tenant: str, kept: StoredBundle) -> None:
        """Store a tenant's bundle; nothing changes if it is already stored."""
        # As text: orjson escapes characters that a text of the database cannot hold.
        prompts = orjson.dumps(dict(kept.prompts)).decode()
        async with self._seeing(tenant) as connection:
            await connection.execute(_KEEP_BUNDLE, tenant, kept.bundle, kept.kept_ms, kept.tools, prompts)

    async def read(self, tenant: str, bundle: str) -> StoredBundle | None:
        """The tenant's bundle with this name; None if it was never stored here."""
        async with self._seeing(tenant) as connection:
            row = await connection.fetchrow(_READ_BUNDLE, tenant, bundle)
        if row is None:
            return None
        found = cast("dict[str, Any]", dict(row))
        prompts = orjson.loads(found["prompts"])
        return StoredBundle(bundle=bundle, kept_ms=found["kept_ms"], tools=found["tools"], prompts=prompts)

    async def newest(self, tenant: str, limit: int) -> list[tuple[str, int]]:
        """The names of the tenant's newest bundles, and when each was first used."""
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_NEWEST_BUNDLES, tenant, limit)
        return [cast("tuple[str, int]", tuple(row.values())) for row in rows]


_TO_RECEIVER = f"{OURS} AND receiver = $4"
_DELIVERED = f"SELECT seq, ended FROM delivery_positions WHERE {_TO_RECEIVER}"  # noqa: S608 - constants, as everywhere here
_BEGIN_DELIVERY = """
INSERT INTO delivery_positions (tenant, customer, conversation, receiver, seq, ended)
    VALUES ($1, $2, $3, $4, $5, $5)
ON CONFLICT (receiver, tenant, customer, conversation) DO UPDATE SET rested_ms = NULL
    WHERE delivery_positions.rested_ms IS NOT NULL
"""
_NOTE_DELIVERY = f"UPDATE delivery_positions SET seq = $5, ended = $6 WHERE {_TO_RECEIVER}"  # noqa: S608
_REST_DELIVERY = f"UPDATE delivery_positions SET rested_ms = $5 WHERE {_TO_RECEIVER}"  # noqa: S608
_FORGET_DELIVERY = f"DELETE FROM delivery_positions WHERE {_TO_RECEIVER}"  # noqa: S608
_DROP_RESTED = "DELETE FROM delivery_positions WHERE rested_ms < $1"
_ERASE_ATTEMPTS = "DELETE FROM delivery_attempts WHERE tenant = $1 AND customer = $2"
_ERASE_DELIVERIES = """
WITH gone AS (DELETE FROM delivery_positions WHERE tenant = $1 AND customer = $2 RETURNING 1)
SELECT count(*) FROM gone
"""
_ALL_DELIVERIES = (
    "SELECT tenant, customer, conversation FROM delivery_positions WHERE receiver = $1 AND rested_ms IS NULL"
    " ORDER BY tenant, customer, conversation"
)
_ATTEMPT_COLUMNS = (
    "tenant, customer, conversation, receiver, event_id, event, at_ms, status, took_ms, problem"
)
_ADD_ATTEMPT = (
    f"INSERT INTO delivery_attempts ({_ATTEMPT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"  # noqa: S608
)
_TRIM_ATTEMPTS = """
DELETE FROM delivery_attempts WHERE tenant = $1 AND number <= (
    SELECT number FROM delivery_attempts WHERE tenant = $1 ORDER BY number DESC LIMIT 1 OFFSET $2
)
"""
_ATTEMPTS = (
    f"SELECT {_ATTEMPT_COLUMNS} FROM delivery_attempts WHERE tenant = $1 ORDER BY number DESC LIMIT $2"  # noqa: S608
)


class PostgresDeliveries(_State):
    """How far the events of each conversation were delivered to each receiver, and a log of the attempts."""

    what = "deliveries"

    async def begin(self, receivers: Sequence[str], key: ConversationKey, seq: int) -> None:
        """Begin or continue deliveries after the entry ``seq``."""
        async with self._seeing(key.tenant) as connection:
            await connection.executemany(
                _BEGIN_DELIVERY, [(*key_values(key), receiver, seq) for receiver in receivers]
            )

    async def delivered(self, receiver: str, key: ConversationKey) -> DeliveryPosition | None:
        """The position; None if nothing is to be delivered."""
        async with self._seeing(key.tenant) as connection:
            row = await connection.fetchrow(_DELIVERED, *key_values(key), receiver)
        return None if row is None else DeliveryPosition(*cast("tuple[int, int]", tuple(row.values())))

    async def note(self, receiver: str, key: ConversationKey, position: DeliveryPosition) -> None:
        """Store the position of a delivery that has begun."""
        async with self._seeing(key.tenant) as connection:
            await connection.execute(_NOTE_DELIVERY, *key_values(key), receiver, position.seq, position.ended)

    async def rest(self, receiver: str, key: ConversationKey, now_ms: int) -> None:
        """Leave the conversation out of ``all``, until ``begin`` is called for it."""
        async with self._seeing(key.tenant) as connection:
            await connection.execute(_REST_DELIVERY, *key_values(key), receiver, now_ms)

    async def forget(self, receiver: str, key: ConversationKey) -> None:
        """Delete the position: nothing more will be delivered."""
        async with self._seeing(key.tenant) as connection:
            await connection.execute(_FORGET_DELIVERY, *key_values(key), receiver)

    async def drop_rested(self, before_ms: int) -> None:
        """Delete the positions that have rested since before this time."""
        async with self._seeing(ALL_TENANTS) as connection:
            await connection.execute(_DROP_RESTED, before_ms)

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete the positions and attempts of all conversations of a customer; returns the number of positions."""
        async with self._seeing(tenant) as connection:
            await connection.execute(_ERASE_ATTEMPTS, tenant, customer)
            return cast("int", await connection.fetchval(_ERASE_DELIVERIES, tenant, customer))

    async def all(self, receiver: str) -> list[ConversationKey]:
        """The conversations that may have something to deliver."""
        async with self._seeing(ALL_TENANTS) as connection:
            rows = await connection.fetch(_ALL_DELIVERIES, receiver)
        return [key_of(row) for row in rows]

    async def add_attempt(self, attempt: DeliveryAttempt) -> None:
        """Add an attempt to the log, and drop the oldest."""
        async with self._seeing(attempt.key.tenant) as connection:
            await connection.execute(_ADD_ATTEMPT, *attempt_values(attempt))
            await connection.execute(_TRIM_ATTEMPTS, attempt.key.tenant, MOST_ATTEMPTS)

    async def attempts(self, tenant: str, limit: int) -> list[DeliveryAttempt]:
        """The newest attempts of a tenant, newest first."""
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_ATTEMPTS, tenant, limit)
        return [attempt_from(cast("AttemptRow", tuple(row.values()))) for row in rows]


# Two servers that do this at the same time do not wait for each other: each skips the rows that the other has
# locked.
_DROP_EXPIRED_CREDENTIALS = """
DELETE FROM credentials WHERE (tenant, customer, conversation) IN (
    SELECT tenant, customer, conversation FROM credentials WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
)
"""
_KEEP_CREDENTIAL = """
INSERT INTO credentials (tenant, customer, conversation, expires_ms, sealed) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant, customer, conversation) DO UPDATE SET expires_ms = $4, sealed = $5
"""
_KEPT_CREDENTIAL = f"SELECT expires_ms, sealed FROM credentials WHERE {OURS} AND expires_ms > $4"  # noqa: S608
_ALL_CREDENTIALS = "SELECT tenant, customer, conversation, expires_ms, sealed FROM credentials"
# Only those that were not replaced meanwhile.
_RESEAL = """
UPDATE credentials SET sealed = $1
WHERE tenant = $2 AND customer = $3 AND conversation = $4 AND expires_ms = $5 AND sealed = $6
"""
_ERASE_CREDENTIALS = """
WITH gone AS (DELETE FROM credentials WHERE tenant = $1 AND customer = $2 RETURNING 1) SELECT count(*) FROM gone
"""


class PostgresCredentials(_State):
    """One credential for each conversation until it expires, encrypted.

    Args:
        connections: the pool.
        keys: the installation's secrets, at least 32 bytes each.
        clock: measures when a credential expires.
    """

    what = "credentials"

    def __init__(self, connections: ConnectionPool, keys: bytes | Keys, clock: Clock) -> None:
        super().__init__(connections)
        self._cipher, self._clock = CredentialCipher(keys), clock

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        """Store the credential in place of the conversation's earlier credential. Deletes all expired
        credentials.
        """
        sealed = self._cipher.encrypt(key, credential)
        async with self._seeing(ALL_TENANTS) as connection:
            await connection.execute(_DROP_EXPIRED_CREDENTIALS, self._clock.now_ms())
        async with self._seeing(key.tenant) as connection:
            await connection.execute(_KEEP_CREDENTIAL, *key_values(key), credential.expires_ms, sealed)

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        """The conversation's credential; None if there is none, or if it has expired or cannot be read."""
        async with self._seeing(key.tenant) as connection:
            row = await connection.fetchrow(_KEPT_CREDENTIAL, *key_values(key), self._clock.now_ms())
        if row is None:
            return None
        found = cast("dict[str, Any]", dict(row))
        return self._cipher.decrypt(key, found["expires_ms"], found["sealed"])

    async def reseal(self) -> int:
        """Encrypt all credentials again with the current secret; returns how many were encrypted again. A
        credential that cannot be decrypted stays unchanged, and is not counted.
        """
        async with self._seeing(ALL_TENANTS) as connection:
            rows = await connection.fetch(_ALL_CREDENTIALS)
            stored = [cast("StoredCredential", tuple(row.values())) for row in rows]
            changes = list(self._cipher.resealed(stored))
            await connection.executemany(_RESEAL, changes)
        return len(changes)

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all credentials of a customer; returns their number."""
        async with self._seeing(tenant) as connection:
            return cast("int", await connection.fetchval(_ERASE_CREDENTIALS, tenant, customer))


# The insert statement alone decides about the token, so that one statement decides whether it may be used
# again.
_USE = """
WITH expired AS (
    DELETE FROM used_tokens WHERE tenant = $1 AND id IN (
        SELECT id FROM used_tokens WHERE tenant = $1 AND until_ms <= $4 AND id <> $2 FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO used_tokens (tenant, id, until_ms) VALUES ($1, $2, $3)
ON CONFLICT (tenant, id) DO UPDATE SET until_ms = $3 WHERE used_tokens.until_ms <= $4
RETURNING true
"""


class PostgresUsedTokens(_State):
    """The sign-in tokens that were already used, on any server, until they would be too old anyway."""

    what = "used tokens"

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Mark a tenant's token as used until ``until_ms``; returns whether this is the first time.

        If several servers use a token at the same time, one of them is the first. Raises ``LogError`` if it
        cannot be stored: then accept no token.
        """
        async with self._seeing(tenant) as connection:
            return await connection.fetchval(_USE, tenant, token_id, until_ms, now_ms) is True


_NOTE_RECORDING = (
    "INSERT INTO recordings (tenant, customer, conversation, path, place) VALUES ($1, $2, $3, $4, $5)"
)
_RECORDINGS = "SELECT path, place FROM recordings WHERE tenant = $1 AND customer = $2 ORDER BY path, place"
_ORPHANED = """
SELECT path, place FROM recordings WHERE ($1::text IS NULL OR tenant = $1) AND NOT EXISTS (
    SELECT 1 FROM conversations WHERE conversations.tenant = recordings.tenant
        AND conversations.customer = recordings.customer
        AND conversations.conversation = recordings.conversation
) ORDER BY path, place
"""
_FORGET_RECORDING = (
    "DELETE FROM recordings WHERE path = $1 AND place = $2 AND ($3::text IS NULL OR tenant = $3)"
)
_KEEP_COMMITMENT = "INSERT INTO commitments (commitment, erased_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING"


class PostgresErasureRecords(_State):
    """The records for erasure: where recordings are, commitments of receipts."""

    what = "records for erasure"

    async def note_recording(self, key: ConversationKey, recording: Recording) -> None:
        """Record that this file contains a recording of the conversation; it replaces the earlier record of the
        file.
        """
        there = str(recording.path.resolve()), recording.place
        async with self._seeing(ALL_TENANTS) as connection:  # the earlier recording may be another tenant's
            await connection.execute(_FORGET_RECORDING, *there, None)
            await connection.execute(_NOTE_RECORDING, *key_values(key), *there)

    async def recordings(self, tenant: str, customer: str) -> list[Recording]:
        """The files with recordings of this customer's conversations, sorted."""
        async with self._seeing(tenant) as connection:
            return _recordings(await connection.fetch(_RECORDINGS, tenant, customer))

    async def orphaned_recordings(self, tenant: str | None = None) -> list[Recording]:
        """Recordings of deleted conversations, sorted: of this tenant, or of all if None."""
        async with self._seeing(tenant or ALL_TENANTS) as connection:
            return _recordings(await connection.fetch(_ORPHANED, tenant))

    async def forget_recording(self, recording: Recording, tenant: str | None = None) -> None:
        """Remove the record of a recording: of this tenant, or of any if None."""
        async with self._seeing(tenant or ALL_TENANTS) as connection:
            await connection.execute(_FORGET_RECORDING, str(recording.path), recording.place, tenant)

    async def keep_commitments(self, commitments: Sequence[bytes], erased_ms: int) -> None:
        """Store commitments; one that is already stored stays unchanged."""
        async with self._one() as connection:
            await connection.executemany(_KEEP_COMMITMENT, [(each, erased_ms) for each in commitments])


def _recordings(rows: Sequence[Row]) -> list[Recording]:
    return [Recording(Path(str(row["path"])), str(row["place"])) for row in rows]


# If two servers publish at the same time, they do it one after the other, so that the second knows of the first
# edit.
_ALONE = "LOCK TABLE edits IN SHARE ROW EXCLUSIVE MODE"
# This edit also follows all bundles that came after one of these until now: a server may start again with one
# of them.
_PUBLISH = """
WITH RECURSIVE chain AS (
    SELECT bundle, at FROM edits WHERE tenant = $1 AND before = ANY ($2::text[])
    UNION ALL
    SELECT edits.bundle, edits.at FROM chain JOIN edits
        ON edits.tenant = $1 AND edits.before = chain.bundle AND edits.at > chain.at
), present AS (SELECT clock_timestamp() AS at)
INSERT INTO edits SELECT $1, earlier.before, $3, present.at
FROM present, (SELECT unnest($2::text[]) AS before UNION SELECT bundle FROM chain) AS earlier
ON CONFLICT (tenant, before) DO UPDATE SET bundle = excluded.bundle, at = excluded.at
"""
# An edit that was undone leads to an earlier bundle. Each step is later than the one before it, so the search
# ends.
_NEWEST = """
WITH RECURSIVE chain AS (
    SELECT bundle, at FROM edits WHERE tenant = $1 AND before = $2
    UNION ALL
    SELECT edits.bundle, edits.at FROM chain JOIN edits
        ON edits.tenant = $1 AND edits.before = chain.bundle AND edits.at > chain.at
)
SELECT bundle FROM chain ORDER BY at DESC LIMIT 1
"""


class PostgresEdits(_State):
    """The newest edit of the prompts on all servers."""

    what = "edits"

    async def publish(self, tenant: str, before: Collection[str], bundle: str) -> None:
        """Record that ``bundle`` comes after each of the bundles ``before``, and after all that came after them."""
        async with self._seeing(tenant) as connection:
            await connection.execute(_ALONE)
            await connection.execute(_PUBLISH, tenant, sorted({*before}), bundle)

    async def newest(self, tenant: str, bundle: str) -> str:
        """The last bundle in the sequence after this one; itself if there is none."""
        async with self._seeing(tenant) as connection:
            return cast("str | None", await connection.fetchval(_NEWEST, tenant, bundle)) or bundle


_SPENT = (
    "SELECT customer, tokens, micro_usd FROM spending WHERE tenant = $1 AND day = $2 AND customer IN ('', $3)"
)
# The tenant's row comes first, so that two servers never wait for each other.
_ADD_SPENDING = """
INSERT INTO spending (tenant, day, customer, tokens, micro_usd) VALUES ($1, $2, '', $4, $5), ($1, $2, $3, $4, $5)
ON CONFLICT (tenant, day, customer) DO UPDATE SET
    tokens = spending.tokens + excluded.tokens, micro_usd = spending.micro_usd + excluded.micro_usd
RETURNING customer, tokens, micro_usd
"""
_FORGET_SPENDING = """
DELETE FROM spending WHERE (tenant, day, customer) IN (
    SELECT tenant, day, customer FROM spending WHERE tenant = $1 AND day < $2 FOR UPDATE SKIP LOCKED
)
"""
_ERASE_SPENDING = """
WITH gone AS (DELETE FROM spending WHERE tenant = $1 AND customer = $2 AND customer <> '' RETURNING 1)
SELECT count(*) FROM gone
"""


class PostgresSpending(_State):
    """What customers and tenants have spent on each day, on all servers together."""

    what = "spending"

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        """What was spent on this day."""
        async with self._seeing(tenant) as connection:
            return _spent_today(await connection.fetch(_SPENT, tenant, day.isoformat(), customer))

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        """Add to both, and return the new sums."""
        async with self._seeing(tenant) as connection:
            added = await connection.fetch(
                _ADD_SPENDING, tenant, day.isoformat(), customer, more.tokens, micro_usd(more)
            )
            await connection.execute(_FORGET_SPENDING, tenant, oldest_kept(day).isoformat())
        return _spent_today(added)

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete this customer's counts; returns their number."""
        async with self._seeing(tenant) as connection:
            return cast("int", await connection.fetchval(_ERASE_SPENDING, tenant, customer))


def _spent_today(rows: Sequence[Row]) -> SpentToday:
    found = [cast("dict[str, Any]", dict(row)) for row in rows]
    return spent_today({row["customer"]: (row["tokens"], row["micro_usd"]) for row in found})


_COUNT = "SELECT count_requests($1, $2, $3)"


class PostgresRates(_State):
    """Counts of clients' requests to all servers together, by the database's clock."""

    what = "counts of requests"

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        """Count one more request under each of these names, unless one of them has reached its limit for the
        minute.

        Returns whether it was counted. Raises ``LogError`` if the database is not available.
        """
        async with self._seeing(tenant) as connection:
            names = sorted(per_minute)
            return (
                await connection.fetchval(_COUNT, tenant, names, [per_minute[name] for name in names]) is True
            )
