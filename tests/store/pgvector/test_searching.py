"""A search is exact: passages are filtered by customer first, then the nearest are chosen."""

from collections.abc import Iterator
from typing import TypeAlias, cast

import numpy as np
import orjson
import pytest

from assistant.conversation.documents import Passage
from assistant.conversation.values import Json
from assistant.store.documents.pgvector import SEARCH, PgvectorDocuments
from tests.store.pgvector.conftest import connected
from tests.support.document_stores import TENANT, document

WIDTH = 32
NOW = 5_000
Node: TypeAlias = dict[str, Json]
Rows: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"

AN_OWNER_WHO_MEANS_WELL = f"""
ALTER TABLE meanwhile.passages ALTER COLUMN vector TYPE vector({WIDTH});
CREATE INDEX passages_near ON meanwhile.passages USING hnsw (vector vector_ip_ops);
ANALYZE meanwhile.passages;
"""


def unit(rows: Rows) -> Rows:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pieces(rows: Rows) -> list[Passage]:
    return [
        Passage(number=n, start=0, end=1, text=f"{n}", vector=row.astype("<f4").tobytes())
        for n, row in enumerate(rows)
    ]


async def fill(store: PgvectorDocuments, question: Rows, mine: Rows, random: np.random.Generator) -> None:
    """Everything of other tenants and customers is nearer to the question than what is Ana's."""
    await store.put(document("mine", "ana"), pieces(mine))
    for whose in range(10):
        nearer = unit(question + 0.1 * random.standard_normal((200, WIDTH)))
        tenant, customer = ("bolt", "ana") if whose % 2 else (TENANT, "ben")
        await store.put(document(f"theirs {whose}", customer, tenant=tenant), pieces(nearer))


@pytest.mark.parametrize("index", ["ours", "somebody's"])
async def test_the_ten_nearest_are_found_among_ten_times_as_many_nearer(address: str, index: str) -> None:
    store = PgvectorDocuments(address, embedder="fake", width=WIDTH)
    random = np.random.default_rng(5)
    question, mine = unit(random.standard_normal((1, WIDTH))), unit(random.standard_normal((200, WIDTH)))
    await fill(store, question, mine, random)
    if index == "somebody's":
        async with connected(address) as owner:
            await owner.execute("SET search_path TO meanwhile, public")
            await owner.execute(AN_OWNER_WHO_MEANS_WELL)

    hits = 0
    for asked in unit(question + 0.3 * random.standard_normal((20, WIDTH))):
        best = set(map(int, np.argsort(-(mine @ asked))[:10]))
        found = await store.search(TENANT, "ana", asked.astype("<f4").tobytes(), limit=10, now_ms=NOW)
        hits += len(best & {one.passage.number for one in found})

    await store.close()
    assert hits / 200 >= 0.95


@pytest.mark.parametrize("index", ["ours", "somebody's"])
async def test_the_plan_filters_by_tenant_first_and_uses_no_approximate_index(
    address: str, index: str
) -> None:
    store = PgvectorDocuments(address, embedder="fake", width=WIDTH)
    random = np.random.default_rng(5)
    question, mine = unit(random.standard_normal((1, WIDTH))), unit(random.standard_normal((200, WIDTH)))
    await fill(store, question, mine, random)
    async with store._connections.one() as connection:
        if index == "somebody's":
            await connection.execute(AN_OWNER_WHO_MEANS_WELL)
            await connection.execute("SET enable_seqscan = off; SET enable_sort = off")
        vector = pieces(question)[0].vector
        told = await connection.fetchval(
            f"EXPLAIN (FORMAT JSON) {SEARCH}", TENANT, "ana", "fake", vector, NOW, 10, WIDTH
        )
    await store.close()

    plan = cast("Node", orjson.loads(str(told))[0]["Plan"])
    nodes = list(below(plan))
    assert not [node for node in nodes if node.get("Index Name") == "passages_near"]
    [readable] = [node for node in nodes if node.get("Subplan Name") == "CTE readable"]
    conditions = " ".join(
        str(node.get(kind, ""))
        for node in below(readable)
        for kind in ("Index Cond", "Recheck Cond", "Filter")
    )
    for column in ("tenant", "customer", "embedder", "width", "expires_ms"):
        assert column in conditions
    assert not [node for node in below(readable) if "Sort" in str(node["Node Type"])]
    [sort] = [node for node in nodes if "Sort" in str(node["Node Type"]) and reads_readable(node)]
    assert "score" in str(sort["Sort Key"])


def below(node: Node) -> Iterator[Node]:
    """A node of a plan, and all that it is made of."""
    yield node
    for part in cast("list[Node]", node.get("Plans", [])):
        yield from below(part)


def reads_readable(node: Node) -> bool:
    return any(part.get("CTE Name") == "readable" for part in cast("list[Node]", node.get("Plans", [])))
