"""Document libraries for tests: a fake embedding model, fake stores that can fail, a small complete library."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from zlib import crc32

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import (
    ALL_CUSTOMERS,
    Document,
    DocumentInfo,
    Finding,
    Passage,
    Vector,
    result_ref,
)
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.values import Json
from assistant.errors import EmbeddingError, StoreError
from assistant.language.words import content_stems
from assistant.memory.library import DocumentState, Library, LibraryDocument
from assistant.models.embedder import unit
from assistant.ports import Clock
from assistant.store.memory_log import MemoryLog
from tests.support.memory_documents import MemoryDocuments, MemoryWriteQueue, document_info

WIDTH = 256


class FakeEmbedder:
    """Each word has its own component in the vector. ``embedded`` has all texts so far, in order.

    Args:
        name: the name as in the settings.
        clock: measures the time that a request takes.
        text_s: seconds that one text takes.
        fails: how many requests fail at first.
    """

    def __init__(
        self, name: str = "fake", *, clock: Clock | None = None, text_s: float = 0.0, fails: int = 0
    ) -> None:
        self.embedded: list[str] = []
        self.fails = fails
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self._name, self._clock, self._text_s = name, clock, text_s

    @property
    def name(self) -> str:
        """The name as in the settings."""
        return self._name

    @property
    def width(self) -> int:
        """The length of a vector."""
        return WIDTH

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, once ``may_go_on`` is set.

        Raises ``EmbeddingError`` for the first ``fails`` requests.
        """
        await self.may_go_on.wait()
        if self._clock is not None:
            await self._clock.sleep(self._text_s * len(texts))
        if self.fails:
            self.fails -= 1
            raise EmbeddingError("the embedding model is away")
        self.embedded += texts
        return [_vector(text) for text in texts]


def _vector(text: str) -> Vector:
    numbers = [0.0] * WIDTH
    numbers[0] = 0.1  # a text without words has a vector too
    for stem in content_stems(text):
        numbers[crc32(stem.encode()) % (WIDTH - 1) + 1] += 1
    return unit(numbers)


_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?!\n))+")


