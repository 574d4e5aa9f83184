"""What we ask of the server: reading, writing and deleting points, and nothing of what they mean."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any, TypeAlias

from qdrant_client import AsyncQdrantClient
from qdrant_client.models import Filter, FilterSelector, PointIdsList, PointStruct, SearchParams

from assistant.errors import StoreError
from assistant.store.qdrant.client import answered
from assistant.store.qdrant.collections import make_collections, passage_collections
from assistant.store.qdrant.names import DOCUMENTS

Payload: TypeAlias = dict[str, Any]

_AT_ONCE = 64
"""Points in one request: the server takes 32 MB, and a wide vector is 50 kB as text."""
_PAGE = 256


class Server:
    """The collections of documents and of one embedder's passages; made at the first call.

    Whatever goes wrong is a ``StoreError``, and the next call begins anew.

    Args:
        client: of the server.
        shown: where that is, for errors.
        passages: the name of the collection of passages.
        width: how many numbers their vectors have.
    """

    def __init__(self, client: AsyncQdrantClient, shown: str, passages: str, width: int) -> None:
        self._client, self._shown = client, shown
        self._passages, self._width = passages, width
        self._making = asyncio.Lock()
        self._made = self._closed = False

    async def put_passages(self, points: Iterable[PointStruct]) -> None:
        """Write passages; on the server's disk when it returns. They are made as they are sent."""
        made = iter(points)
        async with self._ready() as client:
            while some := list(islice(made, _AT_ONCE)):
                await client.upsert(self._passages, some, wait=True)

    async def put_document(self, point: PointStruct) -> None:
        """Write a document in place of the one with its id; on the server's disk when it returns."""
        async with self._ready() as client:
            await client.upsert(DOCUMENTS, [point], wait=True)

    async def nearest(self, vector: list[float], among: Filter, limit: int) -> list[tuple[float, Payload]]:
        """The nearest passages with their scores, nearest first; exact, without any index."""
        async with self._ready() as client:
            found = await client.query_points(
                self._passages,
                query=vector,
                query_filter=among,
                limit=limit,
                search_params=SearchParams(exact=True),
                with_payload=True,
            )
        return [(point.score, point.payload or {}) for point in found.points]

    async def documents(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> list[Payload]:
        """These documents' points, those that are there; all of their fields when left out."""
        if not ids:
            return []
        async with self._ready() as client:
            records = await client.retrieve(DOCUMENTS, ids, with_payload=list(fields) if fields else True)
        return [record.payload or {} for record in records]

    async def all_documents(self, among: Filter, fields: Sequence[str]) -> list[Payload]:
        """These fields of every document's point that fits, in no order."""
        read: list[Payload] = []
        async with self._ready() as client:
            begin = None
            while True:
                records, begin = await client.scroll(
                    DOCUMENTS, scroll_filter=among, limit=_PAGE, offset=begin, with_payload=list(fields)
                )
                read += [record.payload or {} for record in records]
                if begin is None:
                    return read

    async def delete_passages(self, which: Filter) -> None:
        """Delete passages of all embedders, today's and earlier ones'; done when it returns."""
        async with self._ready() as client:
            for name in await passage_collections(client):
                await client.delete(name, FilterSelector(filter=which), wait=True)

    async def delete_documents(self, ids: Sequence[str]) -> None:
        """Delete documents' points; done when it returns."""
        if ids:
            async with self._ready() as client:
                await client.delete(DOCUMENTS, PointIdsList(points=list(ids)), wait=True)

    async def close(self) -> None:
        """Let go of the connections; may be called twice."""
        if not self._closed:
            self._closed = True
            with answered(self._shown):
                await self._client.close()

    @asynccontextmanager
    async def _ready(self) -> AsyncGenerator[AsyncQdrantClient]:
        if self._closed:
            raise StoreError("the store of documents is closed")
        with answered(self._shown):
            async with self._making:
                if not self._made:
                    await make_collections(self._client, self._passages, self._width)
                    self._made = True
            yield self._client
