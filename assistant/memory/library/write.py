"""Writes one document into the store: its passages, their vectors, the whole."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assistant.conversation.documents import Document, Passage
from assistant.memory.library.job import Job
from assistant.memory.library.pace import Pace
from assistant.memory.library.passages import passages
from assistant.memory.library.results import Results
from assistant.ports import Clock, DocumentStore, Embedder, WriteQueue

_AT_ONCE = 16
"""Passages whose vectors are made together: less than half a second on this machine."""

_QUICK = 20_000
"""Characters that are cut into passages in a few milliseconds; longer texts are cut in a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """All that writing needs. A job that is dropped ends with nothing written.

    Both ways raise ``StoreError``, ``EmbeddingError``, ``LogError`` and ``DocumentRefused``; then nothing has
    changed.
    """

    store: DocumentStore
    queue: WriteQueue
    embedder: Embedder
    results: Results
    clock: Clock

    async def waiting(self, number: int, job: Job, pace: Pace) -> None:
        """Write what waits under this number, and take it off the queue."""
        document = await self._whole(number)
        if document is not None and not self._has_expired(document):
            await self._put(document, job, pace)
        if not job.dropped:
            await self.queue.remove(number)

    async def anew(self, job: Job, pace: Pace) -> None:
        """Write what the store has, with vectors of today's embedder."""
        document = await self.store.get(job.tenant, job.customer, job.ref, now_ms=self.clock.now_ms())
        if document is not None:
            await self._put(document, job, pace)

    async def _whole(self, number: int) -> Document | None:
        """The document with its text; None for what was deleted, and for a call that had no result."""
        document = await self.queue.read(number)
        if document is None or document.kind != "result" or document.text:
            return document
        return await self.results.document(document.tenant, document.customer, document.ref)

    async def _put(self, document: Document, job: Job, pace: Pace) -> None:
        written = await self._with_vectors(document, job, pace)
        if not job.dropped:
            await self.store.put(document, written)

    def _has_expired(self, document: Document) -> bool:
        return document.expires_ms is not None and document.expires_ms <= self.clock.now_ms()

    async def _with_vectors(self, document: Document, job: Job, pace: Pace) -> list[Passage]:
        """The document's passages; as far as they have come when the job is dropped."""
        began = self.clock.monotonic()
        every = await self._passages(document)
        job.passages = len(every)
        written: list[Passage] = []
        while len(written) < len(every) and not job.dropped:
            some = every[len(written) : len(written) + _AT_ONCE]
            vectors = await self.embedder.embed([in_context(document, passage) for passage in some])
            written += [replace(it, vector=vector) for it, vector in zip(some, vectors, strict=True)]
            job.done = len(written)
            await pace.after(job, began)
            began = self.clock.monotonic()
        return written

    async def _passages(self, document: Document) -> Sequence[Passage]:
        if len(document.text) <= _QUICK:
            return passages(document)
        return await asyncio.to_thread(passages, document)


def in_context(document: Document, passage: Passage) -> str:
    """What is embedded: a passage may not say itself what it is about, but its document and headings do.

    Nothing is said twice: it would count for more than what the passage says.
    """
    title = document.title.replace("_", " ")
    about = [] if passage.text.startswith("#") or not passage.place else [passage.place]
    if not any(title in said for said in (*about, passage.text)):
        about.insert(0, title)
    return "\n".join((*about, passage.text))
