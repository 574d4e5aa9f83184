"""Documents, passages and vectors for the tests that every document store must pass."""

import math
from array import array
from collections.abc import Sequence
from typing import Protocol

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentKind, Passage, Vector
from assistant.storage_ports import DocumentStore

DURABLE: tuple[str, ...] = ("sqlite", "pgvector", "qdrant")
"""The stores that keep their data after the process ends. The fixture ``<name>_documents`` opens each of
them."""

EVERY = ("memory", *DURABLE)

WIDTH = 8
"""The length of vectors in tests for which the length does not matter."""

TENANT = "acme"


class OpensStore(Protocol):
    """Opens a store. Each call opens the same stored documents again."""

    async def __call__(self, *, embedder: str = "fake", width: int = WIDTH) -> DocumentStore:
        """A store for vectors of this embedder. Close the store that was opened before first."""
        ...


def towards(*numbers: float, width: int = WIDTH) -> Vector:
    """A vector of length 1 in this direction. Components that are not given are 0."""
    return vector([*numbers, *[0.0] * (width - len(numbers))])


def vector(numbers: Sequence[float]) -> Vector:
    """These numbers, scaled to a vector of length 1."""
    length = math.hypot(*numbers)
    return array("f", [number / length for number in numbers]).tobytes()


def leaning(cosine: float, *, width: int = WIDTH) -> Vector:
    """A vector whose cosine with ``towards(1)`` is ``cosine``."""
    return towards(cosine, math.sqrt(1 - cosine * cosine), width=width)


def document(
    ref: str = "document:1",
    customer: str = ALL_CUSTOMERS,
    *,
    tenant: str = TENANT,
    kind: DocumentKind = "knowledge",
    text: str = "You may send anything back for thirty days.",
    kept_ms: int = 1_000,
    expires_ms: int | None = None,
) -> Document:
    """A document with a value in every field."""
    return Document(
        ref=ref,
        tenant=tenant,
        customer=customer,
        kind=kind,
        title=f"Title of {ref}",
        text=text,
        mime="text/markdown",
        conversation="c1",
        origin=f"shelf/{ref}.md",
        kept_ms=kept_ms,
        expires_ms=expires_ms,
    )


def passages(*vectors: Vector, text: str = "for thirty days") -> list[Passage]:
    """One passage for each vector, numbered in order."""
    return [
        Passage(number=n, start=10 * n, end=10 * n + 9, text=f"{text} {n}", place=f"page {n + 1}", vector=one)
        for n, one in enumerate(vectors)
    ]
