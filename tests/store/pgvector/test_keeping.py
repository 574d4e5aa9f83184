"""A database is prepared once; a failure is repaired by the next call."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

import numpy as np
import pytest

from assistant.conversation.documents import Document, Passage, Vector
from assistant.errors import StoreError
from assistant.store.documents.pgvector import PgvectorDocuments
from tests.store.pgvector.conftest import connected, run

Open: TypeAlias = Callable[[], PgvectorDocuments]


def vector(*numbers: float) -> Vector:
    """Four numbers, of length 1."""
    row = np.array([*numbers, 0, 0, 0, 0][:4], "<f4")
    return (row / np.linalg.norm(row)).tobytes()


def passage(number: int, *numbers: float, text: str = "") -> Passage:
    return Passage(
        number=number, start=0, end=4, text=text or f"piece {number}", place="page 1", vector=vector(*numbers)
    )


def document(ref: str = "document:1", customer: str = "ana", text: str = "A whole text.") -> Document:
    return Document(
        ref=ref, tenant="acme", customer=customer, kind="upload", title="letter.pdf", text=text, kept_ms=5
    )


async def test_replicas_that_start_together_create_the_tables_once(opened: Open) -> None:
    stores = [opened() for _ in range(4)]

    assert await asyncio.gather(*(store.documents("acme") for store in stores)) == [[]] * 4


async def test_a_document_of_one_replica_is_found_by_another(opened: Open) -> None:
    await opened().put(document(), [passage(0, 1), passage(1, 0, 1)])

    found = await opened().search("acme", "ana", vector(0.1, 1), limit=1, now_ms=6)

    assert [(one.ref, one.title, one.passage.number, one.passage.place) for one in found] == [
        ("document:1", "letter.pdf", 1, "page 1")
    ]
    assert found[0].score == pytest.approx(0.995, abs=0.001)


async def test_of_two_concurrent_puts_of_one_document_one_stays_whole(opened: Open) -> None:
    first, second = opened(), opened()

    await asyncio.gather(
        first.put(document(text="one"), [passage(number, 1, text="one") for number in range(40)]),
        second.put(document(text="two"), [passage(number, 1, text="two") for number in range(50)]),
    )

    kept = await first.get("acme", "ana", "document:1", now_ms=6)
    assert kept is not None
    found = await first.search("acme", "ana", vector(1), limit=100, now_ms=6)
    assert {one.passage.text for one in found} == {kept.text}
    assert len(found) == {"one": 40, "two": 50}[kept.text]


async def test_a_document_whose_passages_cannot_be_stored_leaves_the_old_one(opened: Open) -> None:
    store = opened()
    await store.put(document(text="old"), [passage(0, 1)])
    twice = [passage(0, 1), passage(1, 0, 1), passage(1, 0, 1)]

    with pytest.raises(StoreError, match=r"duplicate key value"):
        await store.put(document(text="new"), twice)

    kept = await store.get("acme", "ana", "document:1", now_ms=6)
    assert kept == document(text="old")
    assert len(await store.search("acme", "ana", vector(1), limit=9, now_ms=6)) == 1


async def test_an_error_quotes_no_stored_data(opened: Open) -> None:
    with pytest.raises(StoreError) as caught:
        await opened().put(document(), [passage(0, 1), passage(0, 1, text="4111 1111")])

    assert "Key" not in str(caught.value)  # the server's details name the values
    assert caught.value.__cause__ is None


async def test_a_connection_that_is_lost_is_replaced_at_the_next_call(
    opened: Open, postgres_server: str
) -> None:
    store = opened()
    await store.put(document(), [passage(0, 1)])
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'meanwhile'"

    await run(postgres_server, kill)
    with suppress(StoreError):  # it may be found out only when it is used
        await store.documents("acme")

    assert len(await store.documents("acme")) == 1


async def test_a_lost_connection_is_an_error_and_the_next_call_reconnects(opened: Open, address: str) -> None:
    store = opened()
    await store.put(document(), [passage(0, 1)])

    async with connected(address) as other, other.transaction():
        await other.execute("SELECT 1 FROM meanwhile.documents FOR UPDATE")
        waiting = asyncio.create_task(store.delete("acme", "document:1"))
        while not await other.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        ):
            pass
        await other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        )
        with pytest.raises(StoreError, match=r"terminating connection|closed"):
            await waiting

    assert await store.delete("acme", "document:1") is True


async def test_an_unreachable_database_is_reported_without_the_password(postgres_server: str) -> None:
    store = PgvectorDocuments(postgres_server.replace("/postgres?", "/nowhere?"), embedder="offline", width=4)

    with pytest.raises(StoreError, match='/nowhere: InvalidCatalogNameError: database "nowhere"') as caught:
        await store.documents("acme")

    assert "correct" not in str(caught.value)
    await store.close()


@pytest.mark.parametrize("place", ["127.0.0.1:1", "localhost:1"])
async def test_an_unreachable_server_is_reported_without_the_password(place: str) -> None:
    store = PgvectorDocuments(f"postgres://shop:se%2Fcret@{place}/documents", embedder="offline", width=4)

    with pytest.raises(StoreError, match=f"^postgresql://{place}/documents: ") as caught:
        await store.documents("acme")

    assert "cret" not in str(caught.value)
    await store.close()


async def test_a_wrong_password_is_reported_and_not_repeated(postgres_server: str) -> None:
    store = PgvectorDocuments(postgres_server.replace("correct", "wrong"), embedder="offline", width=4)

    with pytest.raises(StoreError, match='password authentication failed for user "shop"') as caught:
        await store.documents("acme")

    assert "horse" not in str(caught.value)
    await store.close()


async def test_a_store_that_is_closed_says_so(opened: Open) -> None:
    store = opened()
    await store.documents("acme")
    await store.close()

    with pytest.raises(StoreError, match="the store is closed"):
        await store.documents("acme")


async def test_a_character_that_the_database_cannot_store_is_replaced(opened: Open) -> None:
    store = opened()
    await store.put(document(text="a\0b"), [passage(0, 1, text="\0")])

    kept = await store.get("acme", "ana", "document:1", now_ms=6)

    assert kept == document(text="a\N{REPLACEMENT CHARACTER}b")
