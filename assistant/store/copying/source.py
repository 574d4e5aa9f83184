"""Reads all rows of an installation from the SQLite files of a data folder, as PostgreSQL stores them.

Rows come in the byte order of their keys, which is the order of the collation "C" in PostgreSQL.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.jobs import Job
from assistant.store.postgres.database import storable
from assistant.store.postgres.driver import Value
from assistant.store.postgres.jobs import arguments_of, jsonb, lock_of, sorted_json
from assistant.store.sqlite.canned_replies import REPLIES_FILE, REPLY_COLUMNS
from assistant.store.sqlite.data_folder import place_of, read_secret
from assistant.store.sqlite.file import connect_to_read, inspect_file
from assistant.store.sqlite.pauses import PAUSE_COLUMNS, PAUSES_FILE
from assistant.store.sqlite.profiles import PROFILE_COLUMNS, PROFILES_FILE
from assistant.store.sqlite.spending import SPENDING_FILE
from assistant.store.sqlite.staff import ACCOUNT_COLUMNS, AUDIT_COLUMNS, IDENTITY_COLUMNS, STAFF_FILE
from assistant.store.sqlite.storage import JOBS_FILE, LOG_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainTable:
    """A table whose rows are copied as they are.

    ``columns`` are the database's columns, ``order`` is the order of its rows there. ``file`` and ``select``
    locate the rows in the data folder; ``:place`` in them is the folder's name.
    """

    name: str
    columns: str
    order: str
    file: str
    select: str


_WRITES = (
    "tenant, customer, ref, kind, title, mime, conversation, origin, kept_ms, expires_ms, characters, due_ms,"
    " tries, problem, text"
)
_OURS = "tenant, customer, conversation"
_AUDIT = (
    f"number, {AUDIT_COLUMNS}"  # the number, because a copy that goes on skips the rows that exist already
)

PLAIN_TABLES = (
    PlainTable(
        name="bundles",
        columns="tenant, bundle, kept_ms, tools, prompts",
        order='tenant COLLATE "C", bundle COLLATE "C"',
        file=LOG_FILE,
        select="SELECT tenant, bundle, kept_ms, tools, CAST(prompts AS TEXT) FROM bundles ORDER BY tenant, bundle",
    ),
    PlainTable(  # in the order in which they wait
        name="writes",
        columns=_WRITES,
        order="number",
        file=LOG_FILE,
        select=f"SELECT {_WRITES} FROM writes ORDER BY number",  # noqa: S608 - constants, as everywhere here
    ),
    PlainTable(
        name="recordings",
        columns=f"{_OURS}, place, path",
        order='tenant COLLATE "C", customer COLLATE "C", conversation COLLATE "C", path COLLATE "C",'
        ' place COLLATE "C"',
        file=LOG_FILE,
        select=f"SELECT {_OURS}, iif(place = '', :place, place) AS at, path FROM recordings"  # noqa: S608
        f" ORDER BY {_OURS}, path, at",
    ),
    PlainTable(
        name="commitments",
        columns="commitment, erased_ms",
        order="commitment",
        file=LOG_FILE,
        select="SELECT commitment, erased_ms FROM commitments ORDER BY commitment",
    ),
    PlainTable(
        name="delivery_positions",
        columns=f"receiver, {_OURS}, seq, ended, rested_ms",
        order='receiver COLLATE "C", tenant COLLATE "C", customer COLLATE "C", conversation COLLATE "C"',
        file="deliveries.db",
        select=(
            f"SELECT receiver, {_OURS}, seq, ended, rested_ms FROM delivery_positions"  # noqa: S608
            f" ORDER BY receiver, {_OURS}"
        ),
    ),
    PlainTable(
        name="credentials",
        columns=f"{_OURS}, expires_ms, sealed",
        order='tenant COLLATE "C", customer COLLATE "C", conversation COLLATE "C"',
        file="credentials.db",
        select=f"SELECT {_OURS}, expires_ms, sealed FROM credentials ORDER BY {_OURS}",  # noqa: S608
    ),
    PlainTable(
        name="used_tokens",
        columns="tenant, id, until_ms",
        order='tenant COLLATE "C", id COLLATE "C"',
        file="used_tokens.db",
        select="SELECT tenant, id, until_ms FROM used_tokens ORDER BY tenant, id",
    ),
    PlainTable(
        name="spending",
        columns="tenant, day, customer, tokens, micro_usd",
        order='tenant COLLATE "C", day COLLATE "C", customer COLLATE "C"',
        file=SPENDING_FILE,
        select="SELECT tenant, day, customer, tokens, micro_usd FROM spending ORDER BY tenant, day, customer",
    ),
    PlainTable(  # without sessions and links: staff sign in again
        name="staff_accounts",
        columns=ACCOUNT_COLUMNS,
        order='tenant COLLATE "C", id COLLATE "C"',
        file=STAFF_FILE,
        select=f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts ORDER BY tenant, id",  # noqa: S608
    ),
    PlainTable(
        name="staff_identities",
        columns=IDENTITY_COLUMNS,
        order='tenant COLLATE "C", issuer COLLATE "C", subject COLLATE "C"',
        file=STAFF_FILE,
        select=f"SELECT {IDENTITY_COLUMNS} FROM staff_identities ORDER BY tenant, issuer, subject",  # noqa: S608
    ),
    PlainTable(
        name="staff_audit",
        columns=_AUDIT,
        order="number",
        file=STAFF_FILE,
        select=f"SELECT {_AUDIT} FROM staff_audit ORDER BY number",  # noqa: S608
    ),
    PlainTable(
        name="pauses",
        columns=PAUSE_COLUMNS,
        order='tenant COLLATE "C", kind COLLATE "C", name COLLATE "C"',
        file=PAUSES_FILE,
        select=f"SELECT {PAUSE_COLUMNS} FROM pauses ORDER BY tenant, kind, name",  # noqa: S608
    ),
    PlainTable(
        name="canned_replies",
        columns=REPLY_COLUMNS,
        order='tenant COLLATE "C", id COLLATE "C"',
        file=REPLIES_FILE,
        select=f"SELECT {REPLY_COLUMNS} FROM canned_replies ORDER BY tenant, id",  # noqa: S608
    ),
    PlainTable(
        name="work_profiles",
        columns=PROFILE_COLUMNS,
        order='tenant COLLATE "C", account COLLATE "C"',
        file=PROFILES_FILE,
        select=f"SELECT {PROFILE_COLUMNS} FROM work_profiles ORDER BY tenant, account",  # noqa: S608
    ),
)

_HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE name = ?"
_JOBS = (
    "SELECT number, kind, tenant, customer, lock, arguments, failed, problem, due_ms, tries"
    " FROM jobs ORDER BY number"
)
_CONVERSATIONS = (
    f"SELECT {_OURS}, opened_ms, open_turn, waiting, handoff, long_calls, restored_seq"  # noqa: S608
    f" FROM conversations ORDER BY {_OURS}"
)
_ENTRIES = (
    "SELECT seq, at_ms, turn_id, fence, kind, CAST(body AS TEXT), said FROM entries"
    " WHERE tenant = ? AND customer = ? AND conversation = ? ORDER BY seq"
)
_DOCUMENTS = (
    "SELECT document, tenant, embedder, kept_ms, expires_ms, passages, characters, about, text FROM documents"
    " ORDER BY document"
)
_PASSAGES = "SELECT vectors, about FROM passages WHERE document = ? ORDER BY pack"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceConversation:
    """The row of a conversation, and the rows of its entries, with the columns of the database."""

    row: tuple[Value, ...]
    entries: list[tuple[Value, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """The row of a document, and the rows of its passages without the document's number."""

    row: tuple[Value, ...]
    passages: list[tuple[Value, ...]]


