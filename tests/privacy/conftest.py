"""Data folders as they are after some use, with all data of customers in them."""

from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Document
from assistant.errors import StoreError
from assistant.memory.library import Library
from assistant.privacy.customer_data import CustomerData
from assistant.reports.collect import StoredFacts
from assistant.storage_ports import DeliveryAttempt, Log
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.sqlite.report_facts import REPORTS_FILE, SqliteFacts
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.store.storage import Recording, Storage
from assistant.testing.counted_ids import CountedIds
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from tests.privacy.planted import Words, conversation
from tests.support.library import WIDTH, FakeEmbedder


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


class Away(SqliteDocuments):
    """Documents in the log's file; erases none of a customer in ``refuses``."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, embedder="fake", width=WIDTH)
        self.refuses: set[str] = set()

    async def erase(self, tenant: str, customer: str) -> int:
        if customer in self.refuses:
            raise StoreError("the store is away")
        return await super().erase(tenant, customer)


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A data folder that is open, as a server has it."""

    folder: Path
    storage: Storage
    store: Away
    library: Library
    embedder: FakeEmbedder
    clock: VirtualClock
    customers: CustomerData

    @property
    def log(self) -> Log:
        """The log of conversations."""
        return self.storage.log

    async def moves_in(
        self, word: Words, customer: str, *, tenant: str = "shop", known_as: str | None = None
    ) -> None:
        """A customer leaves words of theirs in every kind of place."""
        key = ConversationKey(tenant=tenant, customer=customer, conversation=word("conversation's id"))
        await self.log.append(key, conversation(word, known_as=known_as, at_ms=self.clock.now_ms()))
        self.library.start()
        await self.library.keep(_upload(key, word, "written"))
        await self.library.written()
        await self.library.close()
        failed = _upload(key, word, "failed")
        await self.library.keep(failed)
        number = next(
            one.number for one in await self.storage.writes.waiting() if one.listed.ref == failed.ref
        )
        await self.storage.writes.put_off(number, word("what was wrong with it"), None)
        await self.library.keep(_upload(key, word, "waiting"))
        await self._recorded(key, word)

    async def _recorded(self, key: ConversationKey, word: Words) -> None:
        path = self.folder / "recordings" / f"{word.of}.conversation.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(word("recording"))
        await self.storage.records.note_recording(key, Recording(path))
        await self.storage.deliveries.begin(["handoff"], key, 3)
        tried = DeliveryAttempt(
            receiver="crm",
            key=key,
            event_id=f"{key.conversation}/1",
            event="test",
            at_ms=1,
            status=200,
            took_ms=1,
        )
        await self.storage.deliveries.add_attempt(tried)
        facts = SqliteFacts(self.folder / REPORTS_FILE)
        await facts.keep("1", {key: StoredFacts(last_ms=1, facts=b"[]", days={"2026-11-01": 1})})
        await facts.close()


def _upload(key: ConversationKey, word: Words, state: str) -> Document:
    return Document(
        ref=f"document:{word.of}-{state}",
        tenant=key.tenant,
        customer=key.customer,
        kind="upload",
        title=word(f"title of the {state} file"),
        text=" ".join(
            [word(f"text of the {state} file"), "padding " * 2_000, word(f"end of the {state} file")]
        ),
        conversation=key.conversation,
        origin=word(f"origin of the {state} file"),
    )


@asynccontextmanager
async def opened(folder: Path) -> AsyncGenerator[DataFolder]:
    """The installation with this data folder."""
    clock, embedder = VirtualClock(), FakeEmbedder()
    async with open_sqlite_storage(folder, clock, CountedIds()) as storage:
        store = Away(folder / "log.db")
        library = Library(
            store, storage.writes, embedder, storage.log, clock, keep_results_days=90, keep_uploads_days=90
        )
        customers = CustomerData(storage=storage, library=library, clock=clock, folder=folder)
        try:
            yield DataFolder(folder, storage, store, library, embedder, clock, customers)
        finally:
            await library.close()
            await store.close()


@pytest.fixture
async def data_folder(tmp_path: Path) -> AsyncGenerator[DataFolder, None]:
    """An installation without any conversation."""
    async with opened(tmp_path) as data_folder:
        yield data_folder
