"""The log in a PostgreSQL database: many servers write it, but only one writes a conversation at a time.

Appends of all conversations of a process go to the database together, in one call of the function
``append_entries`` (store/migrations/postgres/0002_log.sql), which accepts or refuses each of them separately.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import orjson
import structlog

from assistant.conversation.codec import entry_from_json, kind_named, kind_of
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    Entry,
    ForwardedToAgent,
    Handoff,
    Identified,
    Logged,
    LongCallAccepted,
    LongCallStarted,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.snapshots import THINNERS, Aging
from assistant.errors import Fenced, LogConflict, LogError
from assistant.storage_ports import Numbering
from assistant.store.memory_log import already_said, check_numbering
from assistant.store.postgres.database import (
    ALL_TENANTS,
    OURS,
    ConnectionPool,
    key_of,
    key_values,
    seeing,
    storable,
)
from assistant.store.postgres.driver import Connection, Row, Value
from assistant.store.sqlite.log_rows import body_of
from assistant.store.sqlite.write_queue import results_to_queue
from assistant.store.storage import LoggedConversation

log = structlog.get_logger(__name__)

_UNFINISHED = "(open_turn <> '' OR waiting <> '' OR handoff <> '' OR long_calls <> '')"

_APPEND = "SELECT append_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
_READ = f"SELECT seq, at_ms, turn_id, kind, body, fence FROM entries WHERE {OURS} AND seq > $4 ORDER BY seq"  # noqa: S608
_CONVERSATIONS = (
    "SELECT conversation FROM conversations WHERE tenant = $1 AND customer = $2"
    " ORDER BY opened_ms, conversation"
)
_LIST_UNFINISHED = f"SELECT tenant, customer, conversation FROM conversations WHERE {_UNFINISHED}"  # noqa: S608
_LIST = "SELECT tenant, customer, conversation, last_ms FROM conversations ORDER BY last_ms, conversation"
_VISITORS = (
    "SELECT DISTINCT customer FROM entries WHERE tenant = $1 AND identified = $2 AND customer <> $2"
    " ORDER BY customer"
)
_NUMBERING = f"""
SELECT erasures, restore, coalesce((SELECT restored_seq FROM conversations WHERE {OURS}), 0) AS restored_seq
FROM installation
"""  # noqa: S608
# It changes nothing, but is written to the database's disk like a change.
_WRITE_NOTHING = "UPDATE installation SET erasures = erasures"
_COUNT_ERASURE = "UPDATE installation SET erasures = erasures + 1"

_ERASE = tuple(
    f"DELETE FROM {table} WHERE tenant = $1 AND customer = $2"  # noqa: S608
    for table in ("entries", "writes", "recordings", "leases", "commands")
)
_ERASE_LAST = """
WITH gone AS (DELETE FROM conversations WHERE tenant = $1 AND customer = $2 RETURNING 1)
SELECT count(*) FROM gone
"""
# A conversation that a server holds is open there, and may continue at any moment.
_OLD = f"""
SELECT tenant, customer, conversation FROM conversations
WHERE last_ms < $1 AND ($2::text IS NULL OR tenant = $2) AND NOT {_UNFINISHED} AND NOT EXISTS (
    SELECT 1 FROM leases WHERE leases.tenant = conversations.tenant AND leases.customer = conversations.customer
        AND leases.conversation = conversations.conversation AND is_alive(holder)
)
"""  # noqa: S608
_STILL_OLD = f"SELECT 1 FROM conversations WHERE {OURS} AND last_ms < $4 AND NOT {_UNFINISHED} FOR UPDATE"  # noqa: S608
_FORGET = tuple(
    f"DELETE FROM {table} WHERE {OURS}"  # noqa: S608
    for table in ("entries", "leases", "commands", "conversations")
)
_MAY_BE_THINNED = """
SELECT tenant, customer, conversation, seq, turn_id, body FROM entries
WHERE kind = $1 AND at_ms < $2 AND length(body) > 200 AND (tenant, customer, conversation, seq) > ($3, $4, $5, $6)
    AND ($7::text IS NULL OR tenant = $7)
