"""The document store on a Qdrant server: documents and passages as points, filters, and the class itself."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain
from typing import Any

import numpy as np
from qdrant_client import AsyncQdrantClient
from qdrant_client.models import (
    FieldCondition,
    Filter,
    MatchAny,
    MatchValue,
    PointStruct,
    Range,
)

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentInfo, Finding, Passage, Vector
from assistant.store.documents.qdrant_server import (
    Payload,
    QdrantServer,
    fingerprint,
    passages_collection,
    point_id,
)
from assistant.store.documents.vectors import check_passages, check_query_vector


def readable_by(tenant: str, customer: str, now_ms: int) -> Filter:
    """A filter for what a customer may read: their own and the company's documents, unless expired."""
    theirs = FieldCondition(key="customer", match=MatchAny(any=[customer, ALL_CUSTOMERS]))
    return Filter(must=[_is("tenant", tenant), theirs], must_not=[_expired(now_ms)])


def of_tenant(tenant: str) -> Filter:
    """A filter for all points of a tenant."""
    return Filter(must=[_is("tenant", tenant)])


def of_customer(tenant: str, customer: str) -> Filter:
    """A filter for all points of one customer."""
    return Filter(must=[_is("tenant", tenant), _is("customer", customer)])


def of_document(tenant: str, ref: str) -> Filter:
    """A filter for all points of a document, in any version."""
    return Filter(must=[_is("tenant", tenant), _is("ref", ref)])


def of_other_versions(tenant: str, ref: str, version: str) -> Filter:
    """A filter for all points of a document except those of this version."""
    return Filter(must=[_is("tenant", tenant), _is("ref", ref)], must_not=[_is("version", version)])


def expired_at(now_ms: int) -> Filter:
    """A filter for all expired points, of all tenants."""
    return Filter(must=[_expired(now_ms)])


def of_other_embedders(embedder: str, width: int) -> Filter:
    """A filter for all points of other embedders, of all tenants."""
    return Filter(must_not=[Filter(must=[_is("embedder", embedder), _is("width", width)])])


def _is(key: str, value: str | int) -> FieldCondition:
    return FieldCondition(key=key, match=MatchValue(value=value))


def _expired(now_ms: int) -> FieldCondition:
    # Points that never expire do not have this field, and match no range.
    return FieldCondition(key="expires_ms", range=Range(lte=now_ms))


LISTED_FIELDS = [field.name for field in fields(DocumentInfo)]
"""The fields of a document's point that a list needs: all but its text."""

_DOCUMENT_FIELDS = [field.name for field in fields(Document)]


def version_of(document: Document, passages: Sequence[Passage], embedder: str) -> str:
    """A name for exactly this document with exactly these passages; if it is stored again, the name is the same."""
    whole = asdict(document).values()
    pieces = chain.from_iterable(asdict(passage).values() for passage in passages)
    return fingerprint(embedder, *whole, *pieces)


def document_point(document: Document, version: str, passages: int, embedder: str, width: int) -> PointStruct:
    """The point of a whole document; its ``version`` names the passages that belong to it."""
    about = {
        "version": version,
        "passages": passages,
        "characters": len(document.text),
        "embedder": embedder,
        "width": width,
    }
    return PointStruct(
        id=point_id(document.tenant, document.ref), vector={}, payload=_without_none(asdict(document)) | about
    )


def passage_point(document: Document, version: str, passage: Passage) -> PointStruct:
    """The point of a passage, with the fields for the filters of a search."""
    payload = {
        "tenant": document.tenant,
        "customer": document.customer,
        "ref": document.ref,
        "version": version,
        "expires_ms": document.expires_ms,
        "number": passage.number,
        "start": passage.start,
        "end": passage.end,
        "place": passage.place,
        "text": passage.text,
    }
    point = point_id(document.tenant, document.ref, version, passage.number)
    return PointStruct(id=point, vector=vector_as_list(passage.vector), payload=_without_none(payload))


def vector_as_list(vector: Vector) -> list[float]:
    """A vector in the form that Qdrant expects."""
    return np.frombuffer(vector, "<f4").tolist()


def document_of(payload: Mapping[str, Any]) -> Document:
    """A document, from its point."""
    return Document(**{name: payload[name] for name in _DOCUMENT_FIELDS if name in payload})


def listed_of(payload: Mapping[str, Any]) -> DocumentInfo:
    """A document without its text."""
    return DocumentInfo(**{name: payload[name] for name in LISTED_FIELDS if name in payload})


def finding_of(passage: Mapping[str, Any], document: Mapping[str, Any], score: float) -> Finding:
    """A passage that was found, from its point and its document's."""
    found = Passage(
        number=passage["number"],
        start=passage["start"],
        end=passage["end"],
        text=passage["text"],
        place=passage["place"],
    )
    return Finding(
        ref=document["ref"], kind=document["kind"], title=document["title"], passage=found, score=score
    )