class DataFolderSource:
    """The files of a data folder, opened for reading. Reading blocks the event loop, so it is only for commands.

    Args:
        folder: the data folder. No server changes it meanwhile.
        place: the place of recordings of this folder's machine; the folder's name if None.

    Raises:
        DeclarationError: there is no log or no secret, or another release wrote the log.
    """

    def __init__(self, folder: Path, place: str | None = None) -> None:
        self._folder = folder
        self._place = place_of(folder, SystemIds().new) if place is None else place
        log = folder / LOG_FILE
        if not log.is_file():
            raise DeclarationError(
                f"there is no {log}: is ASSISTANT_DATA_DIR right, and has it served before?"
            )
        looked = inspect_file(log)
        if looked.problem is not None:
            raise DeclarationError(f"{log}: {looked.problem}")
        if looked.schema != looked.newest:
            raise DeclarationError(
                f"{log} has schema {looked.schema}, and this release has {looked.newest}: run `assistant upgrade`"
                " without ASSISTANT_DATABASE first, or install a newer release"
            )
        secret = read_secret(folder)
        if secret is None:
            raise DeclarationError(f"there is no {folder / 'secret'}: put it back from a backup")
        self.secret = secret
        self._log = connect_to_read(log)

    def close(self) -> None:
        """Close the log's file."""
        self._log.close()

    @property
    def installation(self) -> tuple[Value, ...]:
        """The installation's secret, the number of erasures, and the id and the time of the last restore."""
        of_log = self._log.execute("SELECT count, id, restored_ms FROM erasures, restores").fetchone()
        return self.secret, *of_log

    def count(self, table: str) -> int:
        """The number of conversations or of documents."""
        (count,) = self._log.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
        return count

    def conversations(self) -> Iterator[SourceConversation]:
        """All conversations with their entries, in the order of their keys."""
        for tenant, customer, conversation, opened_ms, *waits in self._log.execute(_CONVERSATIONS):
            key = tenant, customer, conversation
            entries = [_entry(key, row) for row in self._log.execute(_ENTRIES, key)]
            last_ms, last_seq = (entries[-1][4], entries[-1][3]) if entries else (opened_ms, 0)
            row = (*key, opened_ms, last_ms, last_seq, *waits)
            yield SourceConversation(row=row, entries=entries)

    def documents(self) -> Iterator[SourceDocument]:
        """All documents with their passages, in the order in which they were stored."""
        for (
            document,
            tenant,
            maker,
            kept_ms,
            expires_ms,
            passages,
            characters,
            about,
            text,
        ) in self._log.execute(_DOCUMENTS):
            embedder, _, width = maker.rpartition(" ")
            its = orjson.loads(about)
            names = (its["ref"], its["customer"], its["kind"], its["title"], its["mime"])
            place = (its["conversation"], its["origin"])
            row = (tenant, *names, *place, kept_ms, expires_ms, text.decode(), characters, passages)
            found_by = (tenant, its["customer"], embedder, int(width), expires_ms)
            yield SourceDocument(
                row=_stored((*row, embedder, int(width))),
                passages=[
                    _stored((number, *found_by, starts, ends, place_, words, vector))
                    for number, starts, ends, words, place_, vector in self._passages(document, int(width))
                ],
            )

    def plain(self, table: PlainTable) -> Iterator[tuple[Value, ...]]:
        """The rows of a table, in order. A file that does not exist, or that is older than the table, has none."""
        path = self._folder / table.file
        if path.is_file():
            with closing(connect_to_read(path)) as file:
                if file.execute(_HAS_TABLE, (table.name,)).fetchone() is None:
                    return
                for row in file.execute(table.select, {"place": self._place}):
                    yield _stored(row)

    def jobs(self) -> Iterator[tuple[Value, ...]]:
        """The rows of background jobs that wait or failed permanently, oldest first, with procrastinate's
        columns.
        """
        path = self._folder / JOBS_FILE
        if path.is_file():
            with closing(connect_to_read(path)) as file:
                for row in file.execute(_JOBS):
                    yield _job(row)

    def _passages(self, document: int, width: int) -> Iterator[tuple[Any, ...]]:
        for vectors, about in self._log.execute(_PASSAGES, (document,)):
            size = 4 * width
            for at, passage in enumerate(orjson.loads(about)):
                yield (*passage, vectors[at * size : (at + 1) * size])