ORDER BY tenant, customer, conversation, seq LIMIT 200
"""
_THIN = f"UPDATE entries SET body = $5 WHERE {OURS} AND seq = $4"  # noqa: S608

_MOST_AT_ONCE = 500
"""The maximum number of appends in one call: the next ones wait at most for this many."""

_MANY = 200
"""From this number on, entries are decoded in a thread, so that other conversations need not wait."""


@dataclass(frozen=True, slots=True)
class _Addition:
    """The entries of one caller, encoded, so that an encoding error reaches only that caller."""

    key: ConversationKey
    entries: Sequence[Logged]
    bodies: Sequence[str]


_Row: TypeAlias = tuple[int, int, str, str, str, int]
_Waiting: TypeAlias = "tuple[_Addition, asyncio.Future[None]]"


class PostgresLog:
    """All conversations in a database. Appended entries survive a crash of this process and of the database.

    Args:
        connections: opened at the first call; closed by their owner.
    """

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._gathered: list[_Waiting] = []
        self._writer: asyncio.Task[None] | None = None
        self._closed = False

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store all of these entries or none; durable when it returns.

        Raises the port's errors, and ``Fenced`` when another server has taken the conversation.
        """
        if not entries:
            return
        if self._closed:
            raise LogError("the log is closed")
        kept = asyncio.get_running_loop().create_future()
        self._gathered.append((_encoded(key, entries), kept))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        await kept

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order. Empty for an unknown conversation."""
        async with self._seen(key.tenant) as connection:
            rows = await connection.fetch(_READ, *key_values(key), after)
        if len(rows) < _MANY:
            return _decoded(key, rows)
        return await asyncio.to_thread(_decoded, key, rows)

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        async with self._seen(tenant) as connection:
            rows = await connection.fetch(_CONVERSATIONS, tenant, customer)
        return [str(row["conversation"]) for row in rows]

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for an agent; see the port."""
        async with self._seen(ALL_TENANTS) as connection:
            return [key_of(row) for row in await connection.fetch(_LIST_UNFINISHED)]

    async def listed(self) -> list[LoggedConversation]:
        """All conversations of all tenants; the one with the newest entry comes last."""
        async with self._seen(ALL_TENANTS) as connection:
            rows = await connection.fetch(_LIST)
        return [LoggedConversation(key_of(row), int(str(row["last_ms"]))) for row in rows]

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors who were identified as this customer, sorted."""
        async with self._seen(tenant) as connection:
            rows = await connection.fetch(_VISITORS, tenant, customer)
        return [str(row["customer"]) for row in rows]

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Distinguishes this conversation's entries from others that had the same numbers."""
        async with self._seen(key.tenant) as connection:
            found = cast(
                "dict[str, Any]", dict(await connection.fetchrow(_NUMBERING, *key_values(key)) or {})
            )
        return Numbering(**found)

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer; returns their number.

        No statement finds them afterwards. The database overwrites the rows when it next cleans the table; the
        operator is responsible for its backups.
        """
        async with self._seen(tenant) as connection:
            for order in _ERASE:
                await connection.execute(order, tenant, customer)
            erased = int(str(await connection.fetchval(_ERASE_LAST, tenant, customer)))
            if erased:
                await connection.execute(_COUNT_ERASURE)
        return erased

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase ended conversations without an entry after ``before_ms``; see the port.

        Conversations that any server holds stay.
        """
        async with self._seen(tenant or ALL_TENANTS) as connection:
            rows = await connection.fetch(_OLD, before_ms, tenant)
        old = [key for row in rows if (key := key_of(row)) not in keep]
        forgotten = 0
        for key in old:  # one at a time: an append waits at most for one
            async with self._seen(key.tenant) as connection:
                if await connection.fetchval(_STILL_OLD, *key_values(key), before_ms):
                    for order in _FORGET:
                        await connection.execute(order, *key_values(key))
                    await connection.execute(_COUNT_ERASURE)
                    forgotten += 1
        return forgotten

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from entries older than ``before_ms``; see the port."""
        kind, thin = THINNERS[what]
        thinned, after = 0, ("", "", "", 0)
        while True:
            async with self._seen(tenant or ALL_TENANTS) as connection:
                rows = await connection.fetch(_MAY_BE_THINNED, kind_named(kind), before_ms, *after, tenant)
                changes = list[tuple[Value, ...]]()
                for row in rows:
                    after = (*key_values(key_of(row)), int(str(row["seq"])))
                    entry = entry_from_json(kind_named(kind), orjson.loads(str(row["body"])))
                    left = thin(after[2], str(row["turn_id"]), entry)
                    if left is not entry:
                        changes.append((*after, body_of(left).decode()))
                await connection.executemany(_THIN, changes)
            thinned += len(changes)
            if not rows:
                return thinned

    async def check_writable(self) -> None:
        """Raises ``LogError`` if the database is not available, or does not store data."""
        try:
            async with self._seen(ALL_TENANTS) as connection:
                await connection.execute(_WRITE_NOTHING)
        except LogError as error:
            # Not the error's text, which names the database's address.
            log.warning("log not writable", why=str(error))
            raise LogError("the database does not answer, or cannot be written") from error

    async def close(self) -> None:
        """Finish pending work."""
        self._closed = True
        while self._writer is not None:
            await asyncio.wait({self._writer})

    async def _write(self) -> None:
        """Store the collected appends until none is left: while one call runs, the next appends are collected."""
        try:
            while self._gathered:
                batch, self._gathered = self._gathered[:_MOST_AT_ONCE], self._gathered[_MOST_AT_ONCE:]
                additions = [addition for addition, _ in batch]
                try:
                    verdicts = await self._stored(additions)
                except Exception as error:
                    # After any error, no caller may wait forever. The entries may be stored: the caller has to
                    # read.
                    verdicts = [LogError(f"the log could not be written: {error}")] * len(batch)
                for (_, kept), verdict in zip(batch, verdicts, strict=True):
                    if kept.done():  # the caller was cancelled
                        continue
                    if verdict is None:
                        kept.set_result(None)
                    else:
                        kept.set_exception(verdict)
        finally:
            self._writer = None

    async def _stored(self, additions: Sequence[_Addition]) -> list[LogError | None]:
        async with self._connections.one() as connection:
            verdicts = await connection.fetchval(_APPEND, *_values(additions))
        return [_verdict(*pair) for pair in zip(additions, cast("list[str]", verdicts), strict=True)]

    @asynccontextmanager
    async def _seen(self, tenant: str) -> AsyncGenerator[Connection]:
        """A transaction that sees only this tenant's rows. Raises ``LogError``."""
        if self._closed:
            raise LogError("the log is closed")
        async with seeing(self._connections, tenant, "the log could not be used") as connection:
            yield connection


