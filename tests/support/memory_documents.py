"""A document store and its write queue in memory: a short implementation of what every store must do."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from assistant.conversation.documents import (
    ALL_CUSTOMERS,
    Document,
    DocumentInfo,
    DocumentKind,
    Finding,
    Passage,
    QueuedDocument,
    Vector,
)
from assistant.errors import StoreError
from assistant.store.documents.vectors import (
    check_passages,
    check_query_vector,
    cosine_scores,
    vectors_as_matrix,
)


def document_info(document: Document, passages: int = 0) -> DocumentInfo:
    """Returns the document without its text; ``passages`` is the number of its passages."""
    return DocumentInfo(
        ref=document.ref,
        customer=document.customer,
        kind=document.kind,
        title=document.title,
        mime=document.mime,
        passages=passages,
        characters=len(document.text),
        origin=document.origin,
        kept_ms=document.kept_ms,
        expires_ms=document.expires_ms,
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    document: Document
    passages: tuple[Passage, ...]

    def is_found_by(self, tenant: str, customer: str, now_ms: int) -> bool:
        theirs = self.document.tenant == tenant and self.document.customer in (ALL_CUSTOMERS, customer)
        return theirs and not has_expired(self.document, now_ms)


class MemoryDocuments:
    """Keeps all documents in one dict; each search compares all passages. The documents end with the process.

    Args:
        width: the length of a vector.
    """

    def __init__(self, *, width: int) -> None:
        self._width = width
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._closed = False

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document in place of the one with its ``ref``. Raises ``StoreError``; see the port."""
        self._check_open()
        check_passages(document, passages, self._width)
        self._kept.pop((document.tenant, document.ref), None)  # the newest is last
        self._kept[document.tenant, document.ref] = _Kept(document, tuple(passages))

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; of equally near ones, the one stored first comes first."""
        self._check_open()
        check_query_vector(vector, self._width)
        found = [
            Finding(
                ref=kept.document.ref, kind=kept.document.kind, title=kept.document.title, passage=p, score=s
            )
            for kept in self._kept.values()
            if kept.is_found_by(tenant, customer, now_ms)
            for p, s in self._scored(kept.passages, vector)
        ]
        return sorted(found, key=lambda finding: -finding.score)[: max(limit, 0)]

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document; None if there is none, it has expired, or it belongs to another customer."""
        self._check_open()
        kept = self._kept.get((tenant, ref))
        return kept.document if kept and kept.is_found_by(tenant, customer, now_ms) else None

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """The stored documents, oldest first: of one customer, or of the whole tenant for None."""
        self._check_open()
        theirs = [kept for kept in self._kept.values() if kept.document.tenant == tenant]
        found = [
            document_info(kept.document, len(kept.passages))
            for kept in theirs
            if customer in (None, kept.document.customer)
        ]
        return sorted(found, key=lambda one: (one.kept_ms, one.ref))

    async def stale(self) -> list[tuple[str, str, str]]:
        """Always empty: a store in memory is used with one embedder only."""
        self._check_open()
        return []

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages; gives whether it existed."""
        self._check_open()
        return self._kept.pop((tenant, ref), None) is not None

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer; gives their number."""
        self._check_open()
        return self._forget([one for one in self._all() if (one.tenant, one.customer) == (tenant, customer)])

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents; gives their number."""
        self._check_open()
        return self._forget([one for one in self._all() if has_expired(one, now_ms)])

    async def close(self) -> None:
        """Close the store; later calls raise ``StoreError``."""
        self._closed = True

    def _all(self) -> Iterator[Document]:
        return (kept.document for kept in self._kept.values())

    def _forget(self, documents: Sequence[Document]) -> int:
        for one in documents:
            del self._kept[one.tenant, one.ref]
        return len(documents)

    def _scored(self, passages: Sequence[Passage], vector: Vector) -> list[tuple[Passage, float]]:
        import numpy as np

        rows = vectors_as_matrix(b"".join(passage.vector for passage in passages), self._width)
        scores = cosine_scores(rows, np.arange(len(rows)), vector)
        return [(replace(one, vector=b""), float(score)) for one, score in zip(passages, scores, strict=True)]

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("the store of documents is closed")


def has_expired(document: Document, now_ms: int) -> bool:
    """Whether a document has expired: it has at the very millisecond ``expires_ms``."""
    return document.expires_ms is not None and document.expires_ms <= now_ms


@dataclass(slots=True)
class _Queued:
    waiting: QueuedDocument
    document: Document


class MemoryWriteQueue:
    """The write queue as a dictionary; its content ends with the process."""

    def __init__(self) -> None:
        self._kept: dict[int, _Queued] = {}
        self._numbers = count(1)

    async def add(self, document: Document, now_ms: int) -> None:
        """Add a document to the queue, in place of the one with its ``ref``."""
        await self.delete(document.tenant, document.ref)
        number = next(self._numbers)
        waiting = QueuedDocument(
            number=number, tenant=document.tenant, listed=document_info(document), due_ms=now_ms
        )
        self._kept[number] = _Queued(waiting, document)

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """The document of these kinds that has been due for the longest time; None if none is due."""
        due = [
            (one.waiting.due_ms, number)
            for number, one in self._kept.items()
            if one.document.kind in kinds and one.waiting.due_ms is not None and one.waiting.due_ms <= now_ms
        ]
        return self._kept[min(due)[1]].waiting if due else None

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """All documents that wait or have failed finally, longest first: of one customer, or of all for None."""
        return [
            one.waiting
            for one in self._kept.values()
            if tenant in (None, one.document.tenant) and customer in (None, one.document.customer)
        ]

    async def read(self, number: int) -> Document | None:
        """The queued document with this number; None if it is not in the queue any more."""
        one = self._kept.get(number)
        return one.document if one is not None else None

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, if it waits or has failed and this customer may read it; else None."""
        for one in self._kept.values():
            if one.waiting.key == (tenant, ref) and one.document.customer in (ALL_CUSTOMERS, customer):
                return one.document
        return None

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """Note a failed attempt; the next one is at ``due_ms``, or never if that is None."""
        if (one := self._kept.get(number)) is not None:
            one.waiting = replace(one.waiting, tries=one.waiting.tries + 1, problem=problem, due_ms=due_ms)

    async def remove(self, number: int) -> None:
        """Remove a document from the queue; does nothing if it is not there."""
        self._kept.pop(number, None)

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document; gives whether it existed."""
        return bool(self._forget(lambda document: (document.tenant, document.ref) == (tenant, ref)))

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Delete all queued documents of a customer; gives their references."""
        return self._forget(lambda document: (document.tenant, document.customer) == (tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Delete expired documents; gives their number."""
        return len(self._forget(lambda it: it.expires_ms is not None and it.expires_ms <= now_ms))

    async def close(self) -> None:
        """Do nothing."""

    def _forget(self, which: Callable[[Document], bool]) -> list[str]:
        numbers = [number for number, one in self._kept.items() if which(one.document)]
        return [self._kept.pop(number).document.ref for number in numbers]
