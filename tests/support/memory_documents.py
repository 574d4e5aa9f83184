"""Documents and the queue of those that wait, in memory: in few lines what every store promises."""

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
    document_info,
)
from assistant.errors import StoreError
from assistant.store.documents.vectors import (
    check_passages,
    check_query_vector,
    cosine_scores,
    vectors_as_matrix,
)


@dataclass(frozen=True, slots=True)
class _Kept:
    document: Document
    passages: tuple[Passage, ...]

    def is_found_by(self, tenant: str, customer: str, now_ms: int) -> bool:
        theirs = self.document.tenant == tenant and self.document.customer in (ALL_CUSTOMERS, customer)
        return theirs and not has_expired(self.document, now_ms)


class MemoryDocuments:
    """Every document in one dict, every search a look at all of them. Gone with the process.

    Args:
        width: how many numbers a vector has.
    """

    def __init__(self, *, width: int) -> None:
        self._width = width
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._closed = False

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document in place of the one with its ``ref``. Raises ``StoreError``; see the port."""
        self._check_open()
        check_passages(document, passages, self._width)
        self._kept.pop((document.tenant, document.ref), None)  # the newest stands last
        self._kept[document.tenant, document.ref] = _Kept(document, tuple(passages))

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first; of equally near ones, the first that was kept."""
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
        """The whole document; None for one that is not there, has expired, or is another customer's."""
        self._check_open()
        kept = self._kept.get((tenant, ref))
        return kept.document if kept and kept.is_found_by(tenant, customer, now_ms) else None

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        self._check_open()
        theirs = [kept for kept in self._kept.values() if kept.document.tenant == tenant]
        found = [
            document_info(kept.document, len(kept.passages))
            for kept in theirs
            if customer in (None, kept.document.customer)
        ]
        return sorted(found, key=lambda one: (one.kept_ms, one.ref))

    async def stale(self) -> list[tuple[str, str, str]]:
        """Nothing: a store in memory knows one embedder alone."""
        self._check_open()
        return []

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages; whether it was there."""
        self._check_open()
        return self._kept.pop((tenant, ref), None) is not None

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all that is kept of a customer; gives the number of documents."""
        self._check_open()
        return self._forget([one for one in self._all() if (one.tenant, one.customer) == (tenant, customer)])

    async def expire(self, now_ms: int) -> int:
        """Delete what has expired; gives the number of documents."""
        self._check_open()
        return self._forget([one for one in self._all() if has_expired(one, now_ms)])

    async def close(self) -> None:
        """Answer no more."""
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
    """Whether a document is to be found no more: from the very millisecond on that it names."""
    return document.expires_ms is not None and document.expires_ms <= now_ms


@dataclass(slots=True)
class _Queued:
    waiting: QueuedDocument
    document: Document


class MemoryWriteQueue:
    """The queue as a dictionary; everything is gone with the process."""

    def __init__(self) -> None:
        self._kept: dict[int, _Queued] = {}
        self._numbers = count(1)

    async def add(self, document: Document, now_ms: int) -> None:
        """Let a document wait, in place of the one with its ``ref``."""
        await self.delete(document.tenant, document.ref)
        number = next(self._numbers)
        waiting = QueuedDocument(
            number=number, tenant=document.tenant, listed=document_info(document), due_ms=now_ms
        )
        self._kept[number] = _Queued(waiting, document)

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """Of these kinds the one that has been due the longest; None while none is."""
        due = [
            (one.waiting.due_ms, number)
            for number, one in self._kept.items()
            if one.document.kind in kinds and one.waiting.due_ms is not None and one.waiting.due_ms <= now_ms
        ]
        return self._kept[min(due)[1]].waiting if due else None

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """All that waits or has failed for good, longest first: of one customer alone, or of all for None."""
        return [
            one.waiting
            for one in self._kept.values()
            if tenant in (None, one.document.tenant) and customer in (None, one.document.customer)
        ]

    async def read(self, number: int) -> Document | None:
        """The document that waits under this number, whole; None when it does not any more."""
        one = self._kept.get(number)
        return one.document if one is not None else None

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, whole, if it waits or has failed, and this customer may read it."""
        for one in self._kept.values():
            if one.waiting.key == (tenant, ref) and one.document.customer in (ALL_CUSTOMERS, customer):
                return one.document
        return None

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """It failed: not again before then; None: never again."""
        if (one := self._kept.get(number)) is not None:
            one.waiting = replace(one.waiting, tries=one.waiting.tries + 1, problem=problem, due_ms=due_ms)

    async def remove(self, number: int) -> None:
        """It need not wait any longer; nothing happens when it does not."""
        self._kept.pop(number, None)

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget a document; whether it was there."""
        return bool(self._forget(lambda document: (document.tenant, document.ref) == (tenant, ref)))

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Forget all that waits of a customer; gives the documents' references."""
        return self._forget(lambda document: (document.tenant, document.customer) == (tenant, customer))

    async def expire(self, now_ms: int) -> int:
        """Forget what has expired; gives the number of documents."""
        return len(self._forget(lambda it: it.expires_ms is not None and it.expires_ms <= now_ms))

    async def close(self) -> None:
        """Nothing to close."""

    def _forget(self, which: Callable[[Document], bool]) -> list[str]:
        numbers = [number for number, one in self._kept.items() if which(one.document)]
        return [self._kept.pop(number).document.ref for number in numbers]
