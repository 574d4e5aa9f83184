"""Documents in a file: what only this store promises."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.errors import DeclarationError, StoreError
from assistant.store.documents.sqlite import SqliteDocuments, digest
from assistant.store.documents.vector_cache import VectorCache, VectorIndex
from tests.support.document_stores import TENANT, WIDTH, document, leaning, passages, towards, vector

NOW = 5_000


def opened(folder: Path, *, memory_bytes: int = 2**20) -> SqliteDocuments:
    return SqliteDocuments(folder / "log.db", embedder="fake", width=WIDTH, memory_bytes=memory_bytes)


async def found(store: SqliteDocuments, customer: str = "ana") -> list[str]:
    return [one.ref for one in await store.search(TENANT, customer, towards(1), limit=99, now_ms=NOW)]


async def test_documents_of_another_process_are_found_at_the_next_search(tmp_path: Path) -> None:
    server, command = opened(tmp_path), opened(tmp_path)
    await server.put(document("1"), passages(leaning(0.9)))
    assert await found(server) == ["1"]

    await command.put(document("2"), passages(leaning(0.5)))
    assert await found(server) == ["1", "2"]
    await command.put(document("1"), passages(leaning(0.1)))
    assert await found(server) == ["2", "1"]
    await command.erase(TENANT, "")
    assert await found(server) == []
    await command.put(document("3"), passages(leaning(0.1)))
    assert await found(server) == ["3"]

    await command.close()
    await server.close()


async def test_an_unusable_file_is_reported_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "log.db").write_text("Dear diary, " * 200)
    with pytest.raises(DeclarationError, match=r"log\.db cannot be opened: .*ASSISTANT_DATA_DIR"):
        opened(tmp_path)
    with pytest.raises(DeclarationError, match="cannot be opened"):
        opened(tmp_path / "nowhere")


async def test_a_file_of_a_newer_release_is_reported_at_the_start(tmp_path: Path) -> None:
    await opened(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        file.execute("INSERT INTO schema VALUES (9999, 'x')")
        file.commit()

    with pytest.raises(DeclarationError, match="newer release"):
        opened(tmp_path)


async def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    await opened(tmp_path).close()

    assert stat.S_IMODE((tmp_path / "log.db").stat().st_mode) == 0o600


async def test_a_file_that_fails_is_a_store_error(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        file.execute("DROP TABLE passages")

    with pytest.raises(StoreError, match="did not answer: no such table"):
        await store.put(document(), passages(towards(1)))

    assert await store.documents(TENANT) == []
    await store.close()


async def test_characters_that_are_no_text_are_refused_and_nothing_changes(tmp_path: Path) -> None:
    store = opened(tmp_path)
    await store.put(document(), passages(towards(1)))
    torn = "\ud83d"

    for odd in (document(text=torn), replace(document(), title=torn)):
        with pytest.raises(StoreError, match="'document:1' holds signs that are no text"):
            await store.put(odd, [])
    with pytest.raises(StoreError, match="'document:1' holds signs that are no text"):
        await store.put(document(text="new"), passages(towards(1), text=torn))

    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) == document()
    assert await store.get(TENANT, "ana", torn, now_ms=NOW) is None
    await store.close()


async def test_an_upload_that_fails_midway_keeps_the_earlier_document(tmp_path: Path) -> None:
    store = opened(tmp_path)
    await store.put(document(text="old"), passages(leaning(0.9), text="old"))
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        file.execute(
            "CREATE TRIGGER full AFTER INSERT ON shelves BEGIN SELECT raise(ABORT, 'disk full'); END"
        )

    with pytest.raises(StoreError, match="disk full"):
        await store.put(document(text="new"), passages(leaning(0.9), text="new"))

    [one] = await store.search(TENANT, "ana", towards(1), limit=9, now_ms=NOW)
    assert one.passage.text == "old 0"
    await store.close()


async def test_vector_indexes_are_dropped_and_loaded_again(tmp_path: Path) -> None:
    customers = await filled(tmp_path, 6)
    cache = VectorCache(f"fake {WIDTH}", WIDTH, (3 * 50 + 1) * (4 * WIDTH + 28) + 4 * 2_000)
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        assert [reads(file, cache, customer) for customer in customers[:3]] == [True] * 3
        assert [reads(file, cache, customer) for customer in customers[:3]] == [False] * 3
        assert reads(file, cache, customers[3])
        assert [reads(file, cache, customers[n]) for n in (2, 1, 3)] == [False] * 3
        assert reads(file, cache, customers[0])


async def test_the_indexes_of_one_search_are_kept_at_any_size(tmp_path: Path) -> None:
    ana, ben = await filled(tmp_path, 2)
    cache = VectorCache(f"fake {WIDTH}", WIDTH, 0)
    with closing(sqlite3.connect(tmp_path / "log.db")) as file:
        assert [reads(file, cache, customer) for customer in (ana, ana)] == [True, False]
        assert [reads(file, cache, customer) for customer in (ben, ben, ana)] == [True, False, True]


async def filled(folder: Path, count: int) -> list[str]:
    """This number of customers with fifty passages each, and one passage for all customers."""
    store, customers = opened(folder), [f"customer {n}" for n in range(count)]
    await store.put(document("all"), passages(leaning(0.1)))
    for customer in customers:
        await store.put(document(customer, customer), passages(*[leaning(0.5)] * 50))
    await store.close()
    return customers


def reads(file: sqlite3.Connection, cache: VectorCache, customer: str) -> bool:
    """Whether vectors have to be read from the file when this customer's search finds all there is."""
    statements = list[str]()
    file.set_trace_callback(statements.append)
    whose = [digest(TENANT, customer), digest(TENANT, "")]
    hits = cache.search(file, whose, towards(1), 60, NOW)
    assert [hit.ref for hit in hits] == [customer] * 50 + ["all"]
    return any("SELECT pack, vectors" in statement for statement in statements)


