"""The client for a Qdrant server: collections, and reading, writing and deleting points.

The module qdrant defines the meaning of the points.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Generator, Iterable, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import ValidationError
from qdrant_client import AsyncQdrantClient
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse
from qdrant_client.models import (
    Distance,
    Filter,
    FilterSelector,
    HnswConfigDiff,
    KeywordIndexParams,
    KeywordIndexType,
    PayloadSchemaType,
    PointIdsList,
    PointStruct,
    SearchParams,
    VectorParams,
)

from assistant.errors import DeclarationError, StoreError

DOCUMENTS = "meanwhile_documents"
"""The collection of whole documents, one point each, without vectors."""

PASSAGES = "meanwhile_passages_"
"""The beginning of the names of the collections of passages, one for each embedder."""


def passages_collection(embedder: str, width: int) -> str:
    """The collection of one embedder's vectors. Vectors of two embedders are never compared.

    >>> passages_collection("offline", 384)
    'meanwhile_passages_offline_384_f47f3df4'
    """
    readable = re.sub(r"[^a-z0-9]+", "-", embedder.lower()).strip("-")[:60]
    return f"{PASSAGES}{readable}_{width}_{fingerprint(embedder)[:8]}"


def point_id(*parts: str | int) -> str:
    """The id of the point for these parts, in the form of a UUID, as Qdrant requires.

    >>> point_id("acme", "document:1")
    '23d393a4-178b-f2fe-5efa-7d1d894df339'
    """
    digits = fingerprint(*parts)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


def fingerprint(*parts: str | int | bytes | None) -> str:
    """A hash of these parts: 32 hexadecimal digits."""
    told = hashlib.sha256()
    for part in parts:
        written = part if isinstance(part, bytes) else str(part).encode()
        told.update(b"%d:" % len(written))  # or ("a", "bc") would be ("ab", "c")
        told.update(written)
    return told.hexdigest()[:32]


ANSWER_S = 30
_DENIED = (401, 403)


def connect(address: str, key: str | None = None, *, answer_s: int = ANSWER_S) -> AsyncQdrantClient:
    """Create a client; nothing is sent yet.

    Args:
        address: such as ``https://qdrant.example:6333``; the default port is 6333.
        key: the server's key, if it needs one.
        answer_s: the time limit for each answer.

    Raises:
        DeclarationError: the address is invalid, or contains a secret that belongs into the key.
    """
    parts = _parts(address)
    if (
        parts is None
        or parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
    ):
        raise DeclarationError(
            "ASSISTANT_DOCUMENT_STORE: the address of the Qdrant server should be like https://qdrant.example:6333;"
            " its key belongs into ASSISTANT_QDRANT_API_KEY"
        )
    return AsyncQdrantClient(
        url=address,
        timeout=answer_s,
        headers={"api-key": key} if key else None,
        check_compatibility=False,  # otherwise it asks the server immediately, from a thread
    )


def _parts(address: str) -> SplitResult | None:
    """The parts of the address; None if it cannot be parsed."""
    try:
        parts = urlsplit(address)
        _ = parts.port  # checked only when it is read
    except ValueError:
        return None
    return parts


@contextmanager
def errors_as_store_errors(shown: str) -> Generator[None]:
    """A block that uses the server; its errors become ``StoreError``.

    Args:
        shown: the server's address, for the error.
    """
    try:
        yield
    except UnexpectedResponse as error:
        # Not chained: the server's message may quote the data that was sent.
        raise StoreError(f"{shown}: {_refusal(error.status_code)}") from None
    except ResponseHandlingException as error:
        raise StoreError(f"{shown}: no answer: {type(error.source).__name__}") from None
    except (ApiException, QdrantException, ValidationError, OSError) as error:
        raise StoreError(f"{shown}: {type(error).__name__}") from None


def _refusal(status: int | None) -> str:
    if status in _DENIED:
        return f"the server asks for a key, or for another one ({status}): set ASSISTANT_QDRANT_API_KEY"
    return f"the server refused ({status}); its own log says why"


_FILTER_FIELDS = {
    "customer": PayloadSchemaType.KEYWORD,
    "ref": PayloadSchemaType.KEYWORD,
    "version": PayloadSchemaType.KEYWORD,
    "embedder": PayloadSchemaType.KEYWORD,
    "width": PayloadSchemaType.INTEGER,
    "expires_ms": PayloadSchemaType.INTEGER,
}
_CONFLICT = 409


async def make_collections(client: AsyncQdrantClient, passages: str, width: int) -> None:
    """Create the missing ones of the two collections; several processes may do so at the same time.

    Args:
        client: of the server.
        passages: the name of the embedder's collection.
        width: the number of values in its vectors.
    """
    await _make(client, DOCUMENTS, {})
    # No graph is built: with a filter by tenant it would miss results, and searches are exact.
    await _make(
        client, passages, VectorParams(size=width, distance=Distance.DOT, hnsw_config=HnswConfigDiff(m=0))
    )


async def passage_collections(client: AsyncQdrantClient) -> list[str]:
    """The names of all embedders' collections. A deletion must also cover the old ones."""
    listed = await client.get_collections()
    return [one.name for one in listed.collections if one.name.startswith(PASSAGES)]


