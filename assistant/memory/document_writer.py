"""Writes documents into the library: passages with their vectors, and the full results of calls."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, TypeAlias

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document, DocumentKind, Passage, QueuedDocument, parse_result_ref
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.outcomes import CallSucceeded
from assistant.errors import AssistantError, DocumentRefused
from assistant.formats.json_text import json_text
from assistant.memory.passages import cut_passages
from assistant.ports import Clock, Embedder
from assistant.storage_ports import DocumentStore, Log, WriteQueue

_DAY_MS = 86_400_000


def expiry_ms(start_ms: int, days: int | None) -> int | None:
    """Returns the time ``days`` after ``start_ms``, or None if ``days`` is None, which means that nothing
    expires.

    >>> expiry_ms(1_000, 1), expiry_ms(1_000, None)
    (86401000, None)
    """
    return None if days is None else start_ms + days * _DAY_MS


@dataclass(frozen=True, slots=True)
class ResultDocuments:
    """Reads the full results of calls from the log.

    A result can be read until the retention time of its tenant is over, which starts when the call ended.
    """

    log: Log
    clock: Clock
    keep: "Callable[[str], KeepDays]"

    async def document(self, tenant: str, customer: str, ref: str) -> Document | None:
        """Returns a call's full result.

        Returns None if there is none, if it belongs to another customer, or if it has expired.

        Data are returned as JSON text; a text is returned unchanged. Raises ``LogError``.
        """
        place = parse_result_ref(ref)
        if place is None:
            return None
        conversation, turn_id, call_id = place
        key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        for logged in reversed(await self.log.read(key)):
            result = _result(logged, turn_id, call_id)
            if result is not None:
                expires_ms = expiry_ms(logged.at_ms, self.keep(tenant).results)
                if expires_ms is not None and expires_ms <= self.clock.now_ms():
                    return None
                is_text = isinstance(result.value, str)
                return Document(
                    ref=ref,
                    tenant=tenant,
                    customer=customer,
                    kind="result",
                    title=result.call.tool,
                    text=result.value if isinstance(result.value, str) else json_text(result.value),
                    mime="text/plain" if is_text else "application/json",
                    conversation=conversation,
                    kept_ms=logged.at_ms,
                    expires_ms=expires_ms,
                )
        return None


def _result(logged: Logged, turn_id: str, call_id: str) -> CallSucceeded | None:
    """Returns the full result of this call, if this entry is its end."""
    if logged.turn_id != turn_id or not isinstance(logged.entry, CallEnded):
        return None
    outcome = logged.entry.outcome
    if not isinstance(outcome, CallSucceeded) or outcome.call.id != call_id or outcome.full_ref:
        return None
    return outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepDays:
    """For how many days tools' results and customers' files can be found; None: without limit."""

    results: int | None
    uploads: int | None


@dataclass(eq=False, slots=True)
class Job:
    """A document that is being written; ``done`` of its ``passages`` have vectors.

    ``hurry`` is set if a search waits for it, ``dropped`` if it was deleted, ``ended`` at the end.
    """

    tenant: str
    customer: str
    ref: str
    done: int = 0
    passages: int = 0
    dropped: bool = False
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def key(self) -> tuple[str, str]:
        """The tenant and the reference, which identify the document."""
        return self.tenant, self.ref

    def drop(self) -> None:
        """Make the job end soon, without writing anything."""
        self.dropped = True
        self.hurry.set()


@dataclass(frozen=True, slots=True)
class RateLimit:
    """After each step, pauses ``rest`` times as long as the step took: with 9, the work uses a tenth of one
    core.
    """

    clock: Clock
    rest: float = 0.0

    async def after(self, job: Job, began: float) -> None:
        """Pause after a step that began at ``began`` on the clock's ``monotonic``. There is no pause while a
        search waits for this job.
        """
        rest_s = self.rest * (self.clock.monotonic() - began)
        if rest_s > 0 and not job.hurry.is_set() and not job.dropped:
            with suppress(TimeoutError):
                async with self.clock.timeout(rest_s):
                    await job.hurry.wait()


_FIRST_PAUSE_S = 10
_LONGEST_PAUSE_S = 600
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """Why an attempt failed, as text for an operator, and the seconds until the next attempt; if
    ``pause_s`` is None, there is no further attempt.
    """

    problem: str
    pause_s: int | None


def decide_retry(error: Exception, tries: int) -> RetryDecision:
    """Returns the reaction to an error after this number of failures.

    If a store or a model cannot be reached, the pauses grow up to ten minutes. If a document cannot be
    written, it is given up: immediately if it was refused, after five attempts if the error is unexpected.

    >>> decide_retry(AssistantError("the store is away"), 2)
    RetryDecision(problem='the store is away', pause_s=40)
    """
    if isinstance(error, AssistantError):
        pause_s = None if isinstance(error, DocumentRefused) else _pause_s(tries)
        return RetryDecision(str(error), pause_s)
    # The text of a third party's error may quote the document, so only its type is used.
    problem = f"writing it ended with {type(error).__name__}, an unexpected error"
    return RetryDecision(problem, None if tries + 1 >= _MOST_TRIES else _pause_s(tries))


def _pause_s(tries: int) -> int:
    return min(_FIRST_PAUSE_S * 2 ** min(tries, 10), _LONGEST_PAUSE_S)


_BATCH_PASSAGES = 16
"""The number of passages that are embedded together: less than half a second on the machine where it was
measured."""

_CUT_IN_LOOP_CHARACTERS = 20_000
"""Texts of at most this length are cut into passages in a few milliseconds. Longer ones are cut in a
thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentIndexer:
    """Cuts, embeds and stores one document. A dropped job ends without writing anything.

    Both methods raise ``StoreError``, ``EmbeddingError``, ``LogError`` and ``DocumentRefused``. After an
    error, nothing has changed.
    """

    store: DocumentStore
    queue: WriteQueue
    embedder: Embedder
    results: ResultDocuments
    clock: Clock

    async def waiting(self, number: int, job: Job, pace: RateLimit) -> None:
        """Write the queued document with this number, and remove it from the queue."""
        document = await self._whole(number)
        if document is not None and not self._has_expired(document):
            await self._put(document, job, pace)
        if not job.dropped:
            await self.queue.remove(number)

    async def reindex(self, job: Job, pace: RateLimit) -> None:
        """Write a stored document again, with vectors of the current embedder."""
        document = await self.store.get(job.tenant, job.customer, job.ref, now_ms=self.clock.now_ms())
        if document is not None:
            await self._put(document, job, pace)

    async def _whole(self, number: int) -> Document | None:
        """Returns the document with its text, or None if it was deleted, or if the call had no result."""
        document = await self.queue.read(number)
        if document is None or document.kind != "result" or document.text:
            return document
        return await self.results.document(document.tenant, document.customer, document.ref)

    async def _put(self, document: Document, job: Job, pace: RateLimit) -> None:
        written = await self._with_vectors(document, job, pace)
        if not job.dropped:
            await self.store.put(document, written)

    def _has_expired(self, document: Document) -> bool:
        return document.expires_ms is not None and document.expires_ms <= self.clock.now_ms()

    async def _with_vectors(self, document: Document, job: Job, pace: RateLimit) -> list[Passage]:
        """Returns the document's passages with vectors; if the job is dropped, only those that are ready."""
        began = self.clock.monotonic()
        every = await self._passages(document)
        job.passages = len(every)
        written: list[Passage] = []
        while len(written) < len(every) and not job.dropped:
            some = every[len(written) : len(written) + _BATCH_PASSAGES]
            vectors = await self.embedder.embed([embedding_text(document, passage) for passage in some])
            written += [replace(it, vector=vector) for it, vector in zip(some, vectors, strict=True)]
            job.done = len(written)
            await pace.after(job, began)
            began = self.clock.monotonic()
        return written

    async def _passages(self, document: Document) -> Sequence[Passage]:
        if len(document.text) <= _CUT_IN_LOOP_CHARACTERS:
            return cut_passages(document)
        return await asyncio.to_thread(cut_passages, document)


