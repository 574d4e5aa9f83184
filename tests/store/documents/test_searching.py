"""The promises of every document store about searches."""

import numpy as np
import pytest

from assistant.conversation.documents import ALL_CUSTOMERS, Finding
from assistant.storage_ports import DocumentStore
from tests.support.document_stores import TENANT, OpensStore, document, leaning, passages, towards

NOW = 5_000


async def found(
    store: DocumentStore, customer: str = "ana", *, tenant: str = TENANT, limit: int = 50, now_ms: int = NOW
) -> list[Finding]:
    return await store.search(tenant, customer, towards(1), limit=limit, now_ms=now_ms)


async def test_a_finding_names_the_passage_and_its_place(store: DocumentStore) -> None:
    kept = document("document:1", "ana", kind="upload")
    [first, second] = passages(leaning(0.2), leaning(0.8))
    await store.put(kept, [first, second])

    [finding] = await found(store, limit=1)

    assert (finding.ref, finding.kind, finding.title) == (kept.ref, "upload", kept.title)
    passage = finding.passage
    assert (passage.number, passage.start, passage.end) == (second.number, second.start, second.end)
    assert (passage.text, passage.place) == (second.text, second.place)
    assert finding.score == pytest.approx(0.8, abs=1e-5)


async def test_the_nearest_come_first_from_any_document(store: DocumentStore) -> None:
    await store.put(document("1", "ana"), passages(leaning(0.1), leaning(0.9), leaning(-1.0)))
    await store.put(document("2"), passages(leaning(0.5), leaning(0.95)))
    await store.put(document("3", "ana"), passages(leaning(0.7)))

    order = [(f.ref, f.passage.number) for f in await found(store)]

    assert order == [("2", 1), ("1", 1), ("3", 0), ("2", 0), ("1", 0), ("1", 2)]
    scores = [f.score for f in await found(store)]
    assert scores == pytest.approx([0.95, 0.9, 0.7, 0.5, 0.1, -1.0], abs=1e-5)


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (4, 4), (6, 6), (7, 6), (1_000, 6)])
async def test_the_limit_of_findings_is_kept(store: DocumentStore, limit: int, expected: int) -> None:
    await store.put(document("1", "ana"), passages(*[leaning(n / 10) for n in range(3)]))
    await store.put(document("2"), passages(*[leaning(n / 10 + 0.05) for n in range(3)]))

    scores = [f.score for f in await found(store, limit=limit)]

    assert scores == pytest.approx([0.25, 0.2, 0.15, 0.1, 0.05, 0.0][:expected], abs=1e-5)


async def test_equally_near_passages_are_all_found(store: DocumentStore) -> None:
    await store.put(document("1"), passages(*[leaning(0.5)] * 40))
    await store.put(document("2", "ana"), passages(*[leaning(0.5)] * 40))

    everywhere = {(f.ref, f.passage.number) for f in await found(store, limit=80)}

    assert len(everywhere) == 80
    assert len(await found(store, limit=30)) == 30


async def test_a_customer_finds_only_their_own_documents_and_those_for_all(store: DocumentStore) -> None:
    owners = {"1": "ana", "2": "ben", "3": ALL_CUSTOMERS, "4": "an", "5": "ana "}
    for ref, customer in owners.items():
        await store.put(document(ref, customer), passages(leaning(0.5)))
    await store.put(document("6", tenant="bolt"), passages(leaning(0.5)))
    await store.put(document("7", "ana", tenant="bolt"), passages(leaning(0.5)))

    async def refs(customer: str, tenant: str = TENANT) -> list[str]:
        return sorted(f.ref for f in await found(store, customer, tenant=tenant))

    assert await refs("ana") == ["1", "3"]
    assert await refs("ben") == ["2", "3"]
    assert await refs(ALL_CUSTOMERS) == ["3"]
    assert await refs("cleo") == ["3"]
    assert await refs("ana", tenant="bolt") == ["6", "7"]
    assert await refs("ana", tenant="none") == []
    for tenant, customer in (("acm", "eana"), ("acmea", "na"), ("", "acmeana"), ("acmeana", "")):
        assert await refs(customer, tenant=tenant) == []


async def test_expired_passages_are_not_found_and_take_no_place(store: DocumentStore) -> None:
    await store.put(document("near", expires_ms=NOW), passages(*[leaning(0.9)] * 20))
    await store.put(document("far", expires_ms=NOW + 1), passages(leaning(0.1)))

    assert [f.ref for f in await found(store, limit=1)] == ["far"]
    assert len(await found(store, now_ms=NOW - 1)) == 21
    assert await found(store, now_ms=NOW + 1) == []


async def test_changes_between_searches_are_seen(store: DocumentStore) -> None:
    for n in range(6):
        await store.put(document(f"{n}", ("ana", "")[n % 2]), passages(*[leaning(n / 10)] * (n + 1)))
        assert len(await found(store)) == sum(range(n + 2))
    for n in (2, 5, 0, 3):
        await store.delete(TENANT, f"{n}")
        assert f"{n}" not in {f.ref for f in await found(store)}
    await store.put(document("6"), passages(leaning(0.3)))

    assert [f.ref for f in await found(store)] == ["4"] * 5 + ["6"] + ["1"] * 2


async def test_ten_times_as_many_nearer_passages_of_others_do_not_hide_ours(open_store: OpensStore) -> None:
    # What an approximate index that filters only afterwards gets wrong.
    width, ours, random = 32, 200, np.random.default_rng(7)
    store = await open_store(width=width)
    question = _unit(random.standard_normal((1, width)))[0]
    mine = _unit(random.standard_normal((ours, width)))
    nearer = _unit(question + 0.1 * random.standard_normal((10 * ours, width)))
    for start in range(0, ours, 100):
        rows = mine[start : start + 100]
        await store.put(
            document(f"mine {start}", ("ana", "")[start // 100 % 2]), passages(*map(_bytes, rows))
        )
    for start in range(0, 10 * ours, 500):
        rows = nearer[start : start + 500]
        tenant, customer = (("bolt", ""), ("bolt", "ana"), (TENANT, "ben"))[start // 500 % 3]
        await store.put(document(f"{start}", customer, tenant=tenant), passages(*map(_bytes, rows)))

    hits = 0
    for asked in [question, *_unit(question + 0.5 * random.standard_normal((19, width)))]:
        best = np.argsort(-(mine @ asked), kind="stable")[:10]
        expected = {(f"mine {n // 100 * 100}", n % 100) for n in map(int, best)}
        findings = await store.search(TENANT, "ana", _bytes(asked), limit=10, now_ms=NOW)
        hits += len(expected & {(f.ref, f.passage.number) for f in findings})

    assert hits / (20 * 10) >= 0.95


def _unit(
    rows: "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _bytes(row: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bytes:
    return row.astype("<f4").tobytes()
