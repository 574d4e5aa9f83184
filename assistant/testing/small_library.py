"""A library in memory, whose parts a test can look into and take away."""

from collections.abc import Sequence

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document, Passage, result_ref
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.values import Json
from assistant.errors import StoreError
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.store.documents.memory import MemoryDocuments
from assistant.store.memory_log import MemoryLog
from assistant.store.write_queue import MemoryWrites
from assistant.testing.fake_embedder import WIDTH, FakeEmbedder


class FallibleDocuments(MemoryDocuments):
    """Documents in memory.

    While it is ``away`` it answers nothing; documents in ``refuses`` raise what stands there. ``old`` are those
    that another embedder made, asked for ``looks`` times; ``put_refs`` those that were put, in order.
    """

    def __init__(self) -> None:
        super().__init__(width=WIDTH)
        self.away = False
        self.refuses: dict[str, Exception] = {}
        self.old: list[tuple[str, str, str]] = []
        self.looks = 0
        self.put_refs: list[str] = []

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document, unless it is refused."""
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
        """What another embedder made."""
        self._be_there()
        self.looks += 1
        return self.old

    def _be_there(self) -> None:
        if self.away:
            raise StoreError("the store is away")


class FallibleWrites(MemoryWrites):
    """A queue in memory that can be ``away``."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False

    async def waiting(self, tenant: str | None = None, customer: str | None = None):
        """All that waits."""
        if self.away:
            raise StoreError("the queue is away")
        return await super().waiting(tenant, customer)


class SmallLibrary(Library):
    """A library with what it stands on: results are kept for 90 days, uploads for 30."""

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
        """A call ends and its snapshot is kept, so that its result waits, if it has one; gives its reference."""
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
    """A call that went well."""
    return CallSucceeded(call=Call(id=call_id, tool=tool), value=value)
