"""The collections that documents are kept in: made when they are missing, and found again."""

from qdrant_client import AsyncQdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse
from qdrant_client.models import (
    Distance,
    HnswConfigDiff,
    KeywordIndexParams,
    KeywordIndexType,
    PayloadSchemaType,
    VectorParams,
)

from assistant.store.qdrant.names import DOCUMENTS, PASSAGES

_SIFTED_BY = {
    "customer": PayloadSchemaType.KEYWORD,
    "ref": PayloadSchemaType.KEYWORD,
    "version": PayloadSchemaType.KEYWORD,
    "embedder": PayloadSchemaType.KEYWORD,
    "width": PayloadSchemaType.INTEGER,
    "expires_ms": PayloadSchemaType.INTEGER,
}
_TAKEN = 409


async def make_collections(client: AsyncQdrantClient, passages: str, width: int) -> None:
    """Make what is missing of the two collections that are written; several may do so at once.

    Args:
        client: of the server.
        passages: the name of the embedder's collection.
        width: how many numbers its vectors have.
    """
    await _make(client, DOCUMENTS, {})
    # No graph is built: with a tenant to sift by, it would lose what should be found, and searches are exact.
    await _make(
        client, passages, VectorParams(size=width, distance=Distance.DOT, hnsw_config=HnswConfigDiff(m=0))
    )


async def passage_collections(client: AsyncQdrantClient) -> list[str]:
    """The names of all embedders' collections: what is deleted must be gone from the old ones too."""
    listed = await client.get_collections()
    return [one.name for one in listed.collections if one.name.startswith(PASSAGES)]


async def _make(
    client: AsyncQdrantClient, name: str, vectors: VectorParams | dict[str, VectorParams]
) -> None:
    if not await client.collection_exists(name):
        try:
            await client.create_collection(name, vectors_config=vectors)
        except UnexpectedResponse as error:
            if error.status_code != _TAKEN:  # somebody else was quicker
                raise
    # Also for a collection that was there: whoever made it may have ended before this.
    tenant = KeywordIndexParams(type=KeywordIndexType.KEYWORD, is_tenant=True)
    await client.create_payload_index(name, "tenant", tenant, wait=True)
    for field, kind in _SIFTED_BY.items():
        await client.create_payload_index(name, field, kind, wait=True)
