"""Writes copied rows to a PostgreSQL database, and reads them back.

An existing row is not changed; at the end the checksums show whether it is equal.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import cast

import orjson

from assistant.conversation.codec import FORMAT
from assistant.errors import StoreError
from assistant.store.copying.source import PLAIN_TABLES, PlainTable, SourceConversation, SourceDocument
from assistant.store.postgres.database import ALL_TENANTS, ConnectionPool, migrate, read_address
from assistant.store.postgres.driver import Connection, Row, Value
from assistant.store.postgres.jobs import arguments_of, job_of, jsonb, lock_of, sorted_json
from assistant.store.postgres.storage import UNFINISHED_COPY, check_schema, read_installation

_INSTALLATION = "SELECT format, secret FROM installation"
_BEGIN = """
INSERT INTO installation (format, secret, erasures, restore, restored_ms) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (only_row) DO UPDATE SET erasures = $3, restore = $4, restored_ms = $5
"""
# Above the numbers of the copied entries.
_CONTINUE_FENCES = "SELECT setval('fences', greatest((SELECT max(fence) FROM entries), 1))"
_CONTINUE_AUDIT = """
SELECT setval(pg_get_serial_sequence('staff_audit', 'number'), greatest((SELECT max(number) FROM staff_audit), 1))
"""
_FINISH = "UPDATE installation SET format = $1"

CONVERSATION_COLUMNS = (
    "tenant, customer, conversation, opened_ms, last_ms, last_seq, open_turn, waiting, handoff, long_calls,"
    " restored_seq"
)
ENTRY_COLUMNS = "tenant, customer, conversation, seq, at_ms, turn_id, fence, kind, body, said, identified"
DOCUMENT_COLUMNS = (
    "tenant, ref, customer, kind, title, mime, conversation, origin, kept_ms, expires_ms, text, characters,"
    " passages, embedder, width"
)
PASSAGE_COLUMNS = "number, tenant, customer, embedder, width, expires_ms, starts, ends, place, text, vector"


def _insertion(table: str, columns: str) -> str:
    places = ", ".join(f"${number}" for number, _ in enumerate(columns.split(", "), 1))
    return f"INSERT INTO {table} ({columns}) VALUES ({places}) ON CONFLICT DO NOTHING"  # noqa: S608


_ADD_CONVERSATION = f"{_insertion('conversations', CONVERSATION_COLUMNS)} RETURNING true"
_ADD_ENTRY = _insertion("entries", ENTRY_COLUMNS)
_ADD_DOCUMENT = f"{_insertion('documents', DOCUMENT_COLUMNS)} RETURNING document"
_ADD_PASSAGE = _insertion("passages", f"document, {PASSAGE_COLUMNS}")

_IN_ORDER = 'tenant COLLATE "C", customer COLLATE "C", conversation COLLATE "C"'
_CONVERSATIONS = f"SELECT {CONVERSATION_COLUMNS} FROM conversations ORDER BY {_IN_ORDER}"  # noqa: S608
_ENTRIES = (
    f"SELECT {ENTRY_COLUMNS} FROM entries"  # noqa: S608
    " WHERE tenant = $1 AND customer = $2 AND conversation = $3 ORDER BY seq"
)
_DOCUMENTS = f"SELECT document, {DOCUMENT_COLUMNS} FROM documents ORDER BY document"  # noqa: S608
_PASSAGES = f"SELECT {PASSAGE_COLUMNS} FROM passages WHERE document = $1 ORDER BY number"  # noqa: S608

# Its next job gets a number above those of the copied jobs.
_ADD_JOB = """
WITH added AS (
    INSERT INTO procrastinate_jobs (id, queue_name, task_name, lock, args, status, scheduled_at, attempts)
    VALUES ($1, $2, $2, $3, $4::text::jsonb, $5::procrastinate_job_status, to_timestamp($6::float8 / 1000), $7)
    ON CONFLICT DO NOTHING
)
SELECT setval(pg_get_serial_sequence('procrastinate_jobs', 'id'), $1)
"""
_JOBS = """
SELECT id, task_name, lock, args::text, status::text, round(extract(epoch FROM scheduled_at) * 1000)::bigint,
    attempts
