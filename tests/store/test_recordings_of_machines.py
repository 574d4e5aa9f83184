"""Recordings in the data folders of two machines are deleted on the machine that has them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.assembly.storage import open_storage
from assistant.background import NoSessions, job_kinds
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged, TurnEnded, TurnStarted
from assistant.ids import SystemIds
from assistant.memory.library import Library
from assistant.privacy.customer_data import CustomerData, ErasureReport
from assistant.privacy.retention import delete_expired
from assistant.settings import Settings
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.storage import Recording, Storage
from tests.support.library import WIDTH, FakeEmbedder

ANA = ConversationKey(tenant="demo", customer="ana", conversation="c1")
A_TURN = (
    CustomerMessage(message_id="m1", client_message_id="x1", text="Hi"),
    TurnStarted(turn_id="t1", message_id="m1", cause="message", bundle="b"),
    TurnEnded(turn_id="t1", how="answered"),
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A server with a data folder of its own."""

    settings: Settings
    storage: Storage
    customers: CustomerData

    async def record(self, path: Path) -> Path:
        """Record Ana's conversation."""
        path.write_text("Hi")
        await self.storage.records.note_recording(ANA, Recording(path, self.storage.place))
        return path

    async def run_jobs_until(self, so: Callable[[], bool]) -> None:
        """Run background work until this holds."""
        kinds = job_kinds(self.settings, self.customers, NoSessions(), [])
        running = asyncio.create_task(self.storage.jobs.run(kinds))
        async with asyncio.timeout(20):
            while not so():  # noqa: ASYNC110 - files do not tell
                await asyncio.sleep(0.05)
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running


@pytest.fixture
async def machines(database: str, tmp_path: Path) -> AsyncIterator[list[Machine]]:
    """Two machines with one database."""
    async with AsyncExitStack() as in_the_end:
        both = list[Machine]()
        for name in ("one", "two"):
            settings = Settings.model_validate(
                {"data_dir": tmp_path / name, "database": database, "keep_conversations_days": 1}
            )
            clock = SystemClock()
            storage = await in_the_end.enter_async_context(open_storage(settings, clock, SystemIds()))
            documents = PgvectorDocuments(database, embedder="fake", width=WIDTH)
            in_the_end.push_async_callback(documents.close)
            library = Library(
                documents,
                storage.writes,
                FakeEmbedder(),
                storage.log,
                clock,
                keep_results_days=None,
                keep_uploads_days=None,
            )
            customers = CustomerData(storage=storage, library=library, clock=clock, folder=settings.data_dir)
            both.append(Machine(settings, storage, customers))
        await both[0].storage.log.append(
            ANA, [Logged(n, n, "t1", entry) for n, entry in enumerate(A_TURN, 1)]
        )
        yield both


async def test_erasing_a_customer_deletes_recordings_of_the_other_machine(
    machines: list[Machine], tmp_path: Path
) -> None:
    one, two = machines
    here = await one.record(tmp_path / "one" / "a.conversation.yaml")
    there = await two.record(tmp_path / "two" / "a.conversation.yaml")

    given = await one.customers.export("demo", "ana")
    assert given["recordings"] == [
        {"path": str(here), "text": "Hi"},
        {"path": str(there), "place": two.storage.place},
    ]
    erased = await one.customers.erase("demo", "ana")

    assert erased == ErasureReport(
        conversations=1,
        documents=0,
        recordings=(here,),
        elsewhere=(f"{there} on {two.storage.place}",),
    )
    assert (here.exists(), there.exists()) == (False, True)
    await two.run_jobs_until(lambda: not there.exists())


async def test_expired_recordings_of_the_other_machine_are_deleted_there(
    machines: list[Machine], tmp_path: Path
) -> None:
    one, two = machines
    there = await two.record(tmp_path / "two" / "a.conversation.yaml")
    named = await two.record(tmp_path / "named.conversation.yaml")

    # The conversation is from 1970.
    gone = await delete_expired(one.settings, one.storage, one.customers.library, NoSessions(), SystemClock())
    assert (gone["conversations"], gone["recordings"]) == (1, 0)
    assert there.exists()

    with capture_logs() as logs:
        await two.run_jobs_until(
            lambda: not there.exists() and any("still exists" in one["event"] for one in logs)
        )
    assert await one.storage.records.orphaned_recordings() == []
    assert named.exists()


async def test_a_data_folder_keeps_its_place_name(machines: list[Machine]) -> None:
    one, two = machines
    async with open_storage(one.settings, SystemClock(), SystemIds(), exclusive=False) as command:
        assert command.place == one.storage.place
    assert one.storage.place != two.storage.place


async def test_a_machine_without_a_data_folder_has_its_own_name(
    machines: list[Machine], tmp_path: Path
) -> None:
    settings = machines[0].settings.model_copy(update={"data_dir": tmp_path / "none"})
    async with open_storage(settings, SystemClock(), SystemIds(), exclusive=False, create=False) as command:
        assert machines[0].storage.place.startswith(f"{command.place}-")
    assert not (tmp_path / "none").exists()