def _encoded(key: ConversationKey, entries: Sequence[Logged]) -> _Addition:
    """Encode one caller's entries. Raises ``LogError`` for values that no log, or no database, can store."""
    check_numbering(entries, entries[0].seq - 1)
    bodies = list[str]()
    for logged in entries:
        try:
            bodies.append(body_of(logged.entry).decode())
        except TypeError as error:
            raise LogError(
                f"entry {logged.seq}, a {kind_of(logged.entry)}, cannot be written as JSON: {error}"
            ) from error
    for text in (*key_values(key), *(logged.turn_id for logged in entries)):
        if "\0" in text:
            raise LogError(f"{text!r} contains a NUL character, which the database cannot store")
    return _Addition(key, entries, bodies)


def _values(additions: Sequence[_Addition]) -> Iterator[Value]:
    """The parameters of ``append_entries``, in its order."""
    for part in ("tenant", "customer", "conversation"):
        yield [str(getattr(one.key, part)) for one in additions]
    firsts, first = list[int](), 1
    for one in additions:
        firsts.append(first)
        first += len(one.entries)
    yield firsts
    entries = [logged for one in additions for logged in one.entries]
    yield [logged.seq for logged in entries]
    yield [logged.at_ms for logged in entries]
    yield [logged.turn_id for logged in entries]
    yield [logged.fence for logged in entries]
    yield [kind_of(logged.entry) for logged in entries]
    yield [body for one in additions for body in one.bodies]
    yield [_said(logged.entry) for logged in entries]
    named = [_named(logged.entry) for logged in entries]
    yield [name for name, _ in named]
    yield [other for _, other in named]
    queued = [
        (number, *result)
        for number, one in enumerate(additions, 1)
        for result in results_to_queue(one.key.conversation, one.entries)
    ]
    yield [number for number, *_ in queued]
    yield [ref for _, ref, _, _ in queued]
    yield [title for _, _, title, _ in queued]
    yield [kept_ms for *_, kept_ms in queued]


def _said(entry: Entry) -> str | None:
    """The client's id of a customer's message."""
    return storable(entry.client_message_id) if isinstance(entry, CustomerMessage) else None


def _named(entry: Entry) -> tuple[str | None, str | None]:
    """The customer, document or handoff that an entry names, for the database."""
    match entry:
        case CustomerMessage(message_id=message) | ForwardedToAgent(message_id=message):
            return message, None
        case TurnStarted(turn_id=turn, message_id=message):
            return turn, message
        case TurnEnded(turn_id=turn):
            return turn, None
        case Handoff(handoff_id=handoff, state=state):
            return handoff, state
        case LongCallStarted(call_id=call_id) | LongCallAccepted(call_id=call_id):
            return call_id, None
        case CallEnded(late=True, outcome=outcome):
            return outcome.call.id, None
        case Identified(customer=customer):
            return None if customer is None else storable(customer), None
        case _:
            return None, None


def _verdict(addition: _Addition, said: str) -> LogError | None:
    """The error of a refused append; None if it is stored."""
    what, _, detail = said.partition(" ")
    match what:
        case "":
            return None
        case "fenced":
            return Fenced(f"conversation {addition.key.conversation} is written by another server now")
        case "next":
            first = addition.entries[0].seq
            return LogConflict(f"entry {first} does not follow: the next number is {detail}")
        case "said":
            return already_said(detail)
        case _:
            return LogError(f"the log could not be written: {detail}")


def _decoded(key: ConversationKey, rows: Sequence[Row]) -> list[Logged]:
    """Decode entries from their rows. Raises ``LogError`` with the number of an entry that cannot be read."""
    seq, found = 0, list[Logged]()
    try:
        for row in rows:
            seq, at_ms, turn_id, kind, body, fence = cast(
                "tuple[int, int, str, str, str, int]", tuple(row.values())
            )
            found.append(Logged(seq, at_ms, turn_id, entry_from_json(kind, orjson.loads(body)), fence))
    except LogError as error:
        raise LogError(f"conversation {key.conversation}, entry {seq}: {error}") from error
    return found
