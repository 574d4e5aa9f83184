"""``assistant backup`` and ``assistant restore``."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console

from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stored.data import copy_progress
from assistant.ids import SystemIds
from assistant.settings import Settings
from assistant.settings_sources import load_installation
from assistant.store.copying.backup import Manifest, Place, make_backup, restore_backup

_ID_CHARACTERS = 8


def backup(to: Path, release: str) -> None:
    """Write a backup, and print its contents. ``release`` is the version of this program.

    Raises:
        AssistantError: there is nothing to back up, it is damaged, or the folder cannot be used.
    """
    set_up_logging("ERROR")
    settings = load_installation()
    clock = SystemClock(settings.time_zone, settings.now)
    manifest = asyncio.run(make_backup(_place(settings), to, release=release, clock=clock))
    size = sum(file.bytes for file in manifest.files.values())
    typer.echo(f"Backup of the {manifest.source} in {to}: {len(manifest.files)} files, {size:,} bytes.")
    typer.echo(
        "It has customers' conversations and the installation's secret in it: keep it as safe as those."
    )
    for line in _not_in_it(manifest):
        typer.echo(f"Not in it: {line}.")


def restore(backup: Path) -> None:
    """Restore a backup, and print what to do next.

    Raises:
        AssistantError: it is no backup or is damaged, or the storage is not empty.
    """
    set_up_logging("ERROR")
    settings = load_installation()
    clock = SystemClock(settings.time_zone, settings.now)
    console = Console(highlight=False, markup=False, emoji=False)
    # The end of an id is random; the beginning is the time.
    restore_id = SystemIds().new()[-_ID_CHARACTERS:]
    with copy_progress(console) as progress:
        manifest = asyncio.run(
            restore_backup(backup, _place(settings), restore=restore_id, clock=clock, progress=progress)
        )
    made = f"{datetime.fromtimestamp(manifest.made_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    where = "ASSISTANT_DATABASE" if settings.database is not None else settings.data_dir
    typer.echo(f"Restored into {where}: the state of {made}.")
    for line in _not_in_it(manifest):
        typer.echo(f"Was not in the backup: {line}.")
    typer.echo(
        f"Next: erase again each customer who was erased after {made} (`assistant customer erase`), then start the"
        " servers. Clients load their conversations anew."
    )


def _place(settings: Settings) -> Place:
    return Place(
        folder=settings.data_dir,
        database=settings.database.get_secret_value() if settings.database is not None else None,
        documents=settings.document_store == "embedded",
        media=settings.media_store,
    )


def _not_in_it(manifest: Manifest) -> list[str]:
    """The parts of the installation that are stored elsewhere."""
    left_out = list[str]()
    if not manifest.documents:
        left_out.append("the documents in ASSISTANT_DOCUMENT_STORE")
    if manifest.media is not None:
        left_out.append(f"the pictures and files of tools' results in {manifest.media}")
    return left_out
