"""Writes the rows of a database into the SQLite files of a data folder: the reverse of ``source``."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import cast

import orjson

from assistant.conversation.documents import Document, DocumentKind, Passage
from assistant.store.copying.source import PLAIN_TABLES, PlainTable, SourceConversation, SourceDocument
from assistant.store.copying.target import DatabaseTarget
from assistant.store.documents.sqlite import put_document
from assistant.store.postgres.driver import Value
from assistant.store.sqlite.canned_replies import REPLIES_TABLE
from assistant.store.sqlite.credentials import CREDENTIALS_TABLE, USED_TOKENS_TABLE
from assistant.store.sqlite.deliveries import DELIVERIES_TABLES
from assistant.store.sqlite.file import connect, migrate, transaction
from assistant.store.sqlite.jobs import JOBS_TABLE
from assistant.store.sqlite.log_rows import checksum_of
from assistant.store.sqlite.pauses import PAUSES_TABLE
from assistant.store.sqlite.profiles import PROFILES_TABLE
from assistant.store.sqlite.spending import SPENDING_TABLE
from assistant.store.sqlite.staff import STAFF_TABLES
from assistant.store.sqlite.storage import JOBS_FILE, LOG_FILE

_TABLES = {
    "delivery_positions": DELIVERIES_TABLES,
    "credentials": CREDENTIALS_TABLE,
    "used_tokens": USED_TOKENS_TABLE,
    "spending": SPENDING_TABLE,
    "staff_accounts": STAFF_TABLES,
    "staff_identities": "",
    "staff_audit": "",  # in the file of the accounts
    "pauses": PAUSES_TABLE,
    "canned_replies": REPLIES_TABLE,
    "work_profiles": PROFILES_TABLE,
}
"""The SQL that creates the tables outside of the log's file."""

_INSTALLATION = ("UPDATE erasures SET count = ?", "UPDATE restores SET id = ?, restored_ms = ?")
_CONVERSATION = (
    "INSERT INTO conversations (tenant, customer, conversation, opened_ms, reached, open_turn, waiting, handoff,"
    " long_calls, restored_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ENTRY = (
    "INSERT INTO entries (tenant, customer, conversation, seq, at_ms, turn_id, fence, kind, body, said, checksum)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_JOB = (
    "INSERT INTO jobs (number, kind, tenant, customer, lock, arguments, due_ms, tries, failed, problem)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


async def write_folder(source: DatabaseTarget, folder: Path, *, documents: bool) -> None:
    """Make the files of a data folder from a database.

    Args:
        source: the database; see :func:`assistant.store.copying.target.open_snapshot`.
        folder: a folder that exists and has none of these files yet.
        documents: whether the documents are written, too.

    Raises:
        StoreError: the database is not available.
    """
    secret, erasures, *restore = await source.installation()
    _private(folder / "secret").write_text(f"{secret}\n", encoding="utf-8")
    with closing(connect(_private(folder / LOG_FILE))) as file:
        migrate(file, LOG_FILE)
        with transaction(file, "IMMEDIATE"):
            file.execute(_INSTALLATION[0], (erasures,))
            file.execute(_INSTALLATION[1], restore)
            async for conversation in source.conversations():
                _add_conversation(file, conversation)
            async for document in source.documents() if documents else _none():
                _add_document(file, document)
        for table in PLAIN_TABLES:
            if table.file == LOG_FILE:
                await _add_rows(file, table, source.plain(table))
        file.execute("PRAGMA journal_mode = DELETE")
    for table in PLAIN_TABLES:
        if table.file != LOG_FILE:
            path = folder / table.file
            made = path if path.exists() else _private(path)
            with closing(sqlite3.connect(made, isolation_level=None)) as file:
                file.executescript(_TABLES[table.name])
                await _add_rows(file, table, source.plain(table))
    with closing(sqlite3.connect(_private(folder / JOBS_FILE), isolation_level=None)) as file:
        file.executescript(JOBS_TABLE)
        with transaction(file, "IMMEDIATE"):
            async for job in source.jobs():
                file.execute(_JOB, _job(job))


def _add_conversation(file: sqlite3.Connection, conversation: SourceConversation) -> None:
    tenant, customer, id_, opened_ms, _last_ms, last_seq, *progress = conversation.row
    file.execute(_CONVERSATION, (tenant, customer, id_, opened_ms, last_seq, *progress))
    for row in conversation.entries:
        *key, seq, at_ms, turn_id, fence, kind, body, said, _identified = row
        written = str(body).encode()
        checksum = checksum_of(cast("int", seq), cast("int", at_ms), str(turn_id), str(kind), written)
        file.execute(_ENTRY, (*key, seq, at_ms, turn_id, fence, kind, written, said, checksum))


def _add_document(file: sqlite3.Connection, source: SourceDocument) -> None:
    tenant, ref, customer, kind, title, mime, conversation, origin, *rest = source.row
    kept_ms, expires_ms, text, _characters, _passages, embedder, width = rest
    document = Document(
        tenant=str(tenant),
        ref=str(ref),
        customer=str(customer),
        kind=cast("DocumentKind", kind),
        title=str(title),
        text=str(text),
        mime=str(mime),
        conversation=str(conversation),
        origin=str(origin),
        kept_ms=cast("int", kept_ms),
        expires_ms=cast("int | None", expires_ms),
    )
    put_document(file, document, [_passage(row) for row in source.passages], f"{embedder} {width}")


def _passage(row: tuple[Value, ...]) -> Passage:
    number, _tenant, _customer, _embedder, _width, _expires_ms, starts, ends, place, text, vector = row
    return Passage(
        number=cast("int", number),
        start=cast("int", starts),
        end=cast("int", ends),
        place=str(place),
        text=str(text),
        vector=cast("bytes", vector),
    )


async def _add_rows(
    file: sqlite3.Connection, table: PlainTable, rows: AsyncIterator[tuple[Value, ...]]
) -> None:
    places = ", ".join("?" for _ in table.columns.split(", "))
    insert = f"INSERT INTO {table.name} ({table.columns}) VALUES ({places})"  # noqa: S608 - constants
    with transaction(file, "IMMEDIATE"):
        async for row in rows:
            file.execute(insert, row)
        if table.name == "bundles":  # bytes there
            file.execute("UPDATE bundles SET prompts = CAST(prompts AS BLOB)")


def _job(row: tuple[Value, ...]) -> tuple[Value, ...]:
    number, kind, _lock, args, status, due_ms, tries = row
    job = orjson.loads(str(args))
    arguments, problem = orjson.dumps(job.get("arguments", {})), job.get("problem", "")
    whose = (job.get(name, "") for name in ("tenant", "customer", "lock"))
    return (number, kind, *whose, arguments, due_ms, tries, status == "failed", problem)


async def _none() -> AsyncIterator[SourceDocument]:
    """No documents."""
    for document in ():
        yield document


def _private(path: Path) -> Path:
    path.touch(mode=0o600, exist_ok=False)
    return path
