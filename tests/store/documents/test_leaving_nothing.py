"""Deleted data is in no byte of the folder, wherever SQLite had put it."""

import asyncio
import random
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from assistant.conversation.documents import Document
from assistant.errors import StoreError
from assistant.store.documents.sqlite import SqliteDocuments, digest
from assistant.store.sqlite.file import connect, empty_journal
from tests.support.document_stores import TENANT, WIDTH, passages, towards

PAGE = 4096


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[SqliteDocuments]:
    """Documents in a file."""
    store = SqliteDocuments(tmp_path / "log.db", embedder="fake", width=WIDTH)
    yield store
    await store.close()


class Canaries:
    """Words that stand nowhere else, in every field of a document that could tell of a person."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.of: dict[str, list[bytes]] = {}

    def word(self) -> str:
        return f"canary-{self.random.getrandbits(64):016x}"

    def document(
        self, expires_ms: int | None = None, customer: str | None = None
    ) -> tuple[Document, Sequence[str]]:
        words = [self.word() for _ in range(6)]
        sizes = [0, 40, 400, 3_000, 4_000, 9_000]
        document = Document(
            ref=f"document:{words[0]}",
            tenant=TENANT,
            customer=customer or words[1],
            kind="upload",
            title=words[2],
            text=words[3] + "\n" * self.random.choice(sizes) + words[4],
            origin=words[5],
            expires_ms=expires_ms,
        )
        pieces = [self.word() + "." * self.random.choice(sizes[:5]) for _ in range(self.random.randrange(40))]
        self.of[document.ref] = [word.encode() for word in [*words, *(piece[:23] for piece in pieces)]]
        if customer:
            self.of[document.ref].remove(words[1].encode())
        return document, pieces


def seen(folder: Path) -> set[bytes]:
    """The canaries in the raw bytes of all files. One that runs over the edge of a page is not seen."""
    return {word for file in folder.iterdir() for word in re.findall(rb"canary-\w+", file.read_bytes())}


async def put(store: SqliteDocuments, document: Document, pieces: Sequence[str]) -> None:
    made = [passages(towards(1, number), text=piece)[0] for number, piece in enumerate(pieces)]
    await store.put(document, made)


@pytest.mark.parametrize("seed", range(3))
async def test_nothing_is_left_of_deleted_documents(kept: SqliteDocuments, tmp_path: Path, seed: int) -> None:
    canaries, standing = Canaries(seed), list[str]()
    for _ in range(80):
        if standing and canaries.random.random() < 0.4:
            ref = standing.pop(canaries.random.randrange(len(standing)))
            assert await kept.delete(TENANT, ref)
        else:
            document, pieces = canaries.document()
            await put(kept, document, pieces)
            standing.append(document.ref)
    # The last one to go empties the journal for all.
    assert await kept.delete(TENANT, standing.pop())

    found = seen(tmp_path)
    still = {word for ref in standing for word in canaries.of[ref]}
    gone = {word for words in canaries.of.values() for word in words} - still
    assert len(gone) > 300
    assert found & gone == set()
    assert len(found & still) > 0.9 * len(still)


async def test_nothing_is_left_of_an_erased_customer_or_an_expired_document(
    kept: SqliteDocuments, tmp_path: Path
) -> None:
    canaries = Canaries(99)
    hers = [canaries.document(customer="canary-ana") for _ in range(20)]
    short = [canaries.document(expires_ms=5) for _ in range(20)]
    long = [canaries.document() for _ in range(20)]
    for document, pieces in (one for three in zip(hers, short, long, strict=True) for one in three):
        await put(kept, document, pieces)

    def left(documents: Sequence[tuple[Document, Sequence[str]]]) -> float:
        words = {word for document, _ in documents for word in canaries.of[document.ref]}
        return len(words & seen(tmp_path)) / len(words)

    assert await kept.erase(TENANT, "canary-ana") == 20
    assert left(hers) == 0
    assert b"canary-ana" not in seen(tmp_path)
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        question = "SELECT count(*) FROM shelves WHERE whose = ?"
        assert file.execute(question, (digest(TENANT, "canary-ana"),)).fetchone() == (0,)
    assert left(short) > 0.9

    assert await kept.expire(5) == 20
    assert left(short) == 0
    assert left(long) > 0.9


async def test_personal_rows_are_on_pages_that_no_other_row_shares(
    kept: SqliteDocuments, tmp_path: Path
) -> None:
    # Only those are overwritten whole: on shared ones, copies are left behind now and then.
    canaries = Canaries(5)
    for _ in range(150):
        await put(kept, *canaries.document())
    await kept.close()

    file = (tmp_path / "log.db").read_bytes()

    shared = [file[at : at + PAGE] for at in range(PAGE, len(file), PAGE) if file[at] in (2, 5, 10, 13)]
    assert len(shared) > 20
    assert [page for page in shared if b"canary" in page] == []


async def test_a_reader_of_the_journal_is_reported_and_deletion_can_be_repeated(
    tmp_path: Path,
) -> None:
    kept = SqliteDocuments(tmp_path / "log.db", embedder="fake", width=WIDTH, patience_ms=1)
    canaries = Canaries(7)
    document, pieces = canaries.document()
    await put(kept, document, pieces)
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()

        with pytest.raises(StoreError, match="may still be in the file's journal"):
            await kept.delete(TENANT, document.ref)

        assert await kept.documents(TENANT) == []
        assert seen(tmp_path) & set(canaries.of[document.ref])

    assert await kept.delete(TENANT, document.ref) is False  # it was there no more, but the journal was

    assert not seen(tmp_path)
    await kept.close()


async def test_an_unfinished_deletion_is_finished_by_the_next_process(tmp_path: Path) -> None:
    first = SqliteDocuments(tmp_path / "log.db", embedder="fake", width=WIDTH, patience_ms=1)
    document, pieces = Canaries(9).document()
    await put(first, document, pieces)
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        with pytest.raises(StoreError):
            await first.delete(TENANT, document.ref)
        await first.close()
        reader.execute("COMMIT")
        assert seen(tmp_path)

        second = SqliteDocuments(tmp_path / "log.db", embedder="fake", width=WIDTH)
        assert await second.expire(0) == 0

        assert not seen(tmp_path)
        await second.close()


async def test_a_deletion_waits_for_readers_of_the_journal(kept: SqliteDocuments, tmp_path: Path) -> None:
    document, pieces = Canaries(11).document()
    await put(kept, document, pieces)
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM documents").fetchone()
        deletion = asyncio.ensure_future(kept.delete(TENANT, document.ref))
        while await kept.documents(TENANT):
            pass
        reader.execute("COMMIT")

    assert await deletion
    assert not seen(tmp_path)


def test_emptying_the_journal_keeps_the_patience_with_writers(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "log.db")) as file:
        before = file.execute("PRAGMA busy_timeout").fetchone()
        file.execute("CREATE TABLE words (word)")

        empty_journal(file, 5_000)

        assert file.execute("PRAGMA busy_timeout").fetchone() == before
        assert (tmp_path / "log.db-wal").stat().st_size == 0


async def test_the_log_can_be_written_while_documents_are(kept: SqliteDocuments, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "log.db", isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        document, pieces = Canaries(8).document()
        waits = asyncio.ensure_future(put(kept, document, pieces))
        await asyncio.sleep(0)
        assert await kept.documents(TENANT) == []  # reading does not wait
        assert await kept.search(TENANT, "ana", towards(1), limit=1, now_ms=0) == []
        another.execute("COMMIT")

        await waits

    assert len(await kept.documents(TENANT)) == 1
