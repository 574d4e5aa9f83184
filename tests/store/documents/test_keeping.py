"""The promises of every document store about stored documents."""

import asyncio

import pytest

from assistant.conversation.documents import DocumentInfo
from assistant.errors import StoreError
from assistant.storage_ports import DocumentStore
from tests.support.document_stores import (
    DURABLE,
    TENANT,
    OpensStore,
    document,
    leaning,
    passages,
    towards,
)

NOW = 5_000


async def titles_found(store: DocumentStore, customer: str = "ana") -> list[str]:
    found = await store.search(TENANT, customer, towards(1), limit=50, now_ms=NOW)
    return [finding.title for finding in found]


async def refs(store: DocumentStore, tenant: str = TENANT, customer: str | None = None) -> list[str]:
    return [listed.ref for listed in await store.documents(tenant, customer)]


async def test_a_document_is_read_whole_with_all_its_fields(store: DocumentStore) -> None:
    kept = document(customer="ana", kind="upload", kept_ms=1_234, expires_ms=9_999)

    await store.put(kept, passages(towards(1)))

    assert await store.get(TENANT, "ana", kept.ref, now_ms=NOW) == kept


async def test_any_text_is_read_unchanged(store: DocumentStore) -> None:
    odd = "Grüße \N{WAVING HAND SIGN}\N{ZERO WIDTH JOINER} \u202e \r\n\t\ufeff '\"; العربية 漢字; -- % _ \\"
    kept = document(f"document:{odd}", customer=f"ana {odd}", tenant=f"acme {odd}", text=odd)
    [passage] = passages(towards(1), text=odd)

    await store.put(kept, [passage])

    assert await store.get(kept.tenant, kept.customer, kept.ref, now_ms=NOW) == kept
    [finding] = await store.search(kept.tenant, kept.customer, towards(1), limit=5, now_ms=NOW)
    assert (finding.ref, finding.title, finding.passage.text) == (kept.ref, kept.title, passage.text)


async def test_five_megabytes_of_text_are_read_whole(store: DocumentStore) -> None:
    kept = document(text="Über fünf Megabyte, in Sätzen. " * 160_000)
    assert len(kept.text.encode()) > 5_000_000

    await store.put(kept, passages(*[towards(1, n) for n in range(300)]))

    assert await store.get(TENANT, "ana", kept.ref, now_ms=NOW) == kept
    [listed] = await store.documents(TENANT)
    assert (listed.characters, listed.passages) == (len(kept.text), 300)


async def test_a_document_without_passages_is_stored_and_never_found(store: DocumentStore) -> None:
    await store.put(document(text=""), [])

    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) == document(text="")
    assert await titles_found(store) == []
    [listed] = await store.documents(TENANT)
    assert (listed.passages, listed.characters) == (0, 0)


async def test_an_unknown_document_is_none_and_no_error(store: DocumentStore) -> None:
    assert await store.get(TENANT, "ana", "document:none", now_ms=NOW) is None
    assert await store.documents(TENANT) == []
    assert await store.search(TENANT, "ana", towards(1), limit=5, now_ms=NOW) == []
    assert not await store.delete(TENANT, "document:none")
    assert await store.erase(TENANT, "ana") == 0
    assert await store.expire(NOW) == 0
    assert await store.stale() == []


async def test_storing_a_document_again_replaces_all_of_it(store: DocumentStore) -> None:
    old = document(text="old", kept_ms=1)
    new = document(text="new", kept_ms=2, expires_ms=9_999)
    await store.put(old, passages(leaning(0.9), leaning(0.8), leaning(0.7), text="old"))

    await store.put(new, passages(leaning(0.5), text="new"))

    assert await store.get(TENANT, "ana", new.ref, now_ms=NOW) == new
    found = await store.search(TENANT, "ana", towards(1), limit=9, now_ms=NOW)
    assert [finding.passage.text for finding in found] == ["new 0"]
    [listed] = await store.documents(TENANT)
    assert (listed.passages, listed.characters, listed.kept_ms) == (1, 3, 2)


