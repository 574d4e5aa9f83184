"""``assistant users``: the accounts of staff, for who runs the server. Servers may run meanwhile."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import typer
from rich.console import Console
from rich.table import Table

from assistant.assembly.staff import LINK_PATH, staff_of
from assistant.assembly.storage import open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stored.recorded import CommandEntry, recorded
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.ports import Clock
from assistant.staff.accounts import Account
from assistant.staff.profiles import WorkProfile
from assistant.staff.roles import ROLES, Role
from assistant.staff.staff import LINK_S, Staff
from assistant.staff.workforce import Workforce
from assistant.store.storage import Storage
from assistant.tenants import load_settings

T = TypeVar("T")


def add(login: str, roles: Sequence[str], name: str, server: str) -> None:
    """Add an account, and print a link for the person."""
    chosen = _checked(roles)

    async def run(opened: "_Opened") -> str:
        async with opened.recorded("people.add", f"{login}: {', '.join(chosen)}") as entry:
            account = await opened.staff.add_person(login, name, chosen)
            entry.object_id = account.id
        return await _link(opened, account, server)

    typer.echo(_run(run))


def list_users() -> None:
    """Print the accounts with their roles."""

    async def run(opened: "_Opened") -> list[Account]:
        return await opened.staff.people()

    accounts = _run(run)
    if not accounts:
        typer.echo("there are no accounts; add one: assistant users add kim@example.com admin")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("login", "name", "roles", "password", "last seen"):
        table.add_column(heading)
    for one in accounts:
        how = "disabled" if one.disabled else "yes" if one.password else "none"
        table.add_row(one.login, one.name, ", ".join(sorted(one.roles)), how, _day(one.seen_ms))
    Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(table)


def change_roles(login: str, roles: Sequence[str]) -> None:
    """Give an account other roles."""
    chosen = _checked(roles)
    _change(login, f"roles: {', '.join(chosen)}", lambda staff, id_: staff.change_person(id_, roles=chosen))


def change_work(
    login: str, teams: Sequence[str] | None, skills: Sequence[str] | None, capacity: int | None
) -> None:
    """Set what a person works on, and print it."""
    for name in (*(teams or ()), *(skills or ())):
        if not name.strip() or "," in name or len(name) > 60:
            raise DeclarationError(
                f"{name!r} cannot be a team or a skill; use 1 to 60 characters without commas, such as 'billing'"
            )
    named = {"teams": _names(teams), "skills": _names(skills)}
    shown = [f"{what}: {', '.join(names)}" for what, names in named.items() if names is not None]
    shown += [f"capacity: {capacity}"] if capacity is not None else []

    async def run(opened: "_Opened") -> WorkProfile:
        account = await opened.staff.person(login)
        workforce = Workforce(opened.staff, opened.storage.profiles, opened.clock)
        if not shown:
            return await workforce.profile_of(account)
        async with opened.recorded("people.change", "; ".join(shown), object_id=account.id):
            return await workforce.change(
                account, teams=named["teams"], skills=named["skills"], capacity=capacity
            )

    profile = _run(run)
    teams_, skills_ = (", ".join(names) or "none" for names in (profile.teams, profile.skills))
    typer.echo(f"{login}: teams {teams_}; skills {skills_}; {profile.capacity} conversations at a time")


def _names(given: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if given is None else tuple(one.strip() for one in given)


def disable(login: str, *, disabled: bool) -> None:
    """Disable an account, or enable it."""
    _change(
        login,
        f"disabled: {'yes' if disabled else 'no'}",
        lambda staff, id_: staff.change_person(id_, disabled=disabled),
    )


def link(login: str, server: str) -> None:
    """Print a link that signs the person in once."""

    async def run(opened: "_Opened") -> str:
        return await _link(opened, await opened.staff.person(login), server)

    typer.echo(_run(run))


def set_password(login: str) -> None:
    """Set a password, which is asked for, or read from the standard input."""
    typed = (
        typer.prompt("New password", hide_input=True, confirmation_prompt=True)
        if sys.stdin.isatty()
        else sys.stdin.readline().rstrip("\r\n")
    )

    async def run(opened: "_Opened") -> None:
        if not opened.passwords:
            raise DeclarationError(
                "ASSISTANT_CONSOLE_PASSWORDS=false: passwords are off; make a link with `assistant users link`"
            )
        account = await opened.staff.person(login)
        async with opened.recorded("people.password", object_id=account.id):
            await opened.staff.set_password(account, typed)

    _run(run)
    typer.echo(f"{login} has a new password")


def unlink(login: str) -> None:
    """Let another person of the identity provider have this account."""

    async def run(opened: "_Opened") -> int:
        account = await opened.staff.person(login)
        async with opened.recorded("people.unlink", object_id=account.id):
            return await opened.staff.unlink(account)

    had = _run(run)
    free = (
        "belongs to the next person who signs in with it"
        if had
        else "belonged to no one at the identity provider"
    )
    typer.echo(f"{login} {free}")


def _change(login: str, detail: str, change: Callable[[Staff, str], Awaitable[Account]]) -> None:
    async def run(opened: "_Opened") -> Account:
        account = await opened.staff.person(login)
        async with opened.recorded("people.change", detail, object_id=account.id):
            return await change(opened.staff, account.id)

    changed = _run(run)
    state = "disabled" if changed.disabled else ", ".join(sorted(changed.roles)) or "no roles"
    typer.echo(f"{changed.login}: {state}")


async def _link(opened: "_Opened", account: Account, server: str) -> str:
    async with opened.recorded("people.link", object_id=account.id):
        token = await opened.staff.make_link(account)
    hours = LINK_S // 3600
    return f"{account.login}: {server.rstrip('/')}{LINK_PATH}{token}  (opens once, within {hours} hours)"


def _checked(roles: Sequence[str]) -> list[Role]:
    known: list[Role] = [role for role in ROLES if role in roles]
    if unknown := [role for role in roles if role not in ROLES]:
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(ROLES)}", param_hint="ROLE")
    return known


def _day(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d}" if at_ms else "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """The opened accounts."""

    staff: Staff
    storage: Storage
    clock: Clock
    passwords: bool

    def recorded(
        self, action: str, detail: str = "", *, object_id: str = ""
    ) -> AbstractAsyncContextManager[CommandEntry]:
        """Record what the block does: before it, and what came of it."""
        return recorded(
            self.storage,
            self.clock,
            self.staff.tenant,
            action,
            kind="account",
            object_id=object_id,
            detail=detail,
        )


def _run(run: Callable[[_Opened], Awaitable[T]]) -> T:
    """Open the storage, and run. Raises ``DeclarationError`` if it cannot be used, or ``StaffRefused``."""
    set_up_logging("ERROR")
    settings = load_settings()

    async def with_storage() -> T:
        clock, ids = SystemClock(settings.time_zone), SystemIds()
        async with open_storage(settings, clock, ids, exclusive=False) as storage:
            staff = staff_of(settings, storage, clock, ids)
            return await run(
                _Opened(staff=staff, storage=storage, clock=clock, passwords=settings.console_passwords)
            )

    return asyncio.run(with_storage())
