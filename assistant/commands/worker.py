"""``assistant worker``: runs background work until it is stopped."""

import asyncio

import typer

from assistant.background import run_worker
from assistant.commands.logging import set_up_logging
from assistant.commands.stop_signal import run_until, stop_requested
from assistant.settings import load_installation
from assistant.tenants import load_tenants


def worker() -> None:
    """Run jobs until the process is told to stop. Raises ``DeclarationError`` if a setting is wrong."""
    set_up_logging()
    asyncio.run(_working_until_told())


async def _working_until_told() -> None:
    installation = load_installation()
    tenants = load_tenants(installation)
    with stop_requested() as told:
        typer.echo("Meanwhile's worker is starting; Ctrl-C stops it.")
        await run_until(told, run_worker(installation, tenants))