async def test_a_document_stored_for_another_customer_leaves_the_first(
    store: DocumentStore,
) -> None:
    await store.put(document(customer="ana"), passages(towards(1)))
    assert await titles_found(store, "ana") == ["Title of document:1"]

    await store.put(document(customer="ben"), passages(towards(1)))

    assert await titles_found(store, "ana") == []
    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) is None
    assert await titles_found(store, "ben") == ["Title of document:1"]


async def test_a_refused_document_changes_nothing(store: DocumentStore) -> None:
    old = document(text="old")
    await store.put(old, passages(towards(1), text="old"))

    with pytest.raises(StoreError, match=r"passage 1 of 'document:1' has a vector of 5 numbers.* of 8"):
        await store.put(document(text="new"), passages(towards(1), towards(1, width=5), text="new"))

    assert await store.get(TENANT, "ana", old.ref, now_ms=NOW) == old
    found = await store.search(TENANT, "ana", towards(1), limit=9, now_ms=NOW)
    assert [finding.passage.text for finding in found] == ["old 0"]


@pytest.mark.parametrize(
    ("vector", "complaint"),
    [
        (b"", "0 numbers"),
        (b"abc", "3 bytes"),
        (towards(1, width=9), "9 numbers"),
        (b"\0" * 32, "length 0"),
        (b"\0\0\xc0\x7f" * 8, "length nan"),
        (b"\0\0\0\x40" * 8, "length 5.657"),
    ],
    ids=["none", "torn", "wider", "zero", "nan", "long"],
)
async def test_a_vector_that_cannot_be_compared_is_refused(
    store: DocumentStore, vector: bytes, complaint: str
) -> None:
    with pytest.raises(StoreError, match=complaint):
        await store.put(document(), passages(vector))
    with pytest.raises(StoreError, match=f"question.*{complaint}"):
        await store.search(TENANT, "ana", vector, limit=1, now_ms=NOW)

    assert await store.documents(TENANT) == []


async def test_a_document_is_read_by_its_customer_and_a_shared_one_by_all(
    store: DocumentStore,
) -> None:
    await store.put(document("document:hers", "ana"), [])
    await store.put(document("document:all"), [])

    async def may_read(customer: str, ref: str, tenant: str = TENANT) -> bool:
        return await store.get(tenant, customer, ref, now_ms=NOW) is not None

    assert await may_read("ana", "document:hers")
    assert not await may_read("ben", "document:hers")
    assert not await may_read("", "document:hers")
    assert not await may_read("ana", "document:hers", tenant="bolt")
    assert await may_read("ana", "document:all")
    assert await may_read("ben", "document:all")
    assert await may_read("", "document:all")
    assert not await may_read("ben", "document:all", tenant="bolt")


async def test_two_tenants_may_use_the_same_ref(store: DocumentStore) -> None:
    await store.put(document(tenant="acme", text="ours"), passages(towards(1)))
    await store.put(document(tenant="bolt", text="theirs"), passages(towards(1)))

    assert await store.delete("acme", "document:1")

    theirs = await store.get("bolt", "ben", "document:1", now_ms=NOW)
    assert theirs is not None
    assert theirs.text == "theirs"
    assert len(await store.search("bolt", "ben", towards(1), limit=5, now_ms=NOW)) == 1


async def test_expired_documents_are_listed_but_not_read(
    store: DocumentStore,
) -> None:
    await store.put(document("document:short", expires_ms=NOW), [])
    await store.put(document("document:long", expires_ms=NOW + 1), [])

    assert await store.get(TENANT, "ana", "document:short", now_ms=NOW - 1) is not None
    assert await store.get(TENANT, "ana", "document:short", now_ms=NOW) is None
    assert await store.get(TENANT, "ana", "document:long", now_ms=NOW) is not None
    assert sorted(await refs(store)) == ["document:long", "document:short"]

    assert await store.expire(NOW) == 1
    assert await store.expire(NOW) == 0
    assert await refs(store) == ["document:long"]


