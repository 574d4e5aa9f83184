"""``assistant doctor``: prints what is configured, whether it works, and how to fix each problem."""

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial

import typer

from assistant.commands.logging import set_up_logging
from assistant.doctor.database_findings import database_findings, job_findings
from assistant.doctor.known_settings import read_settings
from assistant.doctor.service_findings import (
    DepsFor,
    answer_findings,
    configured_deps,
    http_findings,
    name_findings,
    phone_findings,
    role_findings,
    server_findings,
    sign_in_findings,
    temporal_findings,
    voice_findings,
)
from assistant.doctor.setup_findings import (
    budget_findings,
    document_findings,
    folder_findings,
    key_findings,
    page_findings,
    policy_findings,
    prompt_findings,
    settings_findings,
    time_findings,
    tool_findings,
    visitor_findings,
)
from assistant.errors import DeclarationError
from assistant.findings import Doubtful, Finding, Look, Wrong, lines, looked_at
from assistant.settings import Settings
from assistant.settings_sources import load_installation
from assistant.tenants import load_tenants


async def examine(*, offline: bool, deps_for: DepsFor = configured_deps) -> AsyncGenerator[list[Finding]]:
    """The findings of each check, when they are known. Raises no error.

    Args:
        offline: connect to no model, no tool server and no document server.
        deps_for: makes the dependencies for a model's request.
    """
    known = read_settings()
    settings = known.settings
    looks: list[tuple[str, Look]] = [
        ("settings", partial(settings_findings, known)),
        ("keys", partial(key_findings, known)),
        ("tools", partial(tool_findings, settings)),
        ("HTTP tools", partial(http_findings, settings)),
        ("servers", partial(server_findings, settings, offline=offline)),
        ("prompts", partial(prompt_findings, settings)),
        ("policies", partial(policy_findings, settings)),
        ("page", page_findings),
        _storage_look(settings, offline=offline),
        ("jobs", partial(job_findings, settings, offline=offline)),
        ("temporal", partial(temporal_findings, settings, offline=offline)),
        ("documents", partial(document_findings, settings, offline=offline)),
        ("voice", partial(voice_findings, settings)),
        ("phone", partial(phone_findings, settings)),
        ("sign-in", partial(sign_in_findings, settings, offline=offline)),
        ("visitors", partial(visitor_findings, settings)),
        ("time", partial(time_findings, settings)),
        ("models", partial(role_findings, known)),
        ("budgets", partial(budget_findings, settings, offline=offline)),
    ]
    asking = partial(answer_findings, settings, deps_for)
    looks.append(("models", partial(name_findings, settings) if offline else asking))
    for what, look in looks:
        yield await looked_at(what, look)


def _storage_look(settings: Settings, *, offline: bool) -> tuple[str, Look]:
    """With a database, the data folder has no log, and no lock to check."""
    if settings.database is None:
        return "data folder", partial(folder_findings, settings)
    return "database", partial(database_findings, settings.database.get_secret_value(), offline=offline)


_TENANT = "ASSISTANT_TENANT"


def doctor(*, offline: bool) -> int:
    """Run all checks and print the findings; returns the exit code: 1 if something is wrong."""
    set_up_logging("CRITICAL")  # each problem is printed once, as a finding
    try:
        tenants = [one.tenant for one in load_tenants(load_installation())]
    except DeclarationError:
        tenants = []  # the first finding reports the problem
    if not tenants or _TENANT in os.environ:
        return asyncio.run(_doctor(offline=offline))
    codes: list[int] = []
    for tenant in tenants:
        typer.echo(f"Tenant {tenant}:\n")
        os.environ[_TENANT] = tenant
        codes.append(asyncio.run(_doctor(offline=offline)))
    del os.environ[_TENANT]
    return max(codes)


async def _doctor(*, offline: bool) -> int:
    found: list[Finding] = []
    async with aclosing(examine(offline=offline)) as looks:
        async for findings in looks:
            found += findings
            for line in (line for finding in findings for line in lines(finding, _width())):
                typer.echo(line)
    typer.echo(_verdict(found, offline=offline))
    return 1 if any(isinstance(finding, Wrong) for finding in found) else 0


def _width() -> int | None:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _verdict(found: list[Finding], *, offline: bool) -> str:
    wrong = sum(isinstance(finding, Wrong) for finding in found)
    doubtful = sum(isinstance(finding, Doubtful) for finding in found)
    asked = "No model was asked. " if offline else ""
    if wrong:
        return f"\n{asked}{wrong} wrong, {doubtful} to look at."
    return f"\n{asked}Everything works{f'; {doubtful} to look at' if doubtful else ''}."
