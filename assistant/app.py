"""The composition root: builds everything that the settings name. Only this module chooses the real adapters."""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial

from assistant.assembly.config_builder import Press
from assistant.assembly.handoff_backends import handoffs_of
from assistant.assembly.hot_reload import EVERY_S, LiveConfig, warm, watch
from assistant.assembly.knowledge_folder import Knowledge, knowledge_folder, look_once
from assistant.assembly.library import library_in
from assistant.assembly.models import is_embedded
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.conversation.customer import Customer
from assistant.ids import SystemIds
from assistant.memory.file_reader import read_file
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.privacy.customer_data import CustomerData
from assistant.privacy.retention import run_retention
from assistant.prompts.utterances import OfflineNote
from assistant.sessions.cluster import Cluster
from assistant.sessions.handoff import HandoffRegistry
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.store.storage import Storage
from assistant.turn.context import TurnDependencies

_PATIENCE_S = 4.0
"""So long running turns may go on when we stop, and then their calls: both within a supervisor's usual ten."""

TENANT = "demo"
DEMO_CUSTOMER = Customer(tenant=TENANT, id="demo", level="verified", name="Ana Lindqvist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """The running assistant with all its parts."""

    settings: Settings
    editions: LiveConfig
    sessions: SessionRegistry
    handoffs: HandoffRegistry | None
    library: Library
    customers: CustomerData
    storage: Storage
    clock: Clock
    ids: SystemIds

    @property
    def parts(self) -> TurnDependencies:
        """What new conversations use. A conversation that has begun keeps the version that its session began
        with.
        """
        return self.editions.newest.parts

    @property
    def note(self) -> str:
        """A small note under the chat about the embedded demo model; "" for any other model."""
        return self.parts.book.render(OfflineNote()) if is_embedded(self.settings.model) else ""


@asynccontextmanager
async def open_assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    """Build the assistant, continue unfinished conversations of an earlier process, and clean up at the end.

    Raises ``DeclarationError`` when a setting, tool or template is wrong, or the data folder is in use.
    """
    async with AsyncExitStack() as in_the_end:  # last come, first closed
        clock, ids = SystemClock(settings.time_zone, settings.now), SystemIds()
        storage = await in_the_end.enter_async_context(open_storage(settings, clock, ids))
        in_the_end.enter_context(known_to_tools(settings))
        handoffs = await handoffs_of(settings, storage, clock, ids)
        library = await in_the_end.enter_async_context(library_in(settings, storage, clock))
        press = Press(
            settings, clock, handoffs=handoffs, secret=storage.secret, library=library, tenant=TENANT
        )
        in_the_end.push_async_callback(press.close)
        editions = await LiveConfig.open(press, storage.bundles, clock)
        editions.use_servers()
        warming = asyncio.create_task(warm(editions.newest))
        in_the_end.push_async_callback(asyncio.wait, {warming})
        attach = handoffs.attach if handoffs is not None else None
        cluster = None
        if storage.leases is not None:
            cluster = Cluster(storage.leases, storage.log, clock, settings.lease_s)
            await cluster.beat()
            in_the_end.push_async_callback(cluster.close)
        sessions = SessionRegistry(
            editions,
            storage.log,
            epoch="1",
            takeover=attach,
            credentials=storage.credentials,
            cluster=cluster,
        )
        in_the_end.push_async_callback(sessions.close, _PATIENCE_S)
        if handoffs is not None:
            in_the_end.push_async_callback(handoffs.close)
        if settings.hot_reload:
            folders = [press.folders.prompts, press.folders.tools]
            if press.folders.policies.is_dir():
                folders.append(press.folders.policies)
            watching = asyncio.create_task(watch(folders, editions.look, clock))
            in_the_end.push_async_callback(_stop, watching)
        if cluster is None:
            await sessions.resume_unfinished()
        library.start()
        behind = [
            *([cluster.run(sessions)] if cluster is not None else []),
            run_retention(settings, storage, library, sessions, clock),
            knows(settings, library, clock),
        ]
        for each in behind:
            in_the_end.push_async_callback(_stop, asyncio.create_task(each))
        customers = CustomerData(
            storage=storage,
            library=library,
            clock=clock,
            folder=settings.data_dir,
            live=sessions,
            others=(handoffs,) if handoffs is not None else (),
        )
        yield Assistant(
            settings=settings,
            editions=editions,
            sessions=sessions,
            handoffs=handoffs,
            library=library,
            customers=customers,
            storage=storage,
            clock=clock,
            ids=ids,
        )


@contextmanager
def known_to_tools(settings: Settings) -> Generator[None]:
    """Set environment variables for tools: the data folder and the clock's start. Tools can read only the
    environment.

    The demo CRM keeps its file in the data folder and uses our clock, also if ``.env`` sets them.
    """
    told = {"ASSISTANT_DATA_DIR": str(settings.data_dir)}
    if settings.now is not None:
        told["ASSISTANT_NOW"] = settings.now.isoformat()
    before = {name: os.environ.get(name) for name in told}
    os.environ.update(told)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


async def knows(settings: Settings, library: Library, clock: Clock) -> None:
    """Keep the library equal to the folder of the company's documents, which may be created later."""
    folder = knowledge_folder(settings)
    knowledge = Knowledge(folder, TENANT, library, partial(read_file, clock=clock), clock)
    if not settings.hot_reload:
        await look_once(knowledge)
        return
    while not folder.is_dir():
        await clock.sleep(EVERY_S)
    await watch((folder,), knowledge.look, clock)


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
