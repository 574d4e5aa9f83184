"""Where documents wait, are kept, and are found by meaning."""

from collections.abc import Sequence
from typing import Protocol

from assistant.conversation.documents import Document, DocumentKind, Finding, Listed, Passage, Vector
from assistant.conversation.writes import Waiting


class Embedder(Protocol):
    """Turns texts into vectors, whose nearness is that of their meanings."""

    @property
    def name(self) -> str:
        """As the operator wrote it; vectors of one are never compared with those of another."""
        ...

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order, without holding up the loop. Raises ``EmbeddingError``."""
        ...


class DocumentStore(Protocol):
    """Where documents and their passages are kept. Every question says whose they are.

    All methods but ``close`` raise ``StoreError`` when the store does not answer; then nothing was changed.
    """

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document in place of the one with its ``ref``, all or nothing; durable when it returns."""
        ...

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first, of what this customer may read: their own and everybody's.

        What has expired is not found.
        """
        ...

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document; None for one that is not there, has expired, or is another customer's."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> list[Listed]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        ...

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of what another embedder made, oldest first: not found until it is put again."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages for good; whether it was there."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all that is kept of a customer, for good; gives the number of documents."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Delete what has expired, for good; gives the number of documents."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...


class WriteQueue(Protocol):
    """What waits to be written into the document store, durably; each document once.

    All methods but ``close`` raise ``StoreError`` when the queue does not answer; then nothing was changed.
    """

    async def add(self, document: Document, now_ms: int) -> None:
        """Let a document wait, in place of the one with its ``ref``; durable when it returns.

        A result may come without its text, which then stands in the log.
        """
        ...

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> Waiting | None:
        """Of these kinds the one that has been due the longest; None while none is."""
        ...

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[Waiting]:
        """All that waits or has failed for good, longest first: of one customer alone, or of all for None."""
        ...

    async def read(self, number: int) -> Document | None:
        """The document that waits under this number, whole; None when it does not any more."""
        ...

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, whole, if it waits or has failed, and this customer may read it."""
        ...

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """It failed: not again before then; None: never again."""
        ...

    async def remove(self, number: int) -> None:
        """It need not wait any longer; nothing happens when it does not."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget a document for good; whether it was there."""
        ...

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Forget all that waits of a customer, for good; gives the documents' references."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Forget what has expired, for good; gives the number of documents."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the queue."""
        ...
