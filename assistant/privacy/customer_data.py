"""Exports or erases all data of one customer."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from assistant.assembly.library import library_in
from assistant.assembly.long_calls import LongCallsElsewhere, temporal_of
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.conversation.codec import FORMAT, to_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.conversation.values import Json
from assistant.errors import StoreError
from assistant.ids import SystemIds
from assistant.jobs import Job, JobKind
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner
from assistant.privacy.retention import deletion_elsewhere
from assistant.settings import Settings
from assistant.store.sqlite.report_facts import REPORTS_FILE, SqliteFacts
from assistant.store.storage import Recording, Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """What was erased.

    ``left`` are recordings in other folders, which you must delete yourself. ``elsewhere`` are recordings on
    other machines, each with the name of the machine's data folder: a server or worker there deletes them.
    """

    conversations: int
    documents: int
    recordings: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether there was no data of this customer."""
        return not (self.conversations or self.documents or self.recordings or self.left or self.elsewhere)

    def __str__(self) -> str:
        return (
            f"{self.conversations} conversations, {self.documents} documents, "
            f"{len(self.recordings)} recordings"
        )


@dataclass(slots=True, kw_only=True)
class ErasureProgress:
    """A running erasure. ``problem``: why the documents could not be erased."""

    conversations: int = 0
    documents: int = 0
    recordings: list[Path] = field(default_factory=list[Path])
    left: list[Path] = field(default_factory=list[Path])
    elsewhere: list[str] = field(default_factory=list[str])
    problem: StoreError | None = None

    def ended(self) -> ErasureReport:
        """The report, if everything was erased. Otherwise raises ``StoreError``, which names the remaining data."""
        erased = ErasureReport(
            conversations=self.conversations,
            documents=self.documents,
            recordings=tuple(self.recordings),
            left=tuple(self.left),
            elsewhere=tuple(self.elsewhere),
        )
        if self.problem is None:
            return erased
        told = [
            f"not everything is erased: the documents are still where they were: {self.problem}",
            f"erased: {erased}",
            *(
                f"also recorded in {path}, which is not in the data folder: delete it yourself"
                for path in self.left
            ),
            "it is finished by itself when they can be reached and a server or worker runs; or ask again",
        ]
        raise StoreError("\n".join(told)) from self.problem


_ERASURE = "erasure"
_FINISHED_AFTER_S = 60.0
"""Seconds until a job checks whether everything is erased. Usually everything is, and the job is erased too."""


class OpenSessions(Protocol):
    """The conversations that are open in this process."""

    def without(self, tenant: str, customer: str) -> AbstractAsyncContextManager[object]:
        """Close a customer's conversations, and keep them closed until the block ends."""
        ...


