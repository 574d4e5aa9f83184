"""A document is replaced in one step, although the server has no transactions."""

import gc
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_warnings import SEEN_MESSAGES
from qdrant_client.http.exceptions import UnexpectedResponse

from assistant.errors import StoreError
from assistant.store.documents.qdrant import QdrantDocuments
from assistant.store.documents.qdrant_server import DOCUMENTS, passages_collection, point_id
from tests.support.document_stores import TENANT, WIDTH, document, leaning, passages, towards

NOW = 5_000
PASSAGES = passages_collection("fake", WIDTH)


class Breaking(AsyncQdrantClient):
    """Qdrant in memory, which goes down at a request that a test names, and is back for the next."""

    def __init__(self, location: str = ":memory:") -> None:
        SEEN_MESSAGES.update(["local_query_points_search_params_ignored", "create-local-payload-indexes"])
        super().__init__(location)
        self.down_at: tuple[str, str] | None = None

    def _arrive(self, request: str, collection: str) -> None:
        if self.down_at == (request, collection):
            self.down_at = None
            raise OSError("gone")

    async def upsert(self, collection_name: str, points: Any, *args: Any, **more: Any) -> Any:
        self._arrive("upsert", collection_name)
        return await super().upsert(collection_name, points, *args, **more)

    async def delete(self, collection_name: str, *args: Any, **more: Any) -> Any:
        self._arrive("delete", collection_name)
        return await super().delete(collection_name, *args, **more)

    async def points(self, collection: str) -> int:
        return (await self.count(collection, exact=True)).count


@pytest.fixture
async def client() -> AsyncIterator[Breaking]:
    """A server to look into."""
    client = Breaking()
    yield client
    await client.close()


@pytest.fixture
def store(client: Breaking) -> QdrantDocuments:
    """A store on it."""
    return QdrantDocuments(client, shown="http://qdrant:6333", embedder="fake", width=WIDTH)


async def texts(store: QdrantDocuments, limit: int = 50) -> Sequence[str]:
    return [
        one.passage.text for one in await store.search(TENANT, "ana", towards(1), limit=limit, now_ms=NOW)
    ]


@pytest.mark.parametrize("place", [PASSAGES, DOCUMENTS])
async def test_an_end_before_the_switch_leaves_the_old_document(
    store: QdrantDocuments, client: Breaking, place: str
) -> None:
    await store.put(document(text="old"), passages(leaning(0.5), text="old"))

    client.down_at = ("upsert", place)
    with pytest.raises(StoreError, match="http://qdrant:6333: OSError"):
        await store.put(document(text="new"), passages(towards(1), leaning(0.9), text="new"))

    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) == document(text="old")
    assert await texts(store) == ["old 0"]
    assert await texts(store, limit=1) == ["old 0"]  # the new ones are nearer, and do not take its place


async def test_an_end_after_the_switch_leaves_the_new_document(
    store: QdrantDocuments, client: Breaking
) -> None:
    await store.put(document(text="old"), passages(towards(1), text="old"))

    client.down_at = ("delete", PASSAGES)
    with pytest.raises(StoreError):
        await store.put(document(text="new"), passages(leaning(0.5), text="new"))

    assert await store.get(TENANT, "ana", "document:1", now_ms=NOW) == document(text="new")
    assert await texts(store) == ["new 0"]
    await store.put(document(text="new"), passages(leaning(0.5), text="new"))
    assert await client.points(PASSAGES) == 1


async def test_leftovers_of_an_interrupted_put_are_deleted_with_the_document(
    store: QdrantDocuments, client: Breaking
) -> None:
    client.down_at = ("upsert", DOCUMENTS)
    with pytest.raises(StoreError):
        await store.put(document(customer="ana"), passages(towards(1)))
    assert await client.points(PASSAGES) == 1

    assert await store.delete(TENANT, "document:1") is False

    assert await client.points(PASSAGES) == 0


async def test_leftovers_of_an_interrupted_put_are_erased_with_the_customer(
    store: QdrantDocuments, client: Breaking
) -> None:
    client.down_at = ("upsert", DOCUMENTS)
    with pytest.raises(StoreError):
        await store.put(document(customer="ana"), passages(towards(1)))

    assert await store.erase(TENANT, "ana") == 0

    assert await client.points(PASSAGES) == 0


