"""The composition root: builds everything that the settings name. Only this module chooses the real adapters."""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from assistant.assembly.config_builder import Press
from assistant.assembly.handoff_backends import handoffs_of
from assistant.assembly.hot_reload import EVERY_S, LiveConfig, warm, watch
from assistant.assembly.knowledge_folder import Knowledge, knowledge_folder, look_once
from assistant.assembly.library import library_in
from assistant.assembly.models import is_embedded
from assistant.clock import SystemClock
from assistant.conversation.customer import Customer
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.memory.file_reader import read_file
from assistant.memory.library import Library
from assistant.ports import Clock, Log
from assistant.privacy.customer_data import CustomerData
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner
from assistant.privacy.retention import run_retention
from assistant.prompts.utterances import OfflineNote
from assistant.sessions.handoff import HandoffRegistry
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.store.bundles import SqliteBundles
from assistant.store.credentials import SqliteCredentials
from assistant.store.data_folder import load_or_make_secret, lock_data_folder
from assistant.store.sqlite_log import SqliteLog
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
    log: Log
    clock: Clock
    ids: SystemIds
    secret: str

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
    _make_folder(settings.data_dir)
    async with AsyncExitStack() as in_the_end:  # last come, first closed
        in_the_end.enter_context(lock_data_folder(settings.data_dir))
        in_the_end.enter_context(known_to_tools(settings))
        clock, ids = SystemClock(settings.time_zone, settings.now), SystemIds()
        secret = load_or_make_secret(settings.data_dir, ids.secret)
        conversations = SqliteLog(settings.data_dir / "log.db")
        in_the_end.push_async_callback(conversations.close)
        handoffs = await in_the_end.enter_async_context(handoffs_of(settings, conversations, clock, ids))
        library = await in_the_end.enter_async_context(library_in(settings, conversations, clock))
        press = Press(settings, clock, handoffs=handoffs, secret=secret, library=library, tenant=TENANT)
        in_the_end.push_async_callback(press.close)
        editions = LiveConfig.open(press, SqliteBundles(settings.data_dir / "log.db"), clock)
        editions.use_servers()
        warming = asyncio.create_task(warm(editions.newest))
        in_the_end.push_async_callback(asyncio.wait, {warming})
        attach = handoffs.attach if handoffs is not None else None
        credentials = SqliteCredentials(settings.data_dir / "credentials.db", secret.encode(), clock)
        in_the_end.push_async_callback(credentials.close)
        sessions = SessionRegistry(
            editions, conversations, epoch="1", takeover=attach, credentials=credentials
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
        await sessions.resume_unfinished()
        library.start()
        behind = [
            run_retention(settings, conversations, library, sessions, clock),
            knows(settings, library, clock),
        ]
        for each in behind:
            in_the_end.push_async_callback(_stop, asyncio.create_task(each))
        customers = CustomerData(
            log=conversations,
            library=library,
            clock=clock,
            folder=settings.data_dir,
            live=sessions,
            others=(handoffs,) if handoffs is not None else (),
            receipts=ReceiptMaker(settings.data_dir / "log.db", ReceiptSigner(secret)),
        )
        yield Assistant(
            settings=settings,
            editions=editions,
            sessions=sessions,
            handoffs=handoffs,
            library=library,
            customers=customers,
            clock=clock,
            ids=ids,
            log=conversations,
            secret=secret,
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


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeclarationError(
            f"ASSISTANT_DATA_DIR={str(folder)!r} cannot be used: {error.strerror}; "
            "name a folder that can be written"
        ) from error


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
