"""Exports or erases everything that is kept of one customer."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from assistant.assembly.library import library_in
from assistant.clock import SystemClock
from assistant.conversation.codec import FORMAT, to_json
from assistant.conversation.customer import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.conversation.values import Json
from assistant.errors import DeclarationError, StoreError
from assistant.memory.library import Library
from assistant.ports import Clock, Log
from assistant.privacy.receipts import ReceiptMaker, open_receipt_maker
from assistant.settings import Settings
from assistant.store.credentials import erase_credentials
from assistant.store.deliveries import SqliteDeliveries
from assistant.store.erasure import keep_commitments, list_recordings
from assistant.store.sqlite_log import SqliteLog


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReport:
    """What was erased. ``left``: recordings in other folders, which you must delete yourself."""

    conversations: int
    documents: int
    recordings: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing was known of this customer."""
        return not (self.conversations or self.documents or self.recordings or self.left)

    def __str__(self) -> str:
        return (
            f"{self.conversations} conversations, {self.documents} documents, "
            f"{len(self.recordings)} recordings"
        )


@dataclass(slots=True, kw_only=True)
class ErasureProgress:
    """An erasure under way. ``problem``: why the documents could not be erased."""

    conversations: int = 0
    documents: int = 0
    recordings: list[Path] = field(default_factory=list[Path])
    left: list[Path] = field(default_factory=list[Path])
    problem: StoreError | None = None

    def ended(self) -> ErasureReport:
        """What was erased, when that is all. Raises ``StoreError`` when it is not, and says what is left."""
        erased = ErasureReport(
            conversations=self.conversations,
            documents=self.documents,
            recordings=tuple(self.recordings),
            left=tuple(self.left),
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
            "ask again when they can be reached: that finishes it",
        ]
        raise StoreError("\n".join(told)) from self.problem


class OpenSessions(Protocol):
    """The conversations that are open in this process."""

    def without(self, tenant: str, customer: str) -> AbstractAsyncContextManager[object]:
        """Close a customer's conversations; none of them is opened until the block ends."""
        ...


class CustomerDataHolder(Protocol):
    """Another part of this process that holds a customer's data."""

    async def erase(self, tenant: str, customer: str) -> object:
        """Drop the data, and write none of it any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerData:
    """What this installation keeps of customers: conversations, documents and recordings.

    A visitor who turned out to be a customer is that customer, with all that they did before and after.
    What the company's own systems know of them is not ours: tools only reach it.

    Args:
        folder: the data folder, whose recordings are ours to erase.
        live: the conversations of this process; None: it has none.
        others: other parts of this process that must drop the data, once the conversations are closed.
        receipts: makes the receipts of which an erasure leaves commitments; None leaves none.
    """

    log: Log
    library: Library
    clock: Clock
    folder: Path
    live: OpenSessions | None = None
    others: Sequence[CustomerDataHolder] = ()
    receipts: ReceiptMaker | None = None

    async def export(self, tenant: str, customer: str) -> dict[str, Json]:
        """Everything, as JSON: what was said, every entry behind it, every document in full, every recording.

        ``format`` is the number of the form of the entries. Raises ``LogError`` or ``StoreError`` where something
        could not be read.
        """
        conversations: list[Json] = []
        documents: list[Json] = []
        recordings: list[Json] = []
        for who in await self._ids_of(tenant, customer):
            ids = await self.log.conversations(tenant, who)
            conversations += [await self._conversation(tenant, who, each) for each in ids]
            documents += await self._documents(tenant, who)
            noted = await asyncio.to_thread(self._recordings, tenant, who)
            recordings += [{"path": str(path), "text": _read_text(path)} for path in noted]
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
        """Erase everything, for good: no byte of it is left in the data folder.

        Where the place of the documents is away, all else is erased. Raises ``StoreError`` then, which says what
        is left, and ``LogError`` when the log could not be: ask again.
        """
        erasing = ErasureProgress()
        async with AsyncExitStack() as shut:
            for who in await self._ids_of(tenant, customer):
                if self.live is not None:
                    await shut.enter_async_context(self.live.without(tenant, who))
                for other in self.others:
                    await other.erase(tenant, who)
                # Last: a visitor's log says which customer it was, and leads to the rest.
                done = await self._erase_documents(tenant, who, erasing)
                await self._erase_files(tenant, who, erasing)
                if done or who == customer:
                    await self._leave_commitments(tenant, who)
                    erasing.conversations += await self.log.erase(tenant, who)
        return erasing.ended()

    async def _ids_of(self, tenant: str, customer: str) -> list[str]:
        """Under which numbers they are known here: visitors first, the company's own last."""
        return [*await self.log.visitors(tenant, customer), customer]

    async def _conversation(self, tenant: str, customer: str, conversation: str) -> Json:
        entries = await self.log.read(
            ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
        )
        lines = transcript(ConversationState(entries))
        return {
            "conversation": conversation,
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
        """Keep a salted hash of each receipt, so that one that was given out before can still be proved genuine."""
        if self.receipts is None:
            return
        left: list[bytes] = []
        for conversation in await self.log.conversations(tenant, customer):
            key = ConversationKey(tenant=tenant, customer=customer, conversation=conversation)
            left += await asyncio.to_thread(self.receipts.commitments, key)
        erased_ms = self.clock.now_ms()
        await asyncio.to_thread(keep_commitments, self.receipts.log, left, erased_ms)

    async def _erase_files(self, tenant: str, customer: str, erasing: ErasureProgress) -> None:
        for path in await asyncio.to_thread(self._recordings, tenant, customer):
            if path.is_relative_to(self.folder.resolve()):
                path.unlink(missing_ok=True)
                erasing.recordings.append(path)
            else:
                erasing.left.append(path)
        kept = self.folder / "credentials.db"
        if kept.is_file():
            await erase_credentials(kept, tenant, customer)
        file = self.folder / "deliveries.db"
        if file.is_file():
            deliveries = SqliteDeliveries(file)
            try:
                await deliveries.erase(tenant, customer)
            finally:
                await deliveries.close()

    def _recordings(self, tenant: str, customer: str) -> list[Path]:
        """The recordings that are still there."""
        noted = list_recordings(self.folder / "log.db", tenant, customer)
        return [path for path in noted if path.is_file()]


def _read_text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")


@asynccontextmanager
async def customer_data_in(settings: Settings) -> AsyncGenerator[CustomerData]:
    """What is kept of customers in the data folder, and where its documents are.

    Raises ``DeclarationError`` when there is nothing, or a setting is wrong.
    """
    log = existing_log(settings)
    clock = SystemClock(settings.time_zone)
    async with AsyncExitStack() as in_the_end:  # last come, first closed
        entries = SqliteLog(log)
        in_the_end.push_async_callback(entries.close)
        library = await in_the_end.enter_async_context(library_in(settings, entries, clock))
        yield CustomerData(
            log=entries,
            library=library,
            clock=clock,
            folder=settings.data_dir,
            receipts=open_receipt_maker(settings.data_dir),
        )


def existing_log(settings: Settings) -> Path:
    """The log of the data folder. Raises ``DeclarationError`` when there is none: nothing is made for looking."""
    log = settings.data_dir / "log.db"
    if not log.is_file():
        raise DeclarationError(f"there is no {log}: is ASSISTANT_DATA_DIR right, and has it served before?")
    return log
