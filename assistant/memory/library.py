"""The library: documents are stored, indexed in the background, found by meaning, and loaded in full."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import structlog

from assistant.conversation.documents import Document, DocumentInfo, Finding, QueuedDocument
from assistant.errors import DocumentRefused, StoreError
from assistant.memory.document_writer import (
    DocumentIndexer,
    DocumentWriter,
    KeepDays,
    ResultDocuments,
    expiry_ms,
)
from assistant.ports import Clock, Embedder
from assistant.storage_ports import DocumentStore, Log, WriteQueue

DocumentState: TypeAlias = Literal["waiting", "kept", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryDocument(DocumentInfo):
    """A document with its state.

    ``waiting``: it is stored, but a search does not find it yet. ``kept``: a search finds it. ``failed``: it
    will never be found, for the reason in ``problem``. A waiting document may also have a problem; then it is
    tried again. ``done`` of its ``passages`` have vectors; both are 0 before work on it begins.
    """

    state: DocumentState = "kept"
    problem: str = ""
    done: int = 0


def from_store(listed: DocumentInfo) -> LibraryDocument:
    """Returns a document from the store."""
    return LibraryDocument(**asdict(listed), done=listed.passages)


def from_queue(waiting: QueuedDocument, done: int, passages: int) -> LibraryDocument:
    """Returns a document from the queue."""
    state: DocumentState = "failed" if waiting.due_ms is None else "waiting"
    listed = replace(waiting.listed, passages=passages)
    return LibraryDocument(**asdict(listed), state=state, problem=waiting.problem, done=done)


log = structlog.get_logger(__name__)

_SEARCH_WAIT_S = 0.3
"""How long, in seconds, a search waits for the indexing of this customer's newest documents."""


