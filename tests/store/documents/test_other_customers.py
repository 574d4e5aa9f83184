"""What a store has of Ana is not found, read, listed, replaced or deleted by others."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

import assistant.store
from assistant.storage_ports import DocumentStore
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.documents.qdrant import QdrantDocuments
from assistant.store.documents.sqlite import SqliteDocuments
from tests.support.document_stores import EVERY, document, passages, towards

SECRET_WORD = "orchid-4711"
ANAS = replace(
    document("document:anas", "ana", tenant="shop", kind="upload", text=f"My code is {SECRET_WORD}."),
    title=f"{SECRET_WORD}.txt",
)
NEAR = towards(1)
STRANGERS = {
    "another customer": ("shop", "ben"),
    "another tenant": ("bank", "ana"),
    "a customer whose name begins alike": ("shop", "ana2"),
    "a customer who is written otherwise": ("shop", "Ana"),
    "a tenant and a customer that run together": ("shopana", ""),
    "a tenant that ends where the customer begins": ("sho", "pana"),
    "everybody": ("%", "%"),
    "everybody in the shop": ("shop", "*"),
    "whoever comes to the shop": ("shop", ""),
    "nobody": ("", ""),
    "a question to a database": ("shop", "' OR '1'='1"),
}
OTHER_TENANTS = sorted({tenant for tenant, _ in STRANGERS.values()} - {ANAS.tenant})


def _stores() -> Iterator[type]:
    """Every class of the package that keeps documents."""
    for module in pkgutil.walk_packages(assistant.store.__path__, "assistant.store."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if kind.__module__ == module.name and {"put", "search", "get", "stale"} <= set(vars(kind)):
                yield kind


def test_every_store_is_probed() -> None:
    assert set(_stores()) == {SqliteDocuments, PgvectorDocuments, QdrantDocuments}
    assert set(EVERY) == {"memory", "sqlite", "pgvector", "qdrant"}


@pytest.fixture
async def store_of_ana(store: DocumentStore) -> DocumentStore:
    """A store with a file of Ana's in it."""
    await store.put(ANAS, passages(NEAR, text=SECRET_WORD))
    return store


async def _is_whole(store: DocumentStore) -> bool:
    """Whether all of Ana's is there, for her."""
    found = await store.search("shop", "ana", NEAR, limit=9, now_ms=0)
    listed = await store.documents("shop", "ana")
    same = await store.get("shop", "ana", ANAS.ref, now_ms=0) == ANAS
    return same and [one.passage.text for one in found] == [f"{SECRET_WORD} 0"] and len(listed) == 1


async def test_no_one_else_finds_or_reads_anas_documents(
    store_of_ana: DocumentStore,
) -> None:
    for tenant, customer in STRANGERS.values():
        assert await store_of_ana.search(tenant, customer, NEAR, limit=9, now_ms=0) == []
        assert await store_of_ana.get(tenant, customer, ANAS.ref, now_ms=0) is None
        assert await store_of_ana.documents(tenant, customer) == []
    assert [await store_of_ana.documents(tenant) for tenant in OTHER_TENANTS] == [[]] * len(OTHER_TENANTS)
    assert await _is_whole(store_of_ana)


async def test_no_tenant_replaces_anas_documents(store_of_ana: DocumentStore) -> None:
    for tenant in OTHER_TENANTS:
        for customer in ("ana", ""):
            await store_of_ana.put(
                replace(ANAS, tenant=tenant, customer=customer, text="mine"), passages(NEAR)
            )

    assert await _is_whole(store_of_ana)


async def test_no_tenant_deletes_anas_documents(store_of_ana: DocumentStore) -> None:
    assert [await store_of_ana.delete(tenant, ANAS.ref) for tenant in OTHER_TENANTS] == [False] * len(
        OTHER_TENANTS
    )
    assert await _is_whole(store_of_ana)


async def test_ana_stays_when_others_are_erased(store_of_ana: DocumentStore) -> None:
    for tenant, customer in STRANGERS.values():
        assert await store_of_ana.erase(tenant, customer) == 0
    assert await _is_whole(store_of_ana)
