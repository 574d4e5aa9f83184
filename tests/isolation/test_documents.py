"""What a library stores or queues for Ana is not found, read, listed, replaced or deleted by others.

``tests/store/documents/test_other_customers.py`` checks what each document store promises itself.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import ALL_CUSTOMERS
from assistant.storage_ports import WriteQueue
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.write_queue import SqliteWriteQueue
from assistant.testing.virtual_time import VirtualClock, run_virtually
from tests.store.documents.test_other_customers import ANAS, OTHER_TENANTS, SECRET_WORD, STRANGERS
from tests.support.library import FakeEmbedder, SmallLibrary, gave
from tests.support.memory_documents import MemoryWriteQueue

ANAS_CONVERSATION = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
QUEUES: Mapping[str, Callable[[Path], WriteQueue]] = {
    "memory": lambda _: MemoryWriteQueue(),
    "sqlite": SqliteWriteQueue,
}


@pytest.fixture(params=QUEUES)
async def queue(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[WriteQueue]:
    """A queue of each kind in turn, in which a file of Ana's waits."""
    await SqliteLog(tmp_path / "log.db").close()  # makes the tables
    queue = QUEUES[request.param](tmp_path / "log.db")
    await queue.add(ANAS, 0)
    yield queue
    await queue.close()


async def _waits(queue: WriteQueue) -> bool:
    """Whether all of Ana's waits still, for her."""
    [waiting] = await queue.waiting("shop", "ana")
    return await queue.get("shop", "ana", ANAS.ref) == ANAS == await queue.read(waiting.number)


async def test_no_other_customer_reads_or_sees_anas_queued_documents(queue: WriteQueue) -> None:
    for tenant, customer in STRANGERS.values():
        assert await queue.get(tenant, customer, ANAS.ref) is None
        assert await queue.waiting(tenant, customer) == []
    assert [await queue.waiting(tenant) for tenant in OTHER_TENANTS] == [[]] * len(OTHER_TENANTS)
    assert await _waits(queue)


async def test_no_other_customer_replaces_or_removes_anas_queued_documents(queue: WriteQueue) -> None:
    for tenant in OTHER_TENANTS:
        await queue.add(replace(ANAS, tenant=tenant, text="mine"), 0)
        assert await queue.delete(tenant, ANAS.ref)
        assert not await queue.delete(tenant, ANAS.ref)
    for tenant, customer in STRANGERS.values():
        assert await queue.erase(tenant, customer) == []
    assert await _waits(queue)


async def _library(*, written: bool) -> tuple[SmallLibrary, list[str]]:
    """A library with a file and a result of Ana's, waiting or written, and what they are called."""
    library = SmallLibrary(VirtualClock(), FakeEmbedder())
    await library.keep(replace(ANAS, kept_ms=library.clock.now_ms()))
    result = await library.ends(ANAS_CONVERSATION, gave([{"code": SECRET_WORD}]))
    if written:
        await library.written()
    return library, [ANAS.ref, result]


@pytest.mark.parametrize("written", [True, False], ids=["kept", "waiting"])
def test_the_library_finds_and_loads_anas_documents_only_for_ana(*, written: bool) -> None:
    async def ask() -> None:
        library, refs = await _library(written=written)
        for tenant, customer in STRANGERS.values():
            assert await library.search(tenant, customer, f"What is the code {SECRET_WORD}?") == []
            assert [await library.load(tenant, customer, ref) for ref in refs] == [None, None]
            assert await library.documents(tenant, customer) == []
        assert [await library.documents(tenant) for tenant in OTHER_TENANTS] == [[]] * len(OTHER_TENANTS)
        assert await _lends_and_finds(library, refs)
        await library.close()

    run_virtually(ask())


@pytest.mark.parametrize("written", [True, False], ids=["kept", "waiting"])
def test_an_erasure_of_others_keeps_anas_documents(*, written: bool) -> None:
    async def take_away() -> None:
        library, refs = await _library(written=written)
        for tenant in OTHER_TENANTS:
            assert [await library.delete(tenant, ref) for ref in refs] == [False, False]
        for tenant, customer in STRANGERS.values():
            if customer != ALL_CUSTOMERS:
                assert await library.erase(tenant, customer) == 0
        assert await _lends_and_finds(library, refs)
        await library.close()

    run_virtually(take_away())


async def _lends_and_finds(library: SmallLibrary, refs: Sequence[str]) -> bool:
    """Whether all of Ana's is there for her, and is found once it is written."""
    lent = [await library.load("shop", "ana", ref) for ref in refs]
    listed = {one.ref for one in await library.documents("shop", "ana")}
    await library.written()
    found = await library.search("shop", "ana", f"What is the code {SECRET_WORD}?")
    every = all(document is not None and SECRET_WORD in document.text for document in lent)
    return every and {one.ref for one in found} == listed == set(refs)


def test_documents_for_all_customers_are_for_all_of_the_tenant() -> None:
    terms = replace(ANAS, ref="document:terms", customer=ALL_CUSTOMERS, kind="knowledge", text="Thirty days.")

    async def ask() -> dict[tuple[str, str], bool]:
        library = SmallLibrary(VirtualClock(), FakeEmbedder())
        await library.keep(terms)
        await library.written()
        everyone = (*STRANGERS.values(), ("shop", "ana"))
        found = {who: bool(await library.search(*who, "Thirty days?")) for who in everyone}
        await library.close()
        return found

    found = run_virtually(ask())
    assert found == {(tenant, customer): tenant == "shop" for tenant, customer in found}