FROM procrastinate_jobs ORDER BY id
"""

_TABLES_WITH_ROWS = (
    "conversations",
    "entries",
    "procrastinate_jobs",
    *(table.name for table in PLAIN_TABLES),
)
_PAGE = 500


class DatabaseTarget:
    """A database into which an installation is copied. Create it with :func:`open_target`.

    Args:
        connections: at least two; closed by their owner.
    """

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections
        self._cursors = 0

    async def begin(self, installation: tuple[Value, ...], *, documents: bool) -> bool:
        """Begin a copy, or continue it; returns False if it was finished before.

        Until it is finished, no server starts on this database.

        Args:
            installation: the value of :attr:`DataFolderSource.installation`.
            documents: documents are copied, too, so the database must not contain any.

        Raises:
            StoreError: the database has data of another installation.
        """
        async with self.transaction() as connection:
            row = await connection.fetchrow(_INSTALLATION)
            if row is not None:
                if row["secret"] != installation[0]:
                    raise StoreError(f"another installation uses this database: {_CURE}")
                if row["format"] == UNFINISHED_COPY:
                    await connection.execute(_BEGIN, UNFINISHED_COPY, *installation)
                return row["format"] == UNFINISHED_COPY
            for table in (*_TABLES_WITH_ROWS, *(["documents"] if documents else [])):
                if await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table})"):  # noqa: S608
                    raise StoreError(f"there are {table} in this database: {_CURE}")
            await connection.execute(_BEGIN, UNFINISHED_COPY, *installation)
            return True

    async def finish(self) -> None:
        """Let servers start on this database."""
        async with self.transaction() as connection:
            await connection.execute(_FINISH, FORMAT)
            await connection.execute(_CONTINUE_FENCES)
            await connection.execute(_CONTINUE_AUDIT)

    async def add_conversation(self, conversation: SourceConversation) -> None:
        """Store a conversation with its entries, unless it exists already."""
        async with self.transaction() as connection:
            if await connection.fetchval(_ADD_CONVERSATION, *conversation.row):
                await connection.executemany(_ADD_ENTRY, conversation.entries)

    async def add_document(self, document: SourceDocument) -> None:
        """Store a document with its passages, unless it exists already."""
        async with self.transaction() as connection:
            number = await connection.fetchval(_ADD_DOCUMENT, *document.row)
            if number is not None:
                rows = [(cast("int", number), *passage) for passage in document.passages]
                await connection.executemany(_ADD_PASSAGE, rows)

    async def add_plain(self, table: PlainTable, rows: Sequence[tuple[Value, ...]]) -> None:
        """Store rows of a table, except rows that exist already."""
        async with self.transaction() as connection:
            await connection.executemany(_insertion(table.name, table.columns), rows)

    async def add_jobs(self, rows: Sequence[tuple[Value, ...]]) -> None:
        """Queue background jobs, except jobs that exist already."""
        async with self.transaction() as connection:
            await connection.executemany(_ADD_JOB, rows)

    async def installation(self) -> tuple[Value, ...]:
        """The secret, the number of erasures, and the id and the time of the last restore."""
        async with self.transaction() as connection:
            row = await connection.fetchrow("SELECT secret, erasures, restore, restored_ms FROM installation")
        return () if row is None else _values(row)

    async def conversations(self) -> AsyncGenerator[SourceConversation]:
        """All conversations with their entries, in the order of their keys."""
        async with aclosing(self._rows(_CONVERSATIONS)) as rows:
            async for row in rows:
                values = _values(row)
                async with self.transaction() as connection:
                    entries = await connection.fetch(_ENTRIES, *values[:3])
                yield SourceConversation(row=values, entries=[_values(entry) for entry in entries])

    async def documents(self) -> AsyncGenerator[SourceDocument]:
        """All documents with their passages, in the order in which they were stored."""
        async with aclosing(self._rows(_DOCUMENTS)) as rows:
            async for row in rows:
                number, *values = _values(row)
                async with self.transaction() as connection:
                    passages = await connection.fetch(_PASSAGES, number)
                yield SourceDocument(row=tuple(values), passages=[_values(passage) for passage in passages])

    async def jobs(self) -> AsyncGenerator[tuple[Value, ...]]:
        """All background work, oldest first."""
        async with aclosing(self._rows(_JOBS)) as rows:
            async for row in rows:
                number, kind, lock, args, *rest = _values(row)
                yield (number, kind, lock, sorted_json(str(args)), *rest)

    async def plain(self, table: PlainTable) -> AsyncGenerator[tuple[Value, ...]]:
        """The rows of a table, in order."""
        query = f"SELECT {table.columns} FROM {table.name} ORDER BY {table.order}"  # noqa: S608
        async with aclosing(self._rows(query)) as rows:
            async for row in rows:
                yield _values(row)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """A transaction that sees the rows of all tenants. Raises ``StoreError``."""
        async with self._connections.of_tenant(ALL_TENANTS) as connection:
            yield connection

    async def _rows(self, query: str) -> AsyncGenerator[Row]:
        """The rows of a query, without all of them in memory."""
        async with self.transaction() as connection:
            # Reading takes longer than a server may leave a transaction open.
            await connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            self._cursors += 1  # each has its own name: the driver remembers the columns of a statement
            await connection.execute(f"DECLARE copied_{self._cursors} NO SCROLL CURSOR FOR {query}")
            while rows := await connection.fetch(f"FETCH {_PAGE} FROM copied_{self._cursors}"):
                for row in rows:
                    yield row


class DatabaseSnapshot(DatabaseTarget):
    """Reads a database as it was at one point in time, without later writes of servers.

    Create it with :func:`open_snapshot`. Jobs are in the form of a data folder: none is running.
    """

    def __init__(self, connections: ConnectionPool, connection: Connection) -> None:
        super().__init__(connections)
        self._connection = connection

    async def jobs(self) -> AsyncGenerator[tuple[Value, ...]]:
        """All unfinished background jobs, oldest first."""
        async with aclosing(super().jobs()) as rows:
            async for number, kind, _, args, status, due_ms, tries in rows:
                if status in ("todo", "doing", "failed"):
                    found = orjson.loads(str(args))
                    whole = arguments_of(job_of(str(kind), found))
                    if problem := found.get("problem"):
                        whole["problem"] = problem
                    status = "failed" if status == "failed" else "todo"
                    lock = lock_of(str(kind), whole)
                    yield number, kind, lock, sorted_json(jsonb(whole)), status, due_ms or 0, tries

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Connection]:
        """The one transaction of the snapshot."""
        yield self._connection


_CURE = "name an empty database, or drop the schema meanwhile in this one if its data are not needed"


@asynccontextmanager
async def open_target(address: str, setting: str) -> AsyncGenerator[DatabaseTarget]:
    """A database with all tables of this release, until the end of the block. Missing tables are created.

    Raises ``DeclarationError`` if the address cannot be read; everything else raises ``StoreError``.
    """
    # One for a cursor, one for the data of its row.
    connections = ConnectionPool(read_address(address, setting), migrate, size=2)
    try:
        yield DatabaseTarget(connections)
    finally:
        await connections.close()


@asynccontextmanager
async def open_snapshot(address: str, setting: str) -> AsyncGenerator[DatabaseSnapshot]:
    """The database as it is now, until the end of the block. Nothing is changed.

    Raises ``DeclarationError`` if nothing is stored there, or in another format; other errors are
    ``StoreError``.
    """
    connections = ConnectionPool(read_address(address, setting), check_schema, size=1)
    try:
        async with connections.one() as connection, connection.transaction():
            await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            await connection.execute("SELECT set_config('meanwhile.tenant', $1, true)", ALL_TENANTS)
            await read_installation(connection)  # it has the right format, and is complete
            yield DatabaseSnapshot(connections, connection)
    finally:
        await connections.close()


def _values(row: Row) -> tuple[Value, ...]:
    return tuple(cast("Value", value) for value in row.values())