async def test_a_vector_cache_grows_in_steps_and_frees_space(tmp_path: Path) -> None:
    index = VectorIndex(WIDTH)
    taken = set[int]()
    for number in range(200):
        index.reserve(3)
        index.add(number, None, [(number, towards(1, number) * 3)])
        taken.add(index.memory_bytes)
    assert len(taken) < 30

    index.forget(range(100))
    before = index.memory_bytes
    index.reserve(300)

    assert index.memory_bytes == before
    assert index.documents == set(range(100, 200))
    assert {hit.pack for hit in index.nearest(towards(1), 999, NOW)} == set(range(100, 200))

    index.forget(range(110, 200))

    assert index.memory_bytes < before / 10
    assert {hit.pack for hit in index.nearest(towards(1), 999, NOW)} == set(range(100, 110))


async def test_of_equally_near_passages_the_first_stored_comes_first(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for ref in "abcd":
        await store.put(document(ref), passages(leaning(0.5)))
    assert await found(store) == ["a", "b", "c", "d"]

    await store.delete(TENANT, "a")  # whose place in memory the last one gets
    first = await store.search(TENANT, "ana", towards(1), limit=2, now_ms=NOW)
    assert [one.ref for one in first] == ["b", "c"]
    await store.put(document("b"), passages(leaning(0.5)))
    await store.put(document("0", "ana"), passages(leaning(0.5)))

    assert await found(store) == ["c", "d", "b", "0"]
    await store.close()


async def test_the_nearest_are_exact_where_single_precision_cannot_decide(tmp_path: Path) -> None:
    # Closer to one another than rounding: the order must not depend on how the processor adds up.
    store, random = SqliteDocuments(tmp_path / "log.db", embedder="e", width=384), np.random.default_rng(3)
    base = random.standard_normal(384)
    rows = [vector((base + 1e-4 * random.standard_normal(384)).tolist()) for _ in range(3_000)]
    await store.put(document(), passages(*rows))

    hits = await store.search(TENANT, "ana", rows[0], limit=20, now_ms=NOW)

    exact = np.frombuffer(b"".join(rows), "<f4").reshape(-1, 384).astype("f8") @ np.frombuffer(rows[0], "<f4")
    best = np.argsort(-exact, kind="stable")[:20]
    assert [hit.passage.number for hit in hits] == best.tolist()
    assert [hit.score for hit in hits] == pytest.approx(exact[best].clip(-1, 1), abs=1e-12)
    await store.close()


async def test_the_loop_is_not_blocked_while_a_store_is_busy(tmp_path: Path) -> None:
    store = opened(tmp_path)
    text = "x" * 5_000_000
    put = asyncio.ensure_future(store.put(document(text=text), passages(*[towards(1)] * 5_000)))
    turns = 0
    while not put.done():
        turns += 1
        await asyncio.sleep(0)

    assert turns > 100
    await store.close()


def test_an_app_that_never_searches_does_not_import_numpy(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path\n"
        "from assistant.store.documents.sqlite import SqliteDocuments\n"
        "async def main():\n"
        "    store = SqliteDocuments(Path(sys.argv[1]), embedder='e', width=8)\n"
        "    assert await store.documents('acme') == [] and await store.expire(5) == 0\n"
        "    await store.close()\n"
        "asyncio.run(main()); print('numpy' in sys.modules)\n"
    )

    told = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "log.db")], capture_output=True, text=True, check=True
    )

    assert told.stdout == "False\n"
