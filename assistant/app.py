"""The composition root: builds everything that the settings name. Only this module chooses the real adapters."""

import asyncio
import os
from collections.abc import AsyncGenerator, Coroutine, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from assistant.assembly.config_builder import ConfigBuilder
from assistant.assembly.handoff_backends import delivery_of, handoffs_of
from assistant.assembly.hot_reload import EVERY_S, LiveConfig, warm, watch
from assistant.assembly.knowledge_folder import Knowledge, knowledge_folder, look_once
from assistant.assembly.library import library_in
from assistant.assembly.long_calls import LongCallsElsewhere, long_call_work, temporal_of
from assistant.assembly.models import is_embedded
from assistant.assembly.storage import open_storage, part_of
from assistant.assembly.webhooks import webhooks_of
from assistant.background import check_jobs, job_kinds, kinds_of_tenants
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import LongCallEntry
from assistant.errors import AssistantError, DeclarationError
from assistant.ids import SystemIds
from assistant.inspector.indexing import ConversationIndexer
from assistant.jobs import JobKind
from assistant.memory.file_reader import read_file
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.privacy.customer_data import CustomerData, CustomerDataHolder
from assistant.prompts.utterances import OfflineNote
from assistant.sessions.cluster import Cluster, SessionsOfTenants
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.retries import continue_failed_sessions
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings, TenantSettings, spending_limits
from assistant.staff.live_pauses import LivePauses
from assistant.storage_ports import Log
from assistant.store.keyring import READ_EVERY_S
from assistant.store.storage import Storage
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.long_calls import CompanyTools, LongRunner
from assistant.turn.context import TurnDependencies
from assistant.turn.spending import Spending
from assistant.webhooks.watched_log import WatchedLog

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry
    from assistant.telemetry.process import Telemetry
    from assistant.tools.temporal.runner import TemporalRunner

log = structlog.get_logger(__name__)

_PATIENCE_S = 4.0
"""Seconds that running turns may continue when the process stops, and then their calls: both fit within a
supervisor's usual ten.
"""

