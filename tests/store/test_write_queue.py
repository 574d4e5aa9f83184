"""The promises of every document queue, and those of queues on disk and in a database."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import ALL_CUSTOMERS, Document, result_ref
from assistant.conversation.entries import CallEnded, Logged, Snapshot
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import LogConflict, StoreError
from assistant.storage_ports import Log, WriteQueue
from assistant.store.postgres.database import ConnectionPool, migrate, read_address
from assistant.store.postgres.write_queue import PostgresWriteQueue
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.write_queue import SqliteWriteQueue
from tests.support.memory_documents import MemoryWriteQueue
from tests.support.postgres import run

FILE = Document(
    ref="document:1",
    tenant="t",
    customer="ana",
    kind="upload",
    title="letter.txt",
    text="Dear all,\n\nGrüße.",
    mime="text/markdown",
    conversation="c1",
    origin="/letters/1",
    kept_ms=1_000,
    expires_ms=9_000,
)
RESULT = replace(FILE, ref="result:c1/t1/c1.1", kind="result", text="", expires_ms=None)
POLICY = replace(FILE, ref="document:policy", customer=ALL_CUSTOMERS, kind="knowledge", expires_ms=None)
GIVEN = ("upload", "knowledge")


@pytest.fixture
async def sqlite_queue(sqlite_log: SqliteLog, tmp_path: Path) -> AsyncIterator[SqliteWriteQueue]:
    """A queue in the file of this log."""
    queue = SqliteWriteQueue(tmp_path / "log.sqlite3")
    yield queue
    await queue.close()


@pytest.fixture
async def postgres_queue(connections: ConnectionPool) -> AsyncIterator[PostgresWriteQueue]:
    """A queue in a database."""
    queue = PostgresWriteQueue(connections, "s1")
    yield queue
    await queue.close()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def queue(request: pytest.FixtureRequest) -> WriteQueue:
    """An empty queue, of each kind in turn."""
    if request.param == "memory":
        return MemoryWriteQueue()
    queue: WriteQueue = request.getfixturevalue(f"{request.param}_queue")
    return queue


@pytest.fixture(params=["sqlite", "postgres"])
def fed(request: pytest.FixtureRequest) -> tuple[Log, WriteQueue]:
    """A log, and the queue that it feeds."""
    log: Log = request.getfixturevalue(f"{request.param}_log")
    queue: WriteQueue = request.getfixturevalue(f"{request.param}_queue")
    return log, queue


async def refs(queue: WriteQueue, tenant: str | None = None, customer: str | None = None) -> list[str]:
    return [one.listed.ref for one in await queue.waiting(tenant, customer)]


async def test_a_document_is_read_unchanged(queue: WriteQueue) -> None:
    await queue.add(FILE, 1_000)

    [waiting] = await queue.waiting()
    assert await queue.read(waiting.number) == FILE
    assert await queue.get("t", "ana", "document:1") == FILE
    assert (waiting.whose, waiting.due_ms, waiting.tries, waiting.problem) == (
        ("t", "ana", "document:1"),
        1_000,
        0,
        "",
    )
    listed = waiting.listed
    assert (listed.kind, listed.title, listed.mime, listed.origin) == (
        *("upload", "letter.txt", "text/markdown", "/letters/1"),
    )
    assert (listed.characters, listed.passages, listed.kept_ms, listed.expires_ms) == (17, 0, 1_000, 9_000)


async def test_the_longest_due_document_of_the_requested_kinds_is_next(
    queue: WriteQueue,
) -> None:
    await queue.add(FILE, 2_000)
    await queue.add(POLICY, 1_500)
    await queue.add(RESULT, 1_000)

    assert await queue.next(GIVEN, 1_499) is None
    first = await queue.next(GIVEN, 3_000)
    only = await queue.next(["result"], 1_000)
    assert first is not None
    assert only is not None
    assert (first.listed.ref, only.listed.ref) == ("document:policy", "result:c1/t1/c1.1")
    await queue.remove(first.number)
    await queue.remove(first.number)
    second = await queue.next(GIVEN, 3_000)
    assert second is not None
    assert second.listed.ref == "document:1"


async def test_a_document_that_is_queued_again_replaces_the_first(queue: WriteQueue) -> None:
    await queue.add(FILE, 1_000)
    [first] = await queue.waiting()
    await queue.add(replace(FILE, text="Newer."), 2_000)
    [second] = await queue.waiting()

    assert second.number > first.number
    assert await queue.read(first.number) is None
    await queue.remove(first.number)
    await queue.put_off(first.number, "old", None)
    assert await queue.waiting() == [second]
    assert await queue.get("t", "ana", "document:1") == replace(FILE, text="Newer.")


async def test_numbers_are_never_used_twice(queue: WriteQueue) -> None:
    await queue.add(FILE, 1_000)
    [first] = await queue.waiting()
    await queue.remove(first.number)
    await queue.add(FILE, 1_000)
    [second] = await queue.waiting()

    assert second.number > first.number


async def test_a_failed_document_is_due_later_or_never(queue: WriteQueue) -> None:
    await queue.add(FILE, 1_000)
    [waiting] = await queue.waiting()
    await queue.put_off(waiting.number, "away", 5_000)
    assert await queue.next(GIVEN, 4_999) is None
    again = await queue.next(GIVEN, 5_000)
    assert again == replace(waiting, due_ms=5_000, tries=1, problem="away")
    await queue.put_off(waiting.number, "no good", None)

    assert await queue.next(GIVEN, 10**15) is None
    assert await queue.waiting() == [replace(waiting, due_ms=None, tries=2, problem="no good")]
    assert await queue.get("t", "ana", "document:1") == FILE


async def test_customers_see_only_their_own_documents(queue: WriteQueue) -> None:
    bens = replace(FILE, ref="document:2", customer="ben")
    others = replace(FILE, tenant="u")
    for document in (FILE, bens, POLICY, others):
        await queue.add(document, 1_000)

    assert await refs(queue) == ["document:1", "document:2", "document:policy", "document:1"]
    assert await refs(queue, "t") == ["document:1", "document:2", "document:policy"]
    assert await refs(queue, "t", "ana") == ["document:1"]
    assert await refs(queue, "t", ALL_CUSTOMERS) == ["document:policy"]
    assert await queue.get("t", "ana", "document:2") is None
    assert await queue.get("t", "ana", "document:policy") == POLICY
    assert await queue.get("u", "ana", "document:2") is None


async def test_deleting_erasing_and_expiring_remove_the_right_documents(queue: WriteQueue) -> None:
    bens = replace(FILE, ref="document:2", customer="ben", expires_ms=9_001)
    for document in (FILE, bens, POLICY, RESULT, replace(FILE, tenant="u", expires_ms=None)):
        await queue.add(document, 1_000)

    assert not await queue.delete("t", "document:nowhere")
    assert await queue.delete("t", "document:policy")
    assert await queue.expire(8_999) == 0
    assert await queue.expire(9_000) == 1
    assert await refs(queue, "t") == ["document:2", "result:c1/t1/c1.1"]
    assert await queue.erase("t", "ana") == ["result:c1/t1/c1.1"]
    assert await queue.erase("t", "ana") == []
    assert await refs(queue) == ["document:2", "document:1"]


def ended(seq: int, call_id: str, snapshot: Snapshot | None = None) -> list[Logged]:
    call = Call(id=call_id, tool="list_orders")
    snapshot = snapshot or Snapshot(
        call_id=call_id,
        tool_name="list_orders",
        arguments={},
        result_summary=["M-1"],
        full_result_ref=result_ref("c1", "t1", call_id),
    )
    return [
        Logged(seq, 5_000, "t1", CallEnded(outcome=CallSucceeded(call=call, value=["M-1"]))),
        Logged(seq + 1, 5_001, "t1", snapshot),
    ]


async def test_a_result_is_queued_when_its_snapshot_is_stored(
    fed: tuple[Log, WriteQueue], ana: ConversationKey
) -> None:
    log, queue = fed
    await log.append(ana, ended(1, "c1.1"))
    with pytest.raises(LogConflict):
        await log.append(ana, ended(2, "c1.2"))
    [_, snapshot] = ended(3, "c1.3")
    assert isinstance(snapshot.entry, Snapshot)
    by_a_model = replace(snapshot.entry, made_by="model")
    of_nothing = replace(snapshot.entry, result_summary=None)
    looked_up = replace(snapshot.entry, tool_name="search_documents")
    await log.append(
        ana,
        [*ended(3, "c1.3", by_a_model), *ended(5, "c1.4", of_nothing), *ended(7, "c1.5", looked_up)],
    )

    [waiting] = await queue.waiting()
    assert waiting.listed.ref == result_ref("c1", "t1", "c1.1")
    assert (waiting.whose[:2], waiting.due_ms, waiting.listed.kept_ms) == (
        (ana.tenant, ana.customer),
        5_001,
        5_001,
    )
    document = await queue.read(waiting.number)
    assert document is not None
    assert (document.kind, document.title, document.text, document.conversation) == (
        *("result", "list_orders", "", "c1"),
    )


async def test_a_queue_on_disk_survives_and_reports_when_it_cannot_answer(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    queue = SqliteWriteQueue(tmp_path / "log.db")
    await queue.add(FILE, 1_000)
    await queue.close()
    await queue.close()
    with pytest.raises(StoreError, match="did not answer"):
        await queue.waiting()

    again = SqliteWriteQueue(tmp_path / "log.db")
    assert await refs(again) == ["document:1"]
    await again.close()
    await log.close()
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteWriteQueue(tmp_path / "nowhere" / "log.db")


async def test_a_text_that_a_database_cannot_store_loses_only_those_characters(
    postgres_queue: PostgresWriteQueue,
) -> None:
    await postgres_queue.add(replace(FILE, text="a\0b", title="\0"), 1_000)

    [waiting] = await postgres_queue.waiting()
    document = await postgres_queue.read(waiting.number)
    assert document is not None
    assert (document.title, document.text) == ("\N{REPLACEMENT CHARACTER}", "a\N{REPLACEMENT CHARACTER}b")


@pytest.fixture
async def servers(connections: ConnectionPool, database: str) -> AsyncIterator[list[PostgresWriteQueue]]:
    """The queues of two servers."""
    pool = ConnectionPool(read_address(database), migrate)
    both = [PostgresWriteQueue(connections, "s1"), PostgresWriteQueue(pool, "s2")]
    yield both
    for one in both:
        await one.close()
    await pool.close()


async def test_each_document_goes_to_one_of_two_servers(servers: list[PostgresWriteQueue]) -> None:
    for number in range(20):
        await servers[0].add(replace(FILE, ref=f"document:{number}"), 1_000)

    async def work(queue: PostgresWriteQueue) -> list[str]:
        written = list[str]()
        while (one := await queue.next(GIVEN, 1_000)) is not None:
            written.append(one.listed.ref)
            await queue.remove(one.number)
        return written

    first, second = await asyncio.gather(*(work(queue) for queue in servers))
    assert first
    assert second
    assert sorted(first + second) == sorted(f"document:{number}" for number in range(20))


async def test_a_document_that_a_server_returns_goes_to_the_other(
    servers: list[PostgresWriteQueue], connections: ConnectionPool
) -> None:
    first, second = servers
    for ref in ("document:1", "document:2"):
        await first.add(replace(FILE, ref=ref), 1_000)
    failed = await first.next(GIVEN, 1_000)
    assert failed is not None
    await first.put_off(failed.number, "away", 5_000)
    left = await first.next(GIVEN, 1_000)
    assert left is not None
    assert await first.next(GIVEN, 1_000) == left  # as often as it asks
    assert await second.next(GIVEN, 4_999) is None

    again = await second.next(GIVEN, 5_000)
    assert again is not None
    assert (again.number, again.tries) == (failed.number, 1)
    assert await second.next(GIVEN, 9_000) == again

    await first.close()
    assert await second.next(GIVEN, 9_000) == left
    third = PostgresWriteQueue(connections, "s3")
    assert await third.next(GIVEN, 9_000) is None  # the second has both


async def test_the_document_of_a_dead_server_goes_to_the_other_after_a_while(
    servers: list[PostgresWriteQueue], database: str
) -> None:
    first, second = servers
    await first.add(FILE, 1_000)
    claimed = await first.next(GIVEN, 1_000)
    script = "SET meanwhile.tenant = '*'; UPDATE meanwhile.writes SET claimed_until = claimed_until - interval '%s'"

    await run(database, script % "4 minutes")
    assert await second.next(GIVEN, 1_000) is None
    await run(database, script % "1 minute")
    assert await second.next(GIVEN, 1_000) == claimed


async def test_two_servers_queue_the_same_document_once(servers: list[PostgresWriteQueue]) -> None:
    await asyncio.gather(*(servers[number % 2].add(FILE, 1_000) for number in range(20)))

    assert await refs(servers[0]) == ["document:1"]


async def test_a_queue_in_a_database_reports_when_it_cannot_answer(
    connections: ConnectionPool, postgres_queue: PostgresWriteQueue
) -> None:
    await connections.close()

    with pytest.raises(StoreError, match="the queue of documents did not answer"):
        await postgres_queue.add(FILE, 1_000)
    await postgres_queue.close()
    with pytest.raises(StoreError, match="it is closed"):
        await postgres_queue.waiting()


async def test_no_byte_of_deleted_documents_is_left(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    queue = SqliteWriteQueue(tmp_path / "log.db")
    secret = "canary 7f3a " * 5_000
    for number, document in enumerate(
        (FILE, replace(FILE, ref="document:2"), replace(FILE, ref="document:3"))
    ):
        await queue.add(replace(document, text=secret, expires_ms=number), 1_000)

    assert any(b"canary 7f3a" in path.read_bytes() for path in tmp_path.iterdir())
    assert await queue.expire(0) == 1
    await queue.delete("t", "document:2")
    await queue.erase("t", "ana")
    assert not any(b"canary 7f3a" in path.read_bytes() for path in tmp_path.iterdir())
    await queue.close()
    await log.close()


async def test_deleting_works_while_another_process_reads(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    queue = SqliteWriteQueue(tmp_path / "log.db")
    await queue.add(FILE, 1_000)
    with closing(sqlite3.connect(tmp_path / "log.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM writes").fetchall()
        assert await queue.delete("t", "document:1")
    await queue.close()
    await log.close()