class FakeLibrary:
    """Documents of many customers, in memory; each paragraph is a passage.

    ``searched`` has every question with who asked, in order: (tenant, customer, question). ``kept`` has every
    document passed to ``keep``.
    """

    def __init__(self, *documents: Document) -> None:
        self._documents = {(each.tenant, each.ref): each for each in documents}
        self.searched: list[tuple[str, str, str]] = []
        self.kept: list[Document] = []

    async def keep(self, document: Document) -> None:
        """Store a document in place of the one with its ``ref``; it can be found from now on."""
        self.kept.append(document)
        self._documents[document.tenant, document.ref] = document

    async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
        """Passages by the share of the question's words that they contain; those without any are left out."""
        self.searched.append((tenant, customer, question))
        asked = set(content_stems(question))
        found = [
            _found(document, passage, shared / len(asked))
            for document in self._readable(tenant, customer)
            for passage in _passages(document)
            if (shared := len(asked & set(content_stems(passage.text))))
        ]
        return sorted(found, key=lambda finding: -finding.score)[:limit]

    async def load(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The whole document; None if there is none or if it belongs to another customer."""
        return next((each for each in self._readable(tenant, customer) if each.ref == ref), None)

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """The stored documents, oldest first: of one customer, or of the whole tenant for None."""
        return [
            document_info(each, len(list(_passages(each))))
            for each in self._documents.values()
            if each.tenant == tenant and customer in (None, each.customer)
        ]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document; gives whether it existed."""
        return self._documents.pop((tenant, ref), None) is not None

    def _readable(self, tenant: str, customer: str) -> Iterator[Document]:
        for each in self._documents.values():
            if each.tenant == tenant and each.customer in (ALL_CUSTOMERS, customer):
                yield each


def _found(document: Document, passage: Passage, score: float) -> Finding:
    return Finding(ref=document.ref, kind=document.kind, title=document.title, passage=passage, score=score)


def _passages(document: Document) -> Iterator[Passage]:
    for number, found in enumerate(_PARAGRAPH.finditer(document.text)):
        yield Passage(number=number, start=found.start(), end=found.end(), text=found[0].strip())


_DAY_MS = 24 * 3600 * 1000


class FakeKeeper:
    """Documents in memory, by tenant and ref. A customer's file is kept for ``upload_days``."""

    upload_days = 90

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Document] = {}
        self._listed: dict[str, LibraryDocument] = {}
        self.away = False

    @property
    def texts(self) -> list[str]:
        """The texts of the stored documents, in the order in which they were added."""
        return [document.text for document in self.held.values()]

    async def keep(self, document: Document) -> None:
        """Store a document in place of the one with its ``ref``."""
        if document.kind == "upload" and document.expires_ms is None:
            document = replace(document, expires_ms=document.kept_ms + self.upload_days * _DAY_MS)
        self.held[document.tenant, document.ref] = document
        self._listed[document.ref] = LibraryDocument(**asdict(document_info(document)), state="waiting")

    def went(self, ref: str, state: DocumentState, problem: str = "") -> None:
        """Set the state of a document."""
        self._listed[ref] = replace(self._listed[ref], state=state, problem=problem)

    async def documents(self, tenant: str, customer: str | None = None) -> list[LibraryDocument]:
        """A tenant's documents, or only this ``customer``'s. Raises ``StoreError`` while it is ``away``."""
        if self.away:
            raise StoreError("nobody answers")
        return [
            self._listed[document.ref]
            for document in self.held.values()
            if document.tenant == tenant and customer in (None, document.customer)
        ]

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document; gives whether it existed."""
        return self.held.pop((tenant, ref), None) is not None


class FallibleDocuments(MemoryDocuments):
    """Documents in memory.

    While it is ``away``, every call raises ``StoreError``. ``put`` raises ``refuses[ref]`` for a ``ref`` in
    there. ``old`` has the documents of another embedder; ``looks`` counts how often they were asked for.
    ``put_refs`` has the refs of the documents passed to ``put``, in order.
    """

    def __init__(self) -> None:
        super().__init__(width=WIDTH)
        self.away = False
        self.refuses: dict[str, Exception] = {}
        self.old: list[tuple[str, str, str]] = []
        self.looks = 0
        self.put_refs: list[str] = []

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document, unless it is refused."""
        self._be_there()
        if document.ref in self.refuses:
            raise self.refuses[document.ref]
        await super().put(document, passages)
        self.put_refs.append(document.ref)
        self.old = [one for one in self.old if one[2] != document.ref]

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document."""
        self._be_there()
        return await super().get(tenant, customer, ref, now_ms=now_ms)

    async def stale(self) -> list[tuple[str, str, str]]:
        """The documents of another embedder."""
        self._be_there()
        self.looks += 1
        return self.old

    def _be_there(self) -> None:
        if self.away:
            raise StoreError("the store is away")


class FallibleWrites(MemoryWriteQueue):
    """A queue in memory that can be ``away``."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False

    async def waiting(self, tenant: str | None = None, customer: str | None = None):
        """All documents in the queue."""
        if self.away:
            raise StoreError("the queue is away")
        return await super().waiting(tenant, customer)


class SmallLibrary(Library):
    """A library with its stores in memory. It keeps results for 90 days, uploads for 30."""

    def __init__(self, clock: Clock, embedder: FakeEmbedder) -> None:
        self.clock, self.embedder = clock, embedder
        self.store, self.queue, self.log = FallibleDocuments(), FallibleWrites(), MemoryLog()
        super().__init__(
            self.store,
            self.queue,
            embedder,
            self.log,
            clock,
            keep_results_days=90,
            keep_uploads_days=30,
        )

    async def ends(self, key: ConversationKey, outcome: Outcome, turn_id: str = "t1") -> str:
        """End a call and keep its snapshot, so that its result, if any, is queued; gives the result's reference."""
        seq = len(await self.log.read(key)) + 1
        await self.log.append(key, [Logged(seq, self.clock.now_ms(), turn_id, CallEnded(outcome=outcome))])
        ref = result_ref(key.conversation, turn_id, outcome.call.id)
        waiting = Document(
            ref=ref,
            tenant=key.tenant,
            customer=key.customer,
            kind="result",
            title=outcome.call.tool,
            text="",
            mime="application/json",
            conversation=key.conversation,
            kept_ms=self.clock.now_ms(),
        )
        await self.queue.add(waiting, self.clock.now_ms())
        return ref


def gave(value: Json, call_id: str = "c1.1", tool: str = "list_orders") -> CallSucceeded:
    """The outcome of a successful call."""
    return CallSucceeded(call=Call(id=call_id, tool=tool), value=value)