class Library:
    """Stores, finds and loads documents. Only a search makes a customer wait.

    Results are added without a call of this class: when the log stores a snapshot, it queues the full result.
    All methods except ``start`` raise ``StoreError`` if the store or the queue does not answer.

    Args:
        store: the store of documents and their passages.
        queue: the durable queue of documents that are not indexed yet.
        embedder: makes the vectors of passages and questions.
        log: has the full results.
        clock: the time for expiry, and for pauses in the background.
        keep_results_days: after this number of days a result is not found any more; None: never.
        keep_uploads_days: the same for customers' files that have no expiry of their own.
        keep_by_tenant: the days for tenants with their own settings.

    Attributes:
        embedder: the same embedder, for other code that compares meanings.
    """

    def __init__(
        self,
        store: DocumentStore,
        queue: WriteQueue,
        embedder: Embedder,
        log: Log,
        clock: Clock,
        *,
        keep_results_days: int | None,
        keep_uploads_days: int | None,
        keep_by_tenant: Mapping[str, KeepDays] = MappingProxyType({}),
    ) -> None:
        self._store, self._queue, self._clock = store, queue, clock
        self.embedder = embedder
        days = KeepDays(results=keep_results_days, uploads=keep_uploads_days)
        self._keep: Callable[[str], KeepDays] = lambda tenant: keep_by_tenant.get(tenant, days)
        self._results = ResultDocuments(log, clock, self._keep)
        self._erased: dict[tuple[str, str], int] = {}
        write = DocumentIndexer(
            store=store, queue=queue, embedder=embedder, results=self._results, clock=clock
        )
        self._writer = DocumentWriter(write)

    def start(self, *, wanted_only: bool = False) -> None:
        """Start to write queued documents, including those of an earlier process.

        If ``wanted_only`` is True, this process writes only documents that one of its searches waits for;
        other processes write the rest.
        """
        self._writer.start(wanted_only=wanted_only)

    async def close(self) -> None:
        """Stop writing immediately. The next process continues. The store and the queue stay open."""
        await self._writer.close()

    async def keep(self, document: Document) -> None:
        """Store a document, in place of the one with the same ``ref``. When this returns, it is on disk.

        It can be loaded immediately, and found later: see ``documents``. Raises ``DocumentRefused`` if its
        customer has been erased in the meantime.
        """
        now_ms = self._clock.now_ms()
        if 0 < document.kept_ms <= self._erased.get((document.tenant, document.customer), -1):
            raise DocumentRefused(
                "its customer was erased while it came; hand it in again if it is to be kept"
            )
        document = replace(document, kept_ms=document.kept_ms or now_ms)
        if document.kind == "upload" and document.expires_ms is None:
            days = self._keep(document.tenant).uploads
            document = replace(document, expires_ms=expiry_ms(document.kept_ms, days))
        await self._queue.add(document, now_ms)
        self._writer.wake()

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """Returns the passages most similar to a question that this customer may read, most similar first.

        Queued documents of this customer are written first, if that takes only a moment. In addition to
        ``StoreError``, it raises ``EmbeddingError`` if the vector of the question cannot be computed.
        """
        [vector], _ = await asyncio.gather(
            self.embedder.embed([question]), self._write_first(tenant, customer)
        )
        return await self._store.search(tenant, customer, vector, limit=limit, now_ms=self._clock.now_ms())

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """Returns the whole document.

        Returns None if it does not exist, has expired, or belongs to another customer.

        It is searched in the store, in the queue and, for a result, in the log. If the store fails, the
        others are still searched; ``StoreError`` is raised only if they do not have it.
        """
        away: StoreError | None = None
        try:
            document = await self._store.get(tenant, customer, ref, now_ms=self._clock.now_ms())
            if document is not None:
                return document
        except StoreError as error:
            away = error
        document = await self._queue.get(tenant, customer, ref)
        if document is not None and document.text:
            return document if not self._has_expired(document) else None
        document = await self._results.document(tenant, customer, ref)
        if document is None and away is not None:
            raise away
        return document

    async def documents(self, tenant: str, customer: str | None = None) -> list[LibraryDocument]:
        """Returns the stored and queued documents, oldest first: of one customer only, or of the whole
        tenant.
        """
        coming = await self._queue.waiting(tenant, customer)
        found = [from_queue(one, *self._progress(one.key)) for one in coming]
        refs = {one.ref for one in found}
        stored = await self._store.documents(tenant, customer)
        every = [*(from_store(one) for one in stored if one.ref not in refs), *found]
        return sorted(every, key=lambda one: one.kept_ms)

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document permanently, stored or queued. Returns whether it existed.

        A result stays in its conversation as long as the conversation is kept.
        """
        waited = await self._queue.delete(tenant, ref)
        await self._writer.drop_jobs(lambda whose: (whose[0], whose[2]) == (tenant, ref))
        return await self._store.delete(tenant, ref) or waited

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer permanently. Returns their number. Raises ``ValueError`` for all
        customers.
        """
        if not customer:
            raise ValueError(
                "whose documents are to be erased? '' means everybody's: delete these one by one"
            )
        self._erased[tenant, customer] = self._clock.now_ms()
        waiting = set(await self._queue.erase(tenant, customer))
        await self._writer.drop_jobs(lambda whose: whose[:2] == (tenant, customer))
        waiting -= {one.ref for one in await self._store.documents(tenant, customer)}
        erased = await self._store.erase(tenant, customer)
        # Documents that were being embedded again had been read before the first erasure, so erase once more.
        await self._writer.drop_jobs(lambda whose: whose[:2] == (tenant, customer))
        return len(waiting) + erased + await self._store.erase(tenant, customer)

    async def expire(self) -> int:
        """Delete all expired documents permanently. Returns their number."""
        now_ms = self._clock.now_ms()
        return await self._queue.expire(now_ms) + await self._store.expire(now_ms)

    async def written(self) -> None:
        """Wait until no document is queued any more. Failed documents do not count.

        Meanwhile all documents are written at full speed. If the store or the embedding model fails, it keeps
        waiting.
        """
        self.start()
        while waiting := [one for one in await self._queue.waiting() if one.due_ms is not None]:
            now_ms = self._clock.now_ms()
            due = [one for one in waiting if one.due_ms is not None and one.due_ms <= now_ms]
            await (self._writer.prioritize(due) if due else self._writer.wait_for_progress())

    async def _write_first(self, tenant: str, customer: str) -> None:
        try:
            async with self._clock.timeout(_SEARCH_WAIT_S):
                now_ms = self._clock.now_ms()
                waiting = await self._queue.waiting(tenant, customer)
                await self._writer.prioritize(
                    [one for one in waiting if one.due_ms is not None and one.due_ms <= now_ms]
                )
        except TimeoutError:
            log.info("searched without what is still being written")
        except StoreError as error:
            log.warning("searched without what waits", why=str(error))

    def _progress(self, key: tuple[str, str]) -> tuple[int, int]:
        job = self._writer.job(key)
        return (job.done, job.passages) if job is not None else (0, 0)

    def _has_expired(self, document: Document) -> bool:
        return document.expires_ms is not None and document.expires_ms <= self._clock.now_ms()
