"""``assistant upgrade``: updates the stored data to the schema of this release, or prints the missing steps."""

import asyncio
import sys
from collections.abc import Sequence

import typer

from assistant.assembly.schema import schemas, upgrade_all
from assistant.commands.logging import set_up_logging
from assistant.settings_sources import load_installation
from assistant.store.storage import SchemaState


def upgrade(*, check: bool) -> int:
    """Print the schema of each storage and the missing steps, and apply them; returns the exit code.

    A person at a terminal is asked for a backup first.

    Args:
        check: only print them; the code is 1 if there are any.

    Raises ``DeclarationError`` if the storage cannot be used, or a newer release wrote it.
    """
    set_up_logging("ERROR")
    settings = load_installation()
    found = asyncio.run(schemas(settings))
    for state in found:
        typer.echo(_missing(state))
    if not found:
        typer.echo(f"{settings.data_dir}: nothing to do, a server makes its files at the first start")
    pending = [state for state in found if state.pending]
    if not pending:
        return 0
    if any(state.has for state in pending):  # something is stored already
        typer.echo(_BACKUP)
    if check:
        typer.echo("Next: stop the servers that use a data folder, then run `assistant upgrade`")
        return 1
    _let_a_person_agree(pending)
    asyncio.run(upgrade_all(settings))
    for state in pending:
        typer.echo(f"{state.where}: schema {state.has} -> {state.newest}")
    return 0


_BACKUP = (
    "No step can be undone. Have a backup: of a data folder with `assistant backup FOLDER` now; of a database with"
    " the same command of the release that serves now"
)


def _missing(state: SchemaState) -> str:
    has = f"{state.where}: schema {state.has}, this release has {state.newest}"
    return f"{has}; to do: {', '.join(state.pending)}" if state.pending else f"{has}; nothing to do"


def _let_a_person_agree(pending: Sequence[SchemaState]) -> None:
    if sys.stdin.isatty() and any(state.has for state in pending):
        typer.confirm("Is there a backup?", abort=True)
