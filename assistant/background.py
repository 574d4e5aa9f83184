"""The background work of an installation: the kinds of its jobs, and ``assistant worker``, which only runs them."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from assistant.assembly.config_builder import Folders
from assistant.assembly.handoff_backends import delivery_of
from assistant.assembly.library import library_in
from assistant.assembly.long_calls import LongCallsElsewhere, long_call_work, temporal_of
from assistant.assembly.storage import open_storage, part_of
from assistant.assembly.webhooks import webhooks_of
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import LongCallEntry
from assistant.errors import AssistantError, DeclarationError
from assistant.ids import SystemIds
from assistant.jobs import Job, JobKind
from assistant.ports import Clock, Ids
from assistant.privacy.customer_data import CustomerData, CustomerDataHolder
from assistant.privacy.retention import OpenSessions, recordings_kind, retention_kind
from assistant.sessions.followed_session import long_call_command
from assistant.settings import Settings, TenantSettings
from assistant.settings_sources import environment
from assistant.store.storage import Storage
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.discovery import discover, package_of
from assistant.tools.long_calls import CompanyTools
from assistant.tools.media import chain_transforms, scale_down
from assistant.webhooks.delivery import WebhookDelivery

if TYPE_CHECKING:
    from assistant.telemetry.process import Telemetry


class NoSessions:
    """The open conversations of a process that has none."""

    def close_idle(self, before_ms: int) -> Collection[ConversationKey]:
        """No conversation is open."""
        del before_ms
        return ()


def check_jobs(settings: Settings) -> None:
    """Raises ``DeclarationError`` if ``ASSISTANT_RUN_JOBS`` leaves jobs to a worker, and this installation can
    have no worker.
    """
    if settings.database is None and not settings.run_jobs:
        raise DeclarationError(
            "ASSISTANT_RUN_JOBS=false leaves background work to `assistant worker`, which needs ASSISTANT_DATABASE"
        )


def job_kinds(
    settings: Settings, customers: CustomerData, live: OpenSessions, deliveries: Sequence[WebhookDelivery]
) -> list[JobKind]:
    """Returns all kinds of jobs of this installation."""
    return [
        retention_kind(settings, customers.storage, customers.library, live, customers.clock),
        customers.erasure_kind,
        *([recordings_kind(settings, place)] if (place := customers.storage.place) else ()),
        *(kind for delivery in deliveries for kind in delivery.kinds),
    ]


def deliveries_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> list[WebhookDelivery]:
    """Returns the deliveries of events to the helpdesk and to webhooks, if they are configured.

    Raises ``DeclarationError`` if a setting is missing or wrong.
    """
    found = delivery_of(settings, storage, clock, ids), webhooks_of(settings, storage, clock, ids)
    return [each for each in found if each is not None]


def kinds_of_tenants(by_tenant: Mapping[str, Sequence[JobKind]]) -> list[JobKind]:
    """Returns the kinds of jobs of all tenants together: a job of one tenant runs with that tenant's kind,
    and a job of the whole installation runs with the kind of each tenant in turn.

    If a job fails for one tenant, it still runs for the next.
    """
    known: dict[str, dict[str, JobKind]] = {}
    for tenant, kinds in by_tenant.items():
        for kind in kinds:
            known.setdefault(kind.name, {})[tenant] = kind
    return [
        replace(next(iter(each.values())), run=partial(_run_for_tenants, each)) for each in known.values()
    ]


async def _run_for_tenants(kinds: Mapping[str, JobKind], job: Job) -> None:
    problems: list[AssistantError] = []
    for tenant, kind in kinds.items():
        if job.tenant in (tenant, ""):
            try:
                await kind.run(job)
            except AssistantError as error:
                problems.append(error)
    if problems:
        raise problems[0]


async def run_worker(
    installation: Settings, tenants: Sequence[Settings] = (), telemetry: "Telemetry | None" = None
) -> None:
    """Run the jobs of an installation until cancelled, as one of several processes.

    ``telemetry`` counts and traces them; None: nothing is counted.

    Raises ``DeclarationError`` if a setting is wrong, or if the installation is a data folder.
    """
    if installation.database is None:
        raise DeclarationError(
            "`assistant worker` needs ASSISTANT_DATABASE: with a data folder, `assistant serve` does the background"
            " work itself"
        )
    async with AsyncExitStack() as in_the_end:  # closed in reverse order
        clock, ids = SystemClock(installation.time_zone, installation.now), SystemIds()
        storage = await in_the_end.enter_async_context(
            open_storage(installation, clock, ids, exclusive=False)
        )
        library = await in_the_end.enter_async_context(library_in(installation, storage, clock, tenants))
        library.start()
        temporal = temporal_of(installation)
        by_tenant: dict[str, Sequence[JobKind]] = {}
        for settings in tenants or [installation]:
            own = part_of(storage, settings)
            deliveries = deliveries_of(settings, own, clock, ids)
            for delivery in deliveries:
                in_the_end.push_async_callback(delivery.close)
            others: list[CustomerDataHolder] = [*deliveries]
            if temporal is not None:
                others.append(LongCallsElsewhere(own.log, temporal))
            customers = CustomerData(
                storage=own,
                library=library,
                clock=clock,
                folder=settings.data_dir,
                others=tuple(others),
            )
            by_tenant[settings.tenant] = job_kinds(settings, customers, NoSessions(), deliveries)
        async with asyncio.TaskGroup() as tasks:
            kinds = kinds_of_tenants(by_tenant)
            if telemetry is not None:
                kinds = telemetry.watched(kinds)
                telemetry.watch_queues(storage)
                tasks.create_task(telemetry.watch_loop())
            tasks.create_task(storage.jobs.run(kinds))
            if temporal is not None:
                companies = {one.tenant: _tools_of(one, clock) for one in tenants or [installation]}
                record = partial(pass_progress_on, storage)
                work = long_call_work(
                    temporal, companies, storage.log, record, clock, ids.new(), conversations=False
                )
                tasks.create_task(work)


def _tools_of(settings: Settings, clock: SystemClock) -> Callable[[], CompanyTools]:
    """Returns the tools of one tenant, as they are when the worker starts. Raises ``DeclarationError``."""
    tenant = settings.tenant if isinstance(settings, TenantSettings) else None
    tools = discover(Folders.of(settings).tools, package=package_of(tenant), secrets=environment(settings))
    company = CompanyTools(
        tools=tools,
        gates=ConcurrencyLimiters(clock),
        transform=chain_transforms(*tools.changes, scale_down(settings.max_image_pixels)),
    )
    return lambda: company


async def pass_progress_on(
    storage: Storage, key: ConversationKey, turn_id: str, entry: LongCallEntry
) -> None:
    """Pass progress to the server that holds the conversation. Without such a server it is lost; only servers
    receive outcomes.
    """
    if storage.leases is not None:
        await storage.leases.send(key, long_call_command(turn_id, entry))