async def test_expiring_covers_all_tenants(store: DocumentStore) -> None:
    for tenant in ("acme", "bolt"):
        await store.put(
            document("document:a", tenant=tenant, customer="ana", expires_ms=1), passages(towards(1))
        )
        await store.put(document("document:b", tenant=tenant, customer="ana"), passages(towards(1)))

    assert await store.expire(NOW) == 2
    assert await refs(store, "acme") == await refs(store, "bolt") == ["document:b"]


async def test_documents_are_listed_oldest_first_with_their_numbers(store: DocumentStore) -> None:
    await store.put(
        document("document:b", "ana", kept_ms=3, text="12345"), passages(towards(1), towards(0, 1))
    )
    await store.put(document("document:d", kept_ms=1, expires_ms=77), [])
    await store.put(document("document:c", "ben", kind="upload", kept_ms=2), [])
    await store.put(document("document:a", "ana", kind="result", kept_ms=2), [])
    await store.put(document("document:e", tenant="bolt", kept_ms=0), [])

    assert await refs(store) == ["document:d", "document:a", "document:c", "document:b"]
    assert await refs(store, customer="ana") == ["document:a", "document:b"]
    assert await refs(store, customer="") == ["document:d"]
    assert await refs(store, customer="nobody") == []
    assert (await store.documents(TENANT, "ana"))[1] == DocumentInfo(
        ref="document:b",
        customer="ana",
        kind="knowledge",
        title="Title of document:b",
        mime="text/markdown",
        passages=2,
        characters=5,
        origin="shelf/document:b.md",
        kept_ms=3,
        expires_ms=None,
    )


async def test_a_deleted_document_is_gone(store: DocumentStore) -> None:
    await store.put(document("document:1"), passages(towards(1)))
    await store.put(document("document:2"), passages(towards(1)))
    assert len(await titles_found(store)) == 2

    assert await store.delete(TENANT, "document:1")

    assert not await store.delete(TENANT, "document:1")
    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) is None
    assert await titles_found(store) == ["Title of document:2"]
    assert await refs(store) == ["document:2"]


async def test_a_customers_documents_are_erased_and_no_others(store: DocumentStore) -> None:
    for ref, customer in {"1": "ana", "2": "ana", "3": "ben", "4": ""}.items():
        await store.put(document(ref, customer), passages(towards(1)))
    await store.put(document("5", "ana", tenant="bolt"), passages(towards(1)))

    assert await store.erase(TENANT, "ana") == 2

    assert sorted(await refs(store)) == ["3", "4"]
    assert await refs(store, "bolt") == ["5"]
    assert await titles_found(store, "ana") == ["Title of 4"]
    assert sorted(await titles_found(store, "ben")) == ["Title of 3", "Title of 4"]


async def test_concurrent_searches_see_only_whole_documents(store: DocumentStore) -> None:
    async def put_often(ref: str) -> None:
        for time in range(10):
            await store.put(
                document(ref, "ana", text=f"{time}"), passages(*[towards(1, time)] * 3, text=f"{time}:")
            )

    async def look_often() -> None:
        for _ in range(20):
            found = await store.search(TENANT, "ana", towards(1), limit=99, now_ms=NOW)
            of_each: dict[str, list[str]] = {}
            for finding in found:
                of_each.setdefault(finding.ref, []).append(finding.passage.text)
            for texts in of_each.values():
                assert len(texts) == 3
                assert len({text.split(":")[0] for text in texts}) == 1

    await asyncio.gather(*(put_often(f"document:{n}") for n in range(4)), look_often(), look_often())

    assert len(await store.search(TENANT, "ana", towards(1), limit=99, now_ms=NOW)) == 12


