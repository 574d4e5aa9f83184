"""``assistant migrate``: updates the storage to the schema of this release, or prints the missing steps."""

import asyncio

import typer

from assistant.assembly.schema import migrate_all, schemas
from assistant.commands.logging import set_up_logging
from assistant.settings import load_installation
from assistant.store.schema import SchemaState


def migrate(*, check: bool) -> int:
    """Apply the missing schema steps and print them; returns the exit code.

    Args:
        check: only print them; the code is 1 if there are any.

    Raises ``DeclarationError`` if the storage cannot be used.
    """
    set_up_logging("ERROR")
    settings = load_installation()
    found = asyncio.run(schemas(settings) if check else migrate_all(settings))
    for state in found:
        typer.echo(_told(state, check=check))
    if not found:
        typer.echo(f"{settings.data_dir}: nothing to do, a server makes its files at the first start")
    return 1 if check and any(state.pending for state in found) else 0


def _told(state: SchemaState, *, check: bool) -> str:
    if not state.pending:
        return f"{state.where}: schema {state.has}, nothing to do"
    steps = ", ".join(state.pending)
    if check:
        return f"{state.where}: schema {state.has}, pending: {steps}; run `assistant migrate`"
    return f"{state.where}: schema {state.has} -> {state.newest}: {steps}"
