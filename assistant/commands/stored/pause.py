"""``assistant pause``, ``resume`` and ``launch``: stop the assistant or a part of it, or let staff supervise it,
also while servers run.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar, get_args

import typer
from rich.console import Console
from rich.table import Table

from assistant.assembly.config_builder import Folders
from assistant.assembly.storage import open_storage, part_of
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stored.recorded import COMMAND_LINE, CommandEntry, recorded
from assistant.conversation.customer import CHANNELS
from assistant.ids import SystemIds
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.staff.launch import Launch, launch_text, read_launch
from assistant.staff.live_pauses import LivePauses
from assistant.staff.pauses import Pause, PausedKind, PauseRefused, StoredKind, check_name
from assistant.store.storage import Storage
from assistant.tenants import load_settings

T = TypeVar("T")


def pause(kind: str, name: str, why: str, *, unchecked: bool) -> None:
    """Pause something, and say for whom it changes what."""
    chosen = _checked(kind)

    async def run(opened: "_Opened") -> bool:
        if not unchecked:
            check_name(chosen, name, await _known(chosen, name, opened))
        async with opened.recorded("assistant.pause", chosen, name, why):
            return await opened.pauses.pause(chosen, name, account="", by=COMMAND_LINE, why=why)

    what = _named(chosen, name)
    if _run(run):
        typer.echo(
            f"{what} is paused; every server obeys within two seconds. To go on: {_command(chosen, name)}"
        )
    else:
        typer.echo(f"{what} is paused already; see: assistant pauses")


def resume(kind: str, name: str) -> None:
    """Resume something."""
    chosen = _checked(kind)

    async def run(opened: "_Opened") -> bool:
        async with opened.recorded("assistant.resume", chosen, name):
            return await opened.pauses.resume(chosen, name)

    what = _named(chosen, name)
    typer.echo(f"{what} goes on" if _run(run) else f"{what} is not paused; see: assistant pauses")


def list_pauses() -> None:
    """Print what is paused, since when, by whom and why."""

    async def run(opened: "_Opened") -> tuple[Pause, ...]:
        return (await opened.pauses.now()).parts

    found = _run(run)
    if not found:
        typer.echo("nothing is paused")
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("paused", "since", "by", "why"):
        table.add_column(heading)
    for one in found:
        since = f"{datetime.fromtimestamp(one.since_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC"
        table.add_row(_named(one.kind, one.name), since, one.by, one.why)
    Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(table)


def choose_launch(
    mode: str, percent: int, levels: list[str], locales: list[str], wait_s: int, why: str
) -> None:
    """Choose the launch mode, or print it if ``mode`` is "". Raises ``LaunchRefused``."""
    if not mode:
        now = _run(lambda opened: opened.pauses.now())
        chosen = now.launch_choice
        by = "" if chosen is None else f" (by {chosen.by}{': ' + chosen.why if chosen.why else ''})"
        typer.echo(launch_words(now.launch) + by)
        return
    launch = read_launch(mode, percent, levels, locales, wait_s)

    async def run(opened: "_Opened") -> bool:
        detail = launch_text(launch) + (f" ({why})" if why else "")
        about = recorded(
            opened.storage,
            opened.clock,
            opened.settings.tenant,
            "assistant.launch",
            kind="launch",
            detail=detail,
        )
        async with about:
            return await opened.pauses.choose_launch(launch, account="", by=COMMAND_LINE, why=why)

    changed = _run(run)
    typer.echo(
        f"{launch_words(launch)}; {'every server obeys within two seconds' if changed else 'as before'}"
    )


def launch_words(launch: Launch) -> str:
    """A launch mode in a sentence.

    >>> launch_words(Launch(mode="shadow", percent=20, locales=("de", "en")))
    'shadow: answers are written for colleagues and not sent, for 20 % of the customers, in de or en'
    """
    words = {
        "usual": "usual: the assistant answers",
        "shadow": "shadow: answers are written for colleagues and not sent",
        "approval": f"approval: a colleague approves each reply within {launch.wait_s} seconds",
    }[launch.mode]
    if launch.percent < 100:
        words += f", for {launch.percent} % of the customers"
    if launch.levels:
        words += f", who are {' or '.join(launch.levels)}"
    return f"{words}, in {' or '.join(launch.locales)}" if launch.locales else words


def _checked(kind: str) -> PausedKind:
    kinds: tuple[PausedKind, ...] = get_args(PausedKind)
    for known in kinds:
        if kind == known:
            return known
    raise typer.BadParameter(f"{kind!r} is none of {', '.join(kinds)}", param_hint="KIND")


async def _known(kind: PausedKind, name: str, opened: "_Opened") -> Collection[str]:
    match kind:
        case "assistant":
            if name:
                raise PauseRefused(f"the whole assistant has no name; leave {name!r} out")
            return [""]
        case "channel":
            return CHANNELS
        case "tool":
            from assistant.tools.discovery import discover

            return [tool.spec.name for tool in discover(Folders.of(opened.settings).tools)]
        case "version":
            stored = await opened.storage.bundles.newest(opened.settings.tenant, 1000)
            return [bundle for bundle, _ in stored]


def _named(kind: StoredKind, name: str) -> str:
    return f"{kind} {name}" if name else "the assistant"


def _command(kind: PausedKind, name: str) -> str:
    return f"assistant resume {kind} {name}".rstrip() if name else "assistant resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    settings: Settings
    storage: Storage
    clock: Clock
    pauses: LivePauses

    def recorded(
        self, action: str, kind: PausedKind, name: str, detail: str = ""
    ) -> AbstractAsyncContextManager[CommandEntry]:
        return recorded(
            self.storage, self.clock, self.settings.tenant, action, kind=kind, object_id=name, detail=detail
        )


def _run(run: Callable[[_Opened], Awaitable[T]]) -> T:
    """Open the storage, and run. Raises ``DeclarationError`` if it cannot be used, or ``PauseRefused``."""
    set_up_logging("ERROR")
    settings = load_settings()

    async def with_storage() -> T:
        clock, ids = SystemClock(settings.time_zone), SystemIds()
        async with open_storage(settings, clock, ids, exclusive=False) as whole:
            storage = part_of(whole, settings)
            pauses = LivePauses(settings.tenant, storage.pauses, clock)
            return await run(_Opened(settings=settings, storage=storage, clock=clock, pauses=pauses))

    return asyncio.run(with_storage())