class CustomerDataHolder(Protocol):
    """Another part of this process that holds a customer's data."""

    async def erase(self, tenant: str, customer: str) -> object:
        """Delete the customer's data, and write no more of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerData:
    """All data of customers in this installation: conversations, documents and recordings.

    If a visitor is identified as a customer, all their data belongs to that customer, from before and after.
    Data in the company's own systems is not included; tools only access it.

    Args:
        folder: the data folder, whose recordings may be erased.
        live: the open conversations of this process; None: it has none.
        others: other components of this process that must delete the data, after the conversations are closed.
    """

    storage: Storage
    library: Library
    clock: Clock
    folder: Path
    live: OpenSessions | None = None
    others: Sequence[CustomerDataHolder] = ()

    async def export(self, tenant: str, customer: str) -> dict[str, Json]:
        """All data as JSON: messages, all log entries, the full text of all documents, all recordings.

        For a recording on another machine it has the place, without the text. ``format`` is the format number
        of the entries. Raises ``LogError`` or ``StoreError`` if something could not be read.
        """
        conversations: list[Json] = []
        documents: list[Json] = []
        recordings: list[Json] = []
        for who in await self._ids_of(tenant, customer):
            ids = await self.storage.log.conversations(tenant, who)
            conversations += [await self._conversation(tenant, who, each) for each in ids]
            documents += await self._documents(tenant, who)
            recordings += [self._recording(one) for one in await self._recordings(tenant, who)]
        return {
            "format": FORMAT,
            "tenant": tenant,
            "customer": customer,
            "exported_at": self.clock.now().isoformat(timespec="seconds"),
            "conversations": conversations,
            "documents": documents,
            "recordings": recordings,
        }

    async def erase(self, tenant: str, customer: str) -> ErasureReport:
        """Erase all data permanently: no byte of it stays in the data folder.

        If the document store is not available, everything else is erased and ``StoreError`` names the remaining
        data. ``LogError`` means that the log could not be erased. In both cases, and if this process dies, a
        job tries again. You may also call this again.
        """
        return await self._erase(
            Job(kind=_ERASURE, tenant=tenant, customer=customer, lock=customer), again=True
        )

    @property
    def erasure_kind(self) -> JobKind:
        """The job that finishes the erasure of a customer; it retries for two days."""

        async def run(job: Job) -> None:
            await self._erase(job, again=False)

        return JobKind(name=_ERASURE, run=run, tries=60)

    async def _erase(self, job: Job, *, again: bool) -> ErasureReport:
        """Run this job. ``again``: queue the job before anything is erased, in case this process cannot finish
        it.
        """
        tenant, customer, erasing = job.tenant, job.customer, ErasureProgress()
        async with AsyncExitStack() as shut:
            for who in await self._ids_of(tenant, customer):
                if self.live is not None:
                    await shut.enter_async_context(self.live.without(tenant, who))
                if again:
                    await self.storage.jobs.later(job, _FINISHED_AFTER_S)
                for other in self.others:
                    await other.erase(tenant, who)
                # Last, because a visitor's log names the customer, and so leads to the other data.
                done = await self._erase_documents(tenant, who, erasing)
                await self._erase_files(tenant, who, erasing)
                if done or who == customer:
                    await self._leave_commitments(tenant, who)
                    erasing.conversations += await self.storage.log.erase(tenant, who)
                if who != customer or erasing.problem is None:
                    await self.storage.jobs.erase(tenant, who)
        return erasing.ended()

    async def _ids_of(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer here: visitor ids first, the company's own id last."""
        return [*await self.storage.log.visitors(tenant, customer), customer]

    async def _conversation(self, tenant: str, customer: str, conversation: str) -> Json:
        key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        entries = await self.storage.log.read(key)
        lines = transcript(ConversationState(entries))
        return {
            "conversation": conversation,
            "sample": key.is_sample,
            "began_at": _time(entries[0].at_ms) if entries else None,
            "transcript": [asdict(line) for line in lines],
            "entries": [to_json(logged) for logged in entries],
        }

    async def _documents(self, tenant: str, customer: str) -> list[Json]:
        listed = await self.library.documents(tenant, customer)
        kept = [await self.library.load(tenant, customer, one.ref) for one in listed]
        return [asdict(document) for document in kept if document is not None]

    async def _erase_documents(self, tenant: str, customer: str, erasing: ErasureProgress) -> bool:
        try:
            erasing.documents += await self.library.erase(tenant, customer)
        except StoreError as error:
            erasing.problem = error
            return False
        return True

    async def _leave_commitments(self, tenant: str, customer: str) -> None:
        """Keep a salted hash of each receipt, so that an issued receipt can still be proved genuine."""
        await self.storage.keyring.refresh()
        left: list[bytes] = []
        # Receipts may have been given out with the previous secret, too.
        for secret in self.storage.keyring.record.accepted:
            receipts = ReceiptMaker(self.storage.log.read, self.storage.bundles.read, ReceiptSigner(secret))
            for conversation in await self.storage.log.conversations(tenant, customer):
                key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
                if key.is_sample:
                    continue  # nothing stays of an example
                left += await receipts.commitments(key)
        await self.storage.records.keep_commitments(left, self.clock.now_ms())

    async def _erase_files(self, tenant: str, customer: str, erasing: ErasureProgress) -> None:
        for one in await self._recordings(tenant, customer):
            if not self._is_here(one):
                await self.storage.jobs.later(deletion_elsewhere(tenant, one))
                erasing.elsewhere.append(f"{one.path} on {one.place}")
            elif one.path.is_relative_to(self.folder.resolve()):
                one.path.unlink(missing_ok=True)
                erasing.recordings.append(one.path)
            else:
                erasing.left.append(one.path)
        await self.storage.credentials.erase(tenant, customer)
        await self.storage.deliveries.erase(tenant, customer)
        await self.storage.spending.erase(tenant, customer)
        await self.storage.audit.erase(tenant, customer)
        if (file := self.folder / REPORTS_FILE).exists():
            facts = SqliteFacts(file)
            await facts.erase(tenant, customer)
            await facts.close()

    async def _recordings(self, tenant: str, customer: str) -> list[Recording]:
        """The recordings that still exist, as far as this process can see."""
        noted = await self.storage.records.recordings(tenant, customer)
        return [one for one in noted if not self._is_here(one) or one.path.is_file()]

    def _recording(self, recording: Recording) -> Json:
        if not self._is_here(recording):
            return {"path": str(recording.path), "place": recording.place}
        return {"path": str(recording.path), "text": _read_text(recording.path)}

    def _is_here(self, recording: Recording) -> bool:
        return recording.place in ("", self.storage.place)


def _read_text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")


@asynccontextmanager
async def customer_data_in(settings: Settings, *, exclusive: bool = False) -> AsyncGenerator[CustomerData]:
    """The customer data of this installation and of its document store.

    Raises ``DeclarationError`` if there is no data, or if a setting is wrong; with ``exclusive``, also
    ``StorageInUse`` if a server uses the data.
    """
    clock = SystemClock(settings.time_zone)
    async with (
        open_storage(settings, clock, SystemIds(), exclusive=exclusive, create=False) as storage,
        library_in(settings, storage, clock) as library,
    ):
        temporal = temporal_of(settings)
        yield CustomerData(
            storage=storage,
            library=library,
            clock=clock,
            folder=settings.data_dir,
            others=(LongCallsElsewhere(storage.log, temporal),) if temporal is not None else (),
        )
