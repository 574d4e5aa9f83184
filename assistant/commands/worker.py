"""``assistant worker``: runs background work until it is stopped."""

import asyncio

import typer

from assistant.assembly.telemetry import metrics_access, telemetry_of
from assistant.background import run_worker
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stop_signal import run_until, stop_requested
from assistant.settings_sources import load_installation
from assistant.tenants import load_tenants


def worker() -> None:
    """Run jobs until the process is told to stop. Raises ``DeclarationError`` if a setting is wrong."""
    set_up_logging()  # until the settings are read
    asyncio.run(_working_until_told())


async def _working_until_told() -> None:
    installation = load_installation()
    tenants = load_tenants(installation)
    clock = SystemClock(installation.time_zone, installation.now)
    telemetry, access = telemetry_of(installation, clock), metrics_access(installation)
    set_up_logging(
        form=installation.log_format, counted=telemetry.line_logged if telemetry is not None else None
    )
    with stop_requested() as told:
        typer.echo("Meanwhile's worker is starting; Ctrl-C stops it.")
        if telemetry is None:
            await run_until(told, run_worker(installation, tenants))
            return
        # A web server is loaded only if there is something to serve.
        from assistant.commands.serve import serving_metrics

        async with serving_metrics(telemetry, access):
            await run_until(told, run_worker(installation, tenants, telemetry))
