"""All that is kept of one customer: given out as data, or erased."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from assistant.conversation.codec import to_json
from assistant.conversation.documents import Document
from assistant.conversation.people import ConversationKey
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import transcript
from assistant.conversation.values import Json
from assistant.memory.library.library import Library
from assistant.ports import Clock, Log
from assistant.store.deliveries import SqliteDeliveries
from assistant.store.recordings import recordings_of


class Erasable(Protocol):
    """Where something is kept by customer that is not for them to read."""

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase what is kept of them for good; gives how much it was."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was erased. ``left``: recordings that lie elsewhere, which whoever put them there must delete."""

    conversations: int
    documents: int
    recordings: tuple[Path, ...]
    left: tuple[Path, ...]

    @property
    def nothing(self) -> bool:
        """Whether nothing was known of this customer."""
        return not (self.conversations or self.documents or self.recordings or self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomerData:
    """What is kept of customers in this house: conversations, documents and recordings.

    What the company's own systems know of them is not ours: tools only reach it.

    Args:
        folder: the data folder, whose recordings are ours to erase.
        first: what holds customers' data in this process, or writes of them, and must let go before the rest.
    """

    log: Log
    library: Library
    clock: Clock
    folder: Path
    first: Sequence[Erasable] = ()

    async def export(self, tenant: str, customer: str) -> dict[str, Json]:
        """Everything, as JSON: what was said, every entry behind it, every document in full, every recording."""
        conversations = await self.log.conversations(tenant, customer)
        listed = await self.library.documents(tenant, customer)
        kept = [await self.library.load(tenant, customer, one.ref) for one in listed]
        recordings = await asyncio.to_thread(self._recordings, tenant, customer)
        return {
            "tenant": tenant,
            "customer": customer,
            "exported_at": self.clock.now().isoformat(timespec="seconds"),
            "conversations": [await self._conversation(tenant, customer, each) for each in conversations],
            "documents": [_document(document) for document in kept if document is not None],
            "recordings": [{"path": str(path), "text": _text(path)} for path in recordings],
        }

    async def erase(self, tenant: str, customer: str) -> Erased:
        """Erase everything, for good: no byte of it is left in the data folder.

        Raises ``LogError`` or ``StoreError`` where something could not be; then ask again.
        """
        for each in self.first:
            await each.erase(tenant, customer)
        recordings = await asyncio.to_thread(self._recordings, tenant, customer)
        ours = tuple(path for path in recordings if path.is_relative_to(self.folder.resolve()))
        for path in ours:
            path.unlink(missing_ok=True)
        documents = await self.library.erase(tenant, customer)
        await self._erase_deliveries(tenant, customer)
        return Erased(
            conversations=await self.log.erase(tenant, customer),
            documents=documents,
            recordings=ours,
            left=tuple(path for path in recordings if path not in ours),
        )

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

    async def _erase_deliveries(self, tenant: str, customer: str) -> None:
        file = self.folder / "deliveries.db"
        if file.is_file():
            deliveries = SqliteDeliveries(file)
            try:
                await deliveries.erase(tenant, customer)
            finally:
                await deliveries.close()

    def _recordings(self, tenant: str, customer: str) -> list[Path]:
        """The recordings that are still there."""
        noted = recordings_of(self.folder / "log.db", tenant, customer)
        return [path for path in noted if path.is_file()]


def _document(document: Document) -> Json:
    return asdict(document)


def _text(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="seconds")