async def test_a_cancelled_put_stores_the_whole_document_or_none(store: DocumentStore) -> None:
    for steps in range(4):
        put = asyncio.ensure_future(store.put(document(f"document:{steps}"), passages(*[towards(1)] * 5)))
        for _ in range(steps):
            await asyncio.sleep(0)
        put.cancel()
        await asyncio.gather(put, return_exceptions=True)

    await store.put(document("document:after"), passages(towards(1)))

    listed = {one.ref: one.passages for one in await store.documents(TENANT)}
    found = await store.search(TENANT, "ana", towards(1), limit=99, now_ms=NOW)
    assert len(found) == sum(listed.values())
    assert listed.pop("document:after") == 1
    assert set(listed.values()) <= {5}


async def test_a_cancelled_search_leaves_the_store_usable(store: DocumentStore) -> None:
    await store.put(document(), passages(towards(1)))
    search = asyncio.ensure_future(store.search(TENANT, "ana", towards(1), limit=1, now_ms=NOW))
    await asyncio.sleep(0)
    search.cancel()
    await asyncio.gather(search, return_exceptions=True)

    assert await titles_found(store) == ["Title of document:1"]


async def test_a_closed_store_answers_no_more(store: DocumentStore) -> None:
    await store.close()
    await store.close()

    questions = [
        store.put(document(), []),
        store.search(TENANT, "ana", towards(1), limit=1, now_ms=NOW),
        store.get(TENANT, "ana", "document:1", now_ms=NOW),
        store.documents(TENANT),
        store.stale(),
        store.delete(TENANT, "document:1"),
        store.erase(TENANT, "ana"),
        store.expire(NOW),
    ]
    for question in questions:
        with pytest.raises(StoreError, match="closed"):
            await question


@pytest.mark.parametrize("open_store", DURABLE, indirect=True)
async def test_stored_documents_are_there_after_a_restart(open_store: OpensStore) -> None:
    before = await open_store()
    kept = document(customer="ana", expires_ms=9_999)
    await before.put(kept, passages(leaning(0.5), leaning(0.9)))
    found = await before.search(TENANT, "ana", towards(1), limit=9, now_ms=NOW)
    listed = await before.documents(TENANT)
    await before.close()

    after = await open_store()

    assert await after.get(TENANT, "ana", kept.ref, now_ms=NOW) == kept
    assert await after.search(TENANT, "ana", towards(1), limit=9, now_ms=NOW) == found
    assert await after.documents(TENANT) == listed
    assert await after.stale() == []


@pytest.mark.parametrize("open_store", DURABLE, indirect=True)
@pytest.mark.parametrize("width", [8, 5], ids=["same width", "another width"])
async def test_documents_of_another_embedder_are_stale_until_stored_again(
    open_store: OpensStore, width: int
) -> None:
    old = await open_store(embedder="old")
    await old.put(document("document:1", "ana"), passages(towards(1), text="old"))
    await old.put(document("document:2", tenant="bolt"), passages(towards(1), text="old"))
    await old.close()

    new = await open_store(embedder="new", width=width)
    ask = towards(1, width=width)

    assert sorted(await new.stale()) == [("acme", "ana", "document:1"), ("bolt", "", "document:2")]
    assert await new.search(TENANT, "ana", ask, limit=9, now_ms=NOW) == []
    assert await refs(new) == ["document:1"]
    stale = await new.get(TENANT, "ana", "document:1", now_ms=NOW)
    assert stale is not None

    await new.put(stale, passages(ask, text="new"))

    assert await new.stale() == [("bolt", "", "document:2")]
    found = await new.search(TENANT, "ana", ask, limit=9, now_ms=NOW)
    assert [finding.passage.text for finding in found] == ["new 0"]
    assert await new.delete("bolt", "document:2")
    assert await new.stale() == []