def check_erased(folder: Path) -> None:
    """Raise ``DeclarationError`` if the erasure of a customer is unfinished, or failed permanently."""
    path = folder / JOBS_FILE
    if not path.is_file():
        return
    with closing(connect_to_read(path)) as file:
        rows = file.execute("SELECT customer FROM jobs WHERE kind = 'erasure' ORDER BY customer").fetchall()
    if left := [customer for (customer,) in rows]:
        raise DeclarationError(
            f"not everything is erased yet of {', '.join(left)}: run `assistant customer erase` again for each"
        )


def _job(row: tuple[Any, ...]) -> tuple[Value, ...]:
    number, kind, tenant, customer, lock, arguments, failed, problem, due_ms, tries = row
    job = Job(kind=kind, tenant=tenant, customer=customer, lock=lock, arguments=orjson.loads(arguments))
    args = arguments_of(job)
    stored = jsonb({**args, "problem": problem} if problem else args)
    status = "failed" if failed else "todo"
    return number, kind, lock_of(kind, args), sorted_json(stored), status, due_ms, tries


def _entry(key: tuple[str, str, str], row: sqlite3.Row) -> tuple[Value, ...]:
    seq, at_ms, turn_id, fence, kind, body, said = row
    name = orjson.loads(body)["customer"] if kind == "identified" else None
    said, name = (None if each is None else storable(each) for each in (said, name))
    return (*key, seq, at_ms, turn_id, fence, kind, body, said, name)


def _stored(row: tuple[Any, ...]) -> tuple[Value, ...]:
    return tuple(storable(value) if isinstance(value, str) else value for value in row)