async def _make(
    client: AsyncQdrantClient, name: str, vectors: VectorParams | dict[str, VectorParams]
) -> None:
    if not await client.collection_exists(name):
        try:
            await client.create_collection(name, vectors_config=vectors)
        except UnexpectedResponse as error:
            if error.status_code != _CONFLICT:  # another process was faster
                raise
    # Also for an existing collection: the process that created it may have ended before this.
    tenant = KeywordIndexParams(type=KeywordIndexType.KEYWORD, is_tenant=True)
    await client.create_payload_index(name, "tenant", tenant, wait=True)
    for field, kind in _FILTER_FIELDS.items():
        await client.create_payload_index(name, field, kind, wait=True)


Payload: TypeAlias = dict[str, Any]

_BATCH_POINTS = 64
"""The number of points in one request: the server accepts 32 MB, and a wide vector is 50 kB as text."""
_PAGE = 256


class QdrantServer:
    """The collections of documents and of one embedder's passages; created at the first call.

    Each error becomes a ``StoreError``, and the next call connects anew.

    Args:
        client: of the server.
        shown: its address, for errors.
        passages: the name of the collection of passages.
        width: the number of values in their vectors.
    """

    def __init__(self, client: AsyncQdrantClient, shown: str, passages: str, width: int) -> None:
        self._client, self._shown = client, shown
        self._passages, self._width = passages, width
        self._making = asyncio.Lock()
        self._made = self._closed = False

    async def put_passages(self, points: Iterable[PointStruct]) -> None:
        """Write passages; they are on the server's disk when this returns. The points are made while they are
        sent.
        """
        made = iter(points)
        async with self._ready() as client:
            while some := list(islice(made, _BATCH_POINTS)):
                await client.upsert(self._passages, some, wait=True)

    async def put_document(self, point: PointStruct) -> None:
        """Write a document and replace the one with its id; it is on the server's disk when this returns."""
        async with self._ready() as client:
            await client.upsert(DOCUMENTS, [point], wait=True)

    async def nearest(self, vector: list[float], among: Filter, limit: int) -> list[tuple[float, Payload]]:
        """The nearest passages with their scores, nearest first; exact, without an index."""
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
        """The points of these documents that exist; with all fields if ``fields`` is None."""
        if not ids:
            return []
        async with self._ready() as client:
            records = await client.retrieve(DOCUMENTS, ids, with_payload=list(fields) if fields else True)
        return [record.payload or {} for record in records]

    async def all_documents(self, among: Filter, fields: Sequence[str]) -> list[Payload]:
        """These fields of all matching documents' points, in any order."""
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
        """Delete passages of all embedders; they are deleted when this returns."""
        async with self._ready() as client:
            for name in await passage_collections(client):
                await client.delete(name, FilterSelector(filter=which), wait=True)

    async def delete_documents(self, ids: Sequence[str]) -> None:
        """Delete documents' points; they are deleted when this returns."""
        if ids:
            async with self._ready() as client:
                await client.delete(DOCUMENTS, PointIdsList(points=list(ids)), wait=True)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        if not self._closed:
            self._closed = True
            with errors_as_store_errors(self._shown):
                await self._client.close()

    @asynccontextmanager
    async def _ready(self) -> AsyncGenerator[AsyncQdrantClient]:
        if self._closed:
            raise StoreError("the store of documents is closed")
        with errors_as_store_errors(self._shown):
            async with self._making:
                if not self._made:
                    await make_collections(self._client, self._passages, self._width)
                    self._made = True
            yield self._client


_ANSWER_S = 5


async def inspect_server(address: str, key: str | None) -> str:
    """The server's version.

    Raises:
        DeclarationError: the address is invalid.
        StoreError: there is no answer, or the key is wrong.
    """
    client = connect(address, key, answer_s=_ANSWER_S)
    try:
        with errors_as_store_errors(address):
            await client.get_collections()  # the server gives its version without a key
            return (await client.info()).version
    finally:
        await client.close()