async def test_an_interrupted_deletion_can_be_repeated(store: QdrantDocuments, client: Breaking) -> None:
    await store.put(document(), passages(towards(1)))

    client.down_at = ("delete", DOCUMENTS)
    with pytest.raises(StoreError):
        await store.delete(TENANT, "document:1")

    assert [listed.ref for listed in await store.documents(TENANT)] == ["document:1"]
    assert await store.delete(TENANT, "document:1") is True
    assert await client.points(PASSAGES) == await client.points(DOCUMENTS) == 0


async def test_data_of_earlier_embedders_is_deleted_too(client: Breaking) -> None:
    earlier = QdrantDocuments(client, shown="qdrant", embedder="earlier", width=4)
    await earlier.put(document(), passages(towards(1, width=4)))
    store = QdrantDocuments(client, shown="qdrant", embedder="fake", width=WIDTH)
    await store.documents(TENANT)
    assert await client.points(passages_collection("earlier", 4)) == 1

    await store.put(document(), passages(towards(1)))

    assert await client.points(passages_collection("earlier", 4)) == 0
    assert await client.points(PASSAGES) == 1


async def test_the_same_document_stored_twice_is_kept_once(store: QdrantDocuments, client: Breaking) -> None:
    for _ in range(2):
        await store.put(document(), passages(towards(1), leaning(0.5)))

    assert await client.points(PASSAGES) == 2
    assert await client.points(DOCUMENTS) == 1


async def test_more_passages_than_one_request_are_all_stored(
    store: QdrantDocuments, client: Breaking
) -> None:
    await store.put(document(), passages(*[leaning(n / 200) for n in range(150)]))

    assert await client.points(PASSAGES) == 150


async def test_another_tenants_nearer_passages_take_no_place(store: QdrantDocuments) -> None:
    await store.put(document(), passages(leaning(0.5), text="ours"))
    await store.put(document(tenant="bolt"), passages(*[towards(1)] * 100))

    assert await texts(store, limit=1) == ["ours 0"]


async def test_more_documents_than_one_answer_are_all_listed(store: QdrantDocuments) -> None:
    for number in range(300):
        await store.put(document(f"document:{number:03}"), [])

    assert [listed.ref for listed in await store.documents(TENANT)] == [
        f"document:{n:03}" for n in range(300)
    ]


class Racing(AsyncQdrantClient):
    """Two who start at once: the collections are there as soon as this one wants to make them."""

    async def create_collection(self, collection_name: str, *args: Any, **more: Any) -> Any:
        await super().create_collection(collection_name, *args, **more)
        raise UnexpectedResponse(self.status, "", b"quoted words", None)  # pyright: ignore[reportArgumentType]

    status = 409


async def test_collections_that_another_process_made_are_used() -> None:
    client = Racing(":memory:")
    store = QdrantDocuments(client, shown="qdrant", embedder="fake", width=WIDTH)

    assert await store.documents(TENANT) == []

    await store.close()
    await store.close()


async def test_a_refusing_server_is_reported_without_what_it_quotes() -> None:
    client = Racing(":memory:")
    client.status = 500
    store = QdrantDocuments(client, shown="qdrant", embedder="fake", width=WIDTH)

    with pytest.raises(StoreError) as caught:
        await store.documents(TENANT)

    assert str(caught.value) == "qdrant: the server refused (500); its own log says why"
    assert caught.value.__cause__ is None
    await store.close()


# qdrant-client opens a database to read SQLite's options and does not close it. Python 3.13 warns of that.
@pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
@pytest.mark.usefixtures("everything_is_collected")
async def test_a_local_folder_keeps_the_documents(tmp_path: Path) -> None:
    for already in (0, 1):
        client = AsyncQdrantClient(path=str(tmp_path / "qdrant"))
        store = QdrantDocuments(client, shown="qdrant", embedder="fake", width=WIDTH)
        assert len(await store.documents(TENANT)) == already
        await store.put(document(), passages(towards(1)))
        await store.close()
    gc.collect()  # the warning comes in this test, not in a later one


def test_similar_parts_have_different_ids() -> None:
    assert point_id("ab", "c") != point_id("a", "bc")
    assert point_id("a", "b", 1) != point_id("a", "b", 11)
    assert passages_collection("openai/x", 4) != passages_collection("openai-x", 4)