DEMO_CUSTOMER = Customer(tenant="demo", id="demo", level="verified", name="Ana Lindqvist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """The running assistant of one company with all its components. ``warming`` is the task that loads the
    models.
    """

    settings: Settings
    configs: LiveConfig
    sessions: SessionRegistry
    handoffs: HandoffRegistry | None
    library: Library
    customers: CustomerData
    jobs: Sequence[JobKind]
    storage: Storage
    clock: Clock
    ids: SystemIds
    long_runner: LongRunner | None
    warming: asyncio.Task[None]
    spending: Spending | None
    pauses: LivePauses
    telemetry: "TenantTelemetry | None" = None

    @property
    def deps(self) -> TurnDependencies:
        """The dependencies of new conversations. A conversation that has begun keeps its configuration version."""
        return self.configs.newest.deps

    @property
    def note(self) -> str:
        """A small note under the chat about the embedded demo model; "" for any other model."""
        return self.deps.book.render(OfflineNote()) if is_embedded(self.settings.model) else ""


@asynccontextmanager
async def open_assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    """Build the assistant of one company; see :func:`open_assistants`."""
    async with open_assistants(settings, [settings]) as assistants:
        yield assistants[0]


@asynccontextmanager
async def open_assistants(
    installation: Settings, tenants: Sequence[Settings], telemetry: "Telemetry | None" = None
) -> AsyncGenerator[Sequence[Assistant]]:
    """Build an assistant for each tenant, continue unfinished conversations of an earlier process, and clean up at
    the end. They share storage, library and clock; each sees its own part of the storage. ``telemetry`` counts and
    traces what happens; None: nothing is counted.

    Raises ``DeclarationError`` when a setting, tool or template is wrong, or the data folder is in use.
    """
    check_jobs(installation)
    async with AsyncExitStack() as in_the_end:  # closed in reverse order
        clock, ids = SystemClock(installation.time_zone, installation.now), SystemIds()
        storage = await in_the_end.enter_async_context(open_storage(installation, clock, ids))
        in_the_end.enter_context(known_to_tools(installation))
        library = await in_the_end.enter_async_context(library_in(installation, storage, clock, tenants))
        jobs: list[asyncio.Task[None]] = []  # stopped after the conversations, which must not wait for them
        in_the_end.push_async_callback(_stop_all, jobs)
        cluster = None
        if storage.leases is not None:
            cluster = Cluster(storage.leases, storage.log, clock, installation.lease_s)
            await cluster.beat()
            in_the_end.push_async_callback(cluster.close)
        temporal = temporal_of(installation)
        shared = _Shared(
            storage=storage,
            library=library,
            clock=clock,
            ids=ids,
            cluster=cluster,
            long_runner=temporal,
            telemetry=telemetry,
        )
        opened: list[tuple[Assistant, AsyncExitStack]] = []
        in_the_end.push_async_callback(_close_together, opened)
        for settings in tenants:
            own = AsyncExitStack()
            try:
                opened.append((await _open_one(settings, shared, own), own))
            except DeclarationError as error:
                await own.aclose()
                if not isinstance(settings, TenantSettings):
                    raise
                lines = str(error).splitlines()
                raise DeclarationError(
                    "\n".join(f"tenant {settings.tenant}: {line}" for line in lines)
                ) from error
            except BaseException:
                await own.aclose()
                raise
        assistants = [assistant for assistant, _ in opened]
        library.start(wanted_only=not installation.run_jobs)
        behind: list[Coroutine[Any, Any, None]] = []
        if cluster is not None:
            with_agents = [each.handoffs for each in assistants if each.handoffs is not None]
            if with_agents:
                cluster.agents_of = lambda: [one for each in with_agents for one in each.tenants_heard()]
            behind.append(
                cluster.run(SessionsOfTenants({one.settings.tenant: one.sessions for one in assistants}))
            )
        if installation.run_jobs:
            kinds = kinds_of_tenants({one.settings.tenant: one.jobs for one in assistants})
            if telemetry is not None:
                kinds = telemetry.watched(kinds)
            jobs.append(asyncio.create_task(storage.jobs.run(kinds)))
        if temporal is not None:
            behind.append(_long_calls_of(assistants, temporal, storage.log, clock, ids.new()))
        if telemetry is not None:
            telemetry.watch_queues(storage)
            behind.append(telemetry.watch_loop())
        behind.append(_follow_secret(storage, clock))
        for each in behind:
            in_the_end.push_async_callback(_stop, asyncio.create_task(each))
        yield assistants


async def _follow_secret(storage: Storage, clock: Clock) -> None:
    """Read the installation's secret again and again: a command may replace it."""
    while True:
        await clock.sleep(READ_EVERY_S)
        try:
            await storage.keyring.refresh()
        except AssistantError as error:
            log.warning("secret not read", error=str(error))


def _long_calls_of(
    assistants: Sequence[Assistant], temporal: "TemporalRunner", log: Log, clock: Clock, process: str
) -> Coroutine[Any, Any, None]:
    """Run long calls of all tenants, and record their outcomes in the conversations."""
    by_tenant = {one.settings.tenant: one for one in assistants}

    def tools_of(assistant: Assistant) -> CompanyTools:
        deps = assistant.deps
        gates = deps.gates or ConcurrencyLimiters(clock)
        return CompanyTools(tools=deps.tools, gates=gates, transform=deps.transform)

    async def record(key: ConversationKey, turn_id: str, entry: LongCallEntry) -> None:
        await by_tenant[key.tenant].sessions.record_long_call(key, turn_id, entry)

    companies = {tenant: partial(tools_of, one) for tenant, one in by_tenant.items()}
    return long_call_work(temporal, companies, log, record, clock, process, conversations=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """The components that all tenants of an installation share."""

    storage: Storage
    library: Library
    clock: Clock
    ids: SystemIds
    cluster: Cluster | None
    long_runner: LongRunner | None
    telemetry: "Telemetry | None"


async def _open_one(settings: Settings, shared: _Shared, in_the_end: AsyncExitStack) -> Assistant:
    """Build one company's assistant; ``in_the_end`` closes it."""
    library, ids, cluster = shared.library, shared.ids, shared.cluster
    # A tenant may have its own time zone, for its hours and its customers' dates.
    clock = (
        SystemClock(settings.time_zone, settings.now)
        if isinstance(settings, TenantSettings)
        else shared.clock
    )
    storage = part_of(shared.storage, settings)
    delivery = delivery_of(settings, storage, clock, ids)
    webhooks = webhooks_of(settings, storage, clock, ids)
    deliveries = [each for each in (delivery, webhooks) if each is not None]
    for each in deliveries:
        in_the_end.push_async_callback(each.close)
    log = storage.log
    if webhooks is not None:
        log = WatchedLog(log, webhooks, clock, settings.conversation_idle_min * 60)
        in_the_end.push_async_callback(log.close)
    handoffs = handoffs_of(settings, storage, delivery, clock, ids)
    watched = shared.telemetry.of_tenant(settings.tenant) if shared.telemetry is not None else None
    limits = spending_limits(settings)
    spending = Spending(limits, storage.spending, clock) if limits is not None else None
    if spending is not None and watched is not None:
        spending.listen(lambda reached: watched.budget_reached(reached.assessment))
    pauses = LivePauses(settings.tenant, storage.pauses, clock)
    builder = ConfigBuilder(
        settings,
        clock,
        handoffs=handoffs,
        secret=storage.secret,
        library=library,
        telemetry=watched,
        spending=spending,
        pauses=pauses,
    )
    in_the_end.push_async_callback(builder.close)
    configs = await LiveConfig.open(builder, storage.bundles, clock, edits=storage.edits)
    configs.use_servers()
    warming = asyncio.create_task(warm(configs.newest))
    warming.add_done_callback(_tell_failure)
    in_the_end.push_async_callback(asyncio.wait, {warming})
    sessions = SessionRegistry(
        configs,
        log,
        epoch="1",
        takeover=handoffs.attach if handoffs is not None else None,
        credentials=storage.credentials,
        cluster=cluster,
        long_runner=shared.long_runner,
        telemetry=watched,
    )
    if shared.telemetry is not None:
        shared.telemetry.watch_conversations(
            settings.tenant, lambda: configs.newest.deps.tools, sessions.states
        )
    in_the_end.push_async_callback(sessions.close, _PATIENCE_S)
    if handoffs is not None:
        if cluster is not None:
            handoffs.open_elsewhere = sessions.open_for_agents
        in_the_end.push_async_callback(handoffs.close)
    if settings.hot_reload:
        folders = [builder.folders.prompts, builder.folders.tools]
        if builder.folders.policies.is_dir():
            folders.append(builder.folders.policies)
        watching = asyncio.create_task(watch(folders, configs.look, clock))
        in_the_end.push_async_callback(_stop, watching)
    behind = [knows(settings, library, clock)]
    if settings.console and settings.run_jobs:
        idle_ms = settings.conversation_idle_min * 60_000
        indexer = ConversationIndexer(settings.tenant, storage.log, storage.index, clock, idle_ms)
        behind.append(indexer.run())
    if cluster is None:
        await sessions.resume_unfinished()
        behind.append(continue_failed_sessions(sessions, storage.log, clock))
    for each in behind:
        in_the_end.push_async_callback(_stop, asyncio.create_task(each))
    others: list[CustomerDataHolder] = [handoffs] if handoffs is not None else []
    if webhooks is not None:
        others.append(webhooks)
    if shared.long_runner is not None:
        others.append(LongCallsElsewhere(storage.log, shared.long_runner))
    customers = CustomerData(
        storage=storage,
        library=library,
        clock=clock,
        folder=settings.data_dir,
        live=sessions,
        others=tuple(others),
    )
    return Assistant(
        settings=settings,
        configs=configs,
        sessions=sessions,
        handoffs=handoffs,
        library=library,
        customers=customers,
        jobs=job_kinds(settings, customers, sessions, deliveries),
        storage=storage,
        clock=clock,
        ids=ids,
        long_runner=shared.long_runner,
        warming=warming,
        telemetry=watched,
        spending=spending,
        pauses=pauses,
    )


def _tell_failure(warming: asyncio.Task[None]) -> None:
    """Log why models cannot be loaded. They are loaded again when a customer needs them."""
    if not warming.cancelled() and (error := warming.exception()) is not None:
        log.error("models could not be loaded", exc_info=error)


async def _close_together(opened: Sequence[tuple[Assistant, AsyncExitStack]]) -> None:
    """Close all tenants at the same time, so that many take no longer than one."""
    results = await asyncio.gather(*(own.aclose() for _, own in opened), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


@contextmanager
def known_to_tools(settings: Settings) -> Generator[None]:
    """Set environment variables for tools, because tools can read only the environment: the data folder and
    the clock's start. They replace the values from ``.env``. So the demo CRM keeps its file in the data
    folder, and uses our clock.
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
    knowledge = Knowledge(folder, settings.tenant, library, partial(read_file, clock=clock), clock)
    if not settings.hot_reload:
        await look_once(knowledge, clock)
        return
    while not folder.is_dir():
        await clock.sleep(EVERY_S)
    await watch((folder,), knowledge.look, clock)


async def _stop_all(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        await _stop(task)


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
