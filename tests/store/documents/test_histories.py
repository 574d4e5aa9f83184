"""After any sequence of operations, the file has the same content as the simple store in memory."""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, assert_never

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.storage_ports import DocumentStore
from assistant.store.documents.sqlite import SqliteDocuments
from tests.support.document_stores import document, passages, vector
from tests.support.memory_documents import MemoryDocuments

WIDTH = 3


@dataclass(frozen=True, slots=True)
class Put:
    tenant: str
    customer: str
    ref: str
    vectors: tuple[tuple[int, int, int], ...]
    expires_ms: int | None


@dataclass(frozen=True, slots=True)
class Delete:
    tenant: str
    ref: str


@dataclass(frozen=True, slots=True)
class Erase:
    tenant: str
    customer: str


@dataclass(frozen=True, slots=True)
class Expire:
    now_ms: int


@dataclass(frozen=True, slots=True)
class Search:
    tenant: str
    customer: str
    towards: tuple[int, int, int]
    limit: int
    now_ms: int


Step: TypeAlias = Put | Delete | Erase | Expire | Search

tenants = st.sampled_from(["acme", "bolt"])
customers = st.sampled_from(["", "ana", "ben"])
refs = st.sampled_from("wxyz")
times = st.integers(0, 9)
number = st.integers(-2, 2)  # few, so that many passages are equally near
directions = st.tuples(number, number, number).filter(any)
# More than are kept in one row.
vectors = st.lists(directions, max_size=5).flatmap(
    lambda few: st.integers(1, 15).map(lambda times: tuple(few * times))
)
steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(Put, tenants, customers, refs, vectors, st.none() | times),
    st.builds(Put, tenants, customers, refs, vectors, st.none() | times),
    st.builds(Delete, tenants, refs),
    st.builds(Erase, tenants, customers),
    st.builds(Expire, times),
    st.builds(Search, tenants, customers, directions, st.sampled_from([0, 1, 3, 40, 999]), times),
    st.builds(Search, tenants, customers, directions, st.sampled_from([0, 1, 3, 40, 999]), times),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(steps, max_size=25), st.sampled_from([0, 2**30]))
def test_the_file_equals_the_memory(history: list[Step], memory_bytes: int) -> None:
    asyncio.run(compare(history, memory_bytes))


async def compare(history: Sequence[Step], memory_bytes: int) -> None:
    simple = MemoryDocuments(width=WIDTH)
    with tempfile.TemporaryDirectory() as folder:
        # One writes, as a command might, and the other finds, as a server does.
        stores = [
            SqliteDocuments(Path(folder) / "log.db", embedder="e", width=WIDTH, memory_bytes=memory_bytes)
            for _ in range(2)
        ]
        for at_ms, step in enumerate(history):
            expected = await taken(simple, step, at_ms)
            assert await taken(stores[at_ms % 2], step, at_ms) == expected
        for tenant in ("acme", "bolt"):
            for store in stores:
                assert await store.documents(tenant) == await simple.documents(tenant)
        for store in stores:
            await store.close()


async def taken(store: DocumentStore, step: Step, at_ms: int) -> object:
    match step:
        case Put():
            kept = document(
                step.ref, step.customer, tenant=step.tenant, kept_ms=at_ms, expires_ms=step.expires_ms
            )
            return await store.put(kept, passages(*map(vector, step.vectors), text=f"{at_ms}"))
        case Delete():
            return await store.delete(step.tenant, step.ref)
        case Erase():
            return await store.erase(step.tenant, step.customer)
        case Expire():
            return await store.expire(step.now_ms)
        case Search():
            ask, now_ms = vector(step.towards), step.now_ms
            found = await store.search(step.tenant, step.customer, ask, limit=step.limit, now_ms=now_ms)
            return found, await store.get(step.tenant, step.customer, "x", now_ms=now_ms)
        case _:
            assert_never(step)
