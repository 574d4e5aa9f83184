"""Builds what staff use: their accounts, and the console."""

from collections.abc import Callable

from assistant.ports import Clock, Ids
from assistant.server.console.console_context import Console, Conversations, PauseControls
from assistant.settings import Settings
from assistant.staff.passwords import Passwords
from assistant.staff.staff import Staff
from assistant.store.storage import Storage


def staff_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> Staff:
    """The accounts of the tenant."""
    return Staff(
        tenant=settings.tenant,
        store=storage.staff,
        passwords=Passwords(),
        clock=clock,
        ids=ids,
        idle_hours=settings.console_idle_hours,
        session_days=settings.console_session_days,
    )


def console_of(
    settings: Settings,
    storage: Storage,
    clock: Clock,
    ids: Ids,
    company: Callable[[], str],
    controls: PauseControls,
) -> Console | None:
    """The console of the tenant; None if it is switched off."""
    if not settings.console:
        return None
    return Console(
        staff=staff_of(settings, storage, clock, ids),
        audit=storage.audit,
        conversations=Conversations(
            index=storage.index,
            read=storage.log.read,
            idle_ms=settings.conversation_idle_min * 60_000,
        ),
        clock=clock,
        company=company,
        shared=storage.rates,
        controls=controls,
    )


LINK_PATH = "/console/link#"


async def operators_link(
    settings: Settings, storage: Storage, clock: Clock, ids: Ids, *, asked: bool
) -> str | None:
    """The path of a link that opens the console for who runs the server, valid once and for fifteen minutes.

    None if the console is off, or if there are accounts and no link was ``asked`` for.
    """
    staff = staff_of(settings, storage, clock, ids)
    if not settings.console or (await staff.people() and not asked):
        return None
    return f"{LINK_PATH}{await staff.make_operators_link()}"