def embedding_text(document: Document, passage: Passage) -> str:
    """Returns the text to embed: the passage with its document's title and headings, which may name its
    subject.

    The title and headings are not added if the passage contains them, because repeated words would have more
    weight.
    """
    title = document.title.replace("_", " ")
    about = [] if passage.text.startswith("#") or not passage.place else [passage.place]
    if not any(title in said for said in (*about, passage.text)):
        about.insert(0, title)
    return "\n".join((*about, passage.text))


log = structlog.get_logger(__name__)

_Lane: TypeAlias = Literal["given", "results"]

_POLL_S = 10.0
"""How often, in seconds, the writer looks for new results, which the log does not announce, and for
retries."""

_KINDS: Final[dict[_Lane, Sequence[DocumentKind]]] = {
    "given": ("upload", "knowledge"),
    "results": ("result",),
}
_REST_FACTOR: Final[dict[_Lane, float]] = {"given": 0.0, "results": 9.0}


class DocumentWriter:
    """Writes queued documents in two lanes: people's files at full speed, results with a tenth of one core.

    A result that a search waits for moves to the first lane. A failed document stays in the queue and is
    tried again later; the others continue. Documents of another embedder are written again when no file of
    people is waiting.
    """

    def __init__(self, write: DocumentIndexer) -> None:
        self._write, self._clock = write, write.clock
        self._jobs: dict[tuple[str, str], Job] = {}
        self._wanted: dict[tuple[str, str], QueuedDocument] = {}
        self._woken: dict[_Lane, asyncio.Event] = {"given": asyncio.Event(), "results": asyncio.Event()}
        self._moved = asyncio.Event()
        self._lanes: list[asyncio.Task[None]] = []
        self._wanted_only = False
        self._stale_left = True
        self._stale: list[tuple[str, str, str]] | None = None

    def start(self, *, wanted_only: bool = False) -> None:
        """Start to write queued documents. Does nothing if the writer has already started.

        If ``wanted_only`` is True, it writes only documents that a search of this process waits for; other
        processes write the rest.
        """
        if not self._lanes:
            self._wanted_only = wanted_only
            lanes: Sequence[_Lane] = ("given",) if wanted_only else ("given", "results")
            self._lanes = [asyncio.create_task(self._run_lane(lane)) for lane in lanes]

    async def close(self) -> None:
        """Stop immediately. The next process repeats unfinished work."""
        lanes, self._lanes = self._lanes, []
        for lane in lanes:
            lane.cancel()
        if lanes:
            await asyncio.wait(lanes)

    def wake(self) -> None:
        """Let all lanes check the queue now."""
        for woken in self._woken.values():
            woken.set()

    def job(self, key: tuple[str, str]) -> Job | None:
        """Returns the current job for this tenant and reference."""
        return self._jobs.get(key)

    async def prioritize(self, waiting: Sequence[QueuedDocument]) -> None:
        """Write these documents before all others. Returns when each has been written or has failed."""
        for one in waiting:
            if (job := self._jobs.get(one.key)) is not None:
                job.hurry.set()
            else:
                self._wanted[one.key] = one
        self._woken["given"].set()
        while any(one.key in self._wanted or one.key in self._jobs for one in waiting):
            await self.wait_for_progress()

    async def wait_for_progress(self) -> None:
        """Return when the next document has been written or has failed, or after a timeout."""
        self._moved.clear()
        await self._wait_or_poll(self._moved)

    async def drop_jobs(self, which: Callable[[tuple[str, str, str]], bool]) -> None:
        """Stop writing the documents that ``which`` selects by tenant, customer and reference. After it
        returns, none of them is being written.
        """
        self._wanted = {key: one for key, one in self._wanted.items() if not which(one.whose)}
        dropped = [job for job in self._jobs.values() if which((job.tenant, job.customer, job.ref))]
        for job in dropped:
            job.drop()
        for job in dropped:
            await job.ended.wait()

    async def _run_lane(self, lane: _Lane) -> None:
        pace, woken = RateLimit(self._clock, _REST_FACTOR[lane]), self._woken[lane]
        while True:
            woken.clear()
            try:
                if not await self._write_next(lane, pace):
                    await self._wait_or_poll(woken)
            except Exception as error:
                # Whatever fails in the queue or the store, the lane must continue afterwards.
                log.warning("documents that wait cannot be looked up", why=f"{type(error).__name__}: {error}")
                await self._wait_or_poll(woken)

    async def _write_next(self, lane: _Lane, pace: RateLimit) -> bool:
        """Write the next document. Returns False if there is none."""
        waiting = await self._next(lane)
        if waiting is None:
            idle = lane == "results" or self._wanted_only or not self._stale_left
            return not idle and await self._reindex_next(pace)
        return await self._run_job(Job(*waiting.whose), pace, partial(self._write_waiting, waiting))

    async def _next(self, lane: _Lane) -> QueuedDocument | None:
        if lane == "given" and self._wanted:
            return self._wanted.pop(next(iter(self._wanted)))
        if self._wanted_only:
            return None
        return await self._write.queue.next(_KINDS[lane], self._clock.now_ms())

    async def _write_waiting(self, waiting: QueuedDocument, job: Job, pace: RateLimit) -> None:
        try:
            await self._write.waiting(waiting.number, job, pace)
        except Exception as error:
            # A document that cannot be written must not block the others.
            failed = decide_retry(error, waiting.tries)
            log.warning("document not written", ref=job.ref, why=failed.problem, again_in_s=failed.pause_s)
            pause_ms = None if failed.pause_s is None else 1000 * failed.pause_s
            due_ms = None if pause_ms is None else self._clock.now_ms() + pause_ms
            await self._write.queue.put_off(waiting.number, failed.problem, due_ms)

    async def _reindex_next(self, pace: RateLimit) -> bool:
        """Write one document of another embedder again. Returns False if there is none.

        The store is asked only once for all of them, because no new ones appear. Those that could not be
        written are tried again after the next query.
        """
        if self._stale is None:
            self._stale = [*reversed(await self._write.store.stale())]
            self._stale_left = bool(self._stale)
        if not self._stale:
            self._stale = None
            return False
        return await self._run_job(Job(*self._stale.pop()), pace, self._write.reindex)

    async def _run_job(
        self, job: Job, pace: RateLimit, work: Callable[[Job, RateLimit], Awaitable[None]]
    ) -> bool:
        """Run a job. If the other lane already writes this document, wait for it instead."""
        if (other := self._jobs.get(job.key)) is not None:
            if not pace.rest:
                other.hurry.set()
            await other.ended.wait()
            return True
        if self._wanted.pop(job.key, None) is not None:
            job.hurry.set()
        self._jobs[job.key] = job
        try:
            await work(job, pace)
        finally:
            del self._jobs[job.key]
            job.ended.set()
            self._moved.set()
        return True

    async def _wait_or_poll(self, event: asyncio.Event) -> None:
        """Wait for the event, at most ``_POLL_S``."""
        with suppress(TimeoutError):
            async with self._clock.timeout(_POLL_S):
                await event.wait()