def _without_none(payload: dict[str, Any]) -> dict[str, Any]:
    """The fields that have a value: a point without an expiry has no such field."""
    return {name: value for name, value in payload.items() if value is not None}


_KEY_FIELDS = ("tenant", "customer", "ref", "kept_ms")
_VERSION_FIELDS = ("ref", "kind", "title", "version", "kept_ms")
_MOST_ROUNDS = 4


class QdrantDocuments:
    """Documents on a Qdrant server. A search is exact.

    The server has no transactions. A document is one point, which names its version. Its passages are points
    with that version's name; passages of other versions are never found. So one write replaces a document: the
    new passages are written first, then the document's point, then the old passages are deleted. An
    interruption leaves either the complete old document or the complete new one; the next ``put`` or ``delete``
    removes the rest. Only one process may write the same document at a time.

    A deletion uses the reverse order: passages first, so that after an interrupted deletion the document is
    still listed, and can be deleted again.

    Args:
        client: of the server; closed with the store.
        shown: the server's address, for errors.
        embedder: the name of the model that makes the vectors; vectors of another model are never found.
        width: the number of values in a vector.
    """

    def __init__(self, client: AsyncQdrantClient, *, shown: str, embedder: str, width: int) -> None:
        self._server = QdrantServer(client, shown, passages_collection(embedder, width), width)
        self._embedder, self._width = embedder, width
        self._writing = asyncio.Lock()

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document and replace the one with its ``ref``; the class describes the order of the writes."""
        check_passages(document, passages, self._width)
        version = version_of(document, passages, self._embedder)
        points = (passage_point(document, version, one) for one in passages)
        whole = document_point(document, version, len(passages), self._embedder, self._width)
        async with self._writing:
            await self._server.put_passages(points)
            await self._server.put_document(whole)
            await self._server.delete_passages(of_other_versions(document.tenant, document.ref, version))

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; see the port."""
        check_query_vector(vector, self._width)
        found: list[Finding] = []
        wanted = limit
        among = readable_by(tenant, customer, now_ms)
        for _ in range(_MOST_ROUNDS if limit > 0 else 0):
            near = await self._server.nearest(vector_as_list(vector), among, wanted)
            found = await self._current(tenant, near)
            # The search also found passages of other versions: left over, or replaced during the search.
            if len(found) >= limit or len(found) == len(near):
                break
            wanted *= 4
        return found[: max(limit, 0)]

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document, if this customer may read it; see the port."""
        for payload in await self._server.documents([point_id(tenant, ref)]):
            document = document_of(payload)
            expired = document.expires_ms is not None and document.expires_ms <= now_ms
            if document.customer in (ALL_CUSTOMERS, customer) and not expired:
                return document
        return None

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """All documents, oldest first: of one customer, or of the whole tenant if None."""
        among = of_tenant(tenant) if customer is None else of_customer(tenant, customer)
        listed = [listed_of(payload) for payload in await self._server.all_documents(among, LISTED_FIELDS)]
        return sorted(listed, key=lambda one: (one.kept_ms, one.ref))

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of documents with vectors of another embedder, oldest first; see the port."""
        among = of_other_embedders(self._embedder, self._width)
        payloads = await self._server.all_documents(among, _KEY_FIELDS)
        payloads.sort(key=lambda one: (one["kept_ms"], one["tenant"], one["ref"]))
        return [(one["tenant"], one["customer"], one["ref"]) for one in payloads]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages permanently. Returns whether it existed."""
        return await self._delete(of_document(tenant, ref)) > 0

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer permanently; returns their number."""
        return await self._delete(of_customer(tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        return await self._delete(expired_at(now_ms))

    async def close(self) -> None:
        """Finish pending work and close the connections."""
        async with self._writing:
            await self._server.close()

    async def _delete(self, which: Filter) -> int:
        async with self._writing:
            gone = await self._server.all_documents(which, _KEY_FIELDS)
            await self._server.delete_passages(which)
            await self._server.delete_documents([point_id(one["tenant"], one["ref"]) for one in gone])
        return len(gone)

    async def _current(self, tenant: str, near: Sequence[tuple[float, Payload]]) -> list[Finding]:
        """The passages that belong to the current version of their document."""
        refs = dict.fromkeys(passage["ref"] for _, passage in near)
        read = await self._server.documents([point_id(tenant, ref) for ref in refs], _VERSION_FIELDS)
        now = {document["ref"]: document for document in read}
        current = [
            (score, passage, now[passage["ref"]])
            for score, passage in near
            if passage["ref"] in now and now[passage["ref"]]["version"] == passage["version"]
        ]
        # Of equally near passages, the one that was stored first.
        current.sort(key=lambda one: (-one[0], one[2]["kept_ms"], one[2]["ref"], one[1]["number"]))
        return [finding_of(passage, document, score) for score, passage, document in current]
