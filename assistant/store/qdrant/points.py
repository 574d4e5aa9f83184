"""Documents and passages as points, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from itertools import chain
from typing import Any

import numpy as np
from qdrant_client.models import PointStruct

from assistant.conversation.documents import Document, Finding, Listed, Passage, Vector
from assistant.store.qdrant.names import fingerprint, point_of

LISTED = [field.name for field in fields(Listed)]
"""What is read of a document's point to list it: not its text."""

_OF_A_DOCUMENT = [field.name for field in fields(Document)]


def version_of(document: Document, passages: Sequence[Passage], embedder: str) -> str:
    """A name for exactly this document with exactly these passages: put again, it is the same."""
    whole = asdict(document).values()
    pieces = chain.from_iterable(asdict(passage).values() for passage in passages)
    return fingerprint(embedder, *whole, *pieces)


def document_point(document: Document, version: str, passages: int, embedder: str, width: int) -> PointStruct:
    """A document, whole; its ``version`` says which passages are its own."""
    about = {
        "version": version,
        "passages": passages,
        "characters": len(document.text),
        "embedder": embedder,
        "width": width,
    }
    return PointStruct(
        id=point_of(document.tenant, document.ref), vector={}, payload=_said(asdict(document)) | about
    )


def passage_point(document: Document, version: str, passage: Passage) -> PointStruct:
    """A passage, with what a search sifts by."""
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
    point = point_of(document.tenant, document.ref, version, passage.number)
    return PointStruct(id=point, vector=numbers_of(passage.vector), payload=_said(payload))


def numbers_of(vector: Vector) -> list[float]:
    """A vector as Qdrant takes it."""
    return np.frombuffer(vector, "<f4").tolist()


def document_of(payload: Mapping[str, Any]) -> Document:
    """A document, from its point."""
    return Document(**{name: payload[name] for name in _OF_A_DOCUMENT if name in payload})


def listed_of(payload: Mapping[str, Any]) -> Listed:
    """A document without its text."""
    return Listed(**{name: payload[name] for name in LISTED if name in payload})


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


def _said(payload: dict[str, Any]) -> dict[str, Any]:
    """Without what is not said: a point without an expiry has no such field."""
    return {name: value for name, value in payload.items() if value is not None}
