"""``assistant secrets``: which secrets there are, and how one is replaced without a gap."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from assistant.assembly.storage import change_secret, open_conversations, open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.privacy.receipts import ReceiptSigner
from assistant.secret_files import IS_SECRET, SUFFIX, secret_values, write_secret_file
from assistant.server.auth import VISIT_S
from assistant.settings import FILE, PREFIX, Settings, TenantSettings
from assistant.settings_sources import load_installation, secret_settings, written_settings
from assistant.store.keyring import TAKEN_UP_S, InstallationSecret
from assistant.tenants import load_settings, load_tenants, tenant_names

OWN = "own"
"""The installation's secret, which it makes itself."""

_DAY_MS = 24 * 3600 * 1000
_HAS_TWO = ("site_secret", "operator_token", "handoff_webhook_secret", "webhook_secret", "phone_auth_token")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSecret:
    """A secret of the settings, with the number of its values. ``since_ms``: when its file was written."""

    name: str
    source: str
    values: int
    since_ms: int | None = None


def list_secrets() -> None:
    """Print each secret's name, where it comes from, how many values it has, and its age. Never a value."""
    set_up_logging("ERROR")
    installation = load_installation()
    now_ms = _clock(installation).now_ms()
    table = Table(box=None, pad_edge=False)
    for heading in ("secret", "from", "values", "age"):
        table.add_column(heading)
    record = asyncio.run(_own_record(installation))
    if record is not None:
        source = (
            "ASSISTANT_DATABASE"
            if installation.database is not None
            else str(installation.data_dir / "secret")
        )
        since_ms = record.rotated_ms or _written_ms(installation.data_dir / "secret")
        table.add_row(OWN, source, str(len(record.accepted)), _age(since_ms, now_ms))
    for secret in [*_of_installation(installation), *_of_tenants(installation)]:
        table.add_row(secret.name, secret.source, str(secret.values), _age(secret.since_ms, now_ms))
    Console(highlight=False, markup=False, emoji=False, soft_wrap=True).print(table)


def rotate(name: str, *, finish: bool, now: bool) -> None:
    """Make a new value and keep the previous one; or, with ``finish``, remove the previous one.

    Args:
        name: "own", or a setting whose value is in a file.
        finish: remove the previous value.
        now: remove it even if something still needs it.

    Raises:
        typer.BadParameter: there is no such secret.
        AssistantError: it cannot be changed now.
    """
    set_up_logging("ERROR")
    if name == OWN:
        installation = load_installation()
        if finish:
            _finish_own(installation, now=now)
        else:
            _rotate_own(installation)
        return
    setting = name.lower().removeprefix(PREFIX.lower())
    if setting not in _HAS_TWO:
        raise typer.BadParameter(f"{name!r} is none of {', '.join((OWN, *_HAS_TWO))}", param_hint="NAME")
    _rotate_setting(load_settings(), setting, finish=finish)


def _rotate_own(installation: Settings) -> None:
    clock, new = _clock(installation), SystemIds().secret()
    changed = asyncio.run(change_secret(installation, lambda secret: secret.rotated(new, clock.now_ms())))
    used_from_ms = changed.rotated_ms + round(TAKEN_UP_S * 1000)
    typer.echo(
        "The installation has a new secret. Running servers read it within seconds and use it from"
        f" {_time(used_from_ms)}."
    )
    typer.echo(
        f"What the previous secret signed stays valid. After {_time(used_from_ms + VISIT_S * 1000)}, when the last"
        f" visitor's token with it has ended, run: assistant secrets rotate {OWN} --finish"
    )
    typer.echo("Receipts have a new public key; publish it with the date. `assistant receipt` prints it.")


def _finish_own(installation: Settings, *, now: bool) -> None:
    clock = _clock(installation)
    record = asyncio.run(_own_record(installation))
    if record is None or not record.previous:
        raise DeclarationError("the installation's secret has one value: no rotation is to be finished")
    used_from = record.rotated_ms + round(TAKEN_UP_S * 1000)
    needed_until = used_from + VISIT_S * 1000
    if clock.now_ms() < needed_until and not now:
        raise DeclarationError(
            f"visitors' tokens that the previous secret has signed are valid until {_time(needed_until)}: wait, or"
            " end them with --finish --now if that secret is known to others"
        )
    if clock.now_ms() < used_from:
        raise DeclarationError(f"not all servers use the new secret yet: try again after {_time(used_from)}")
    resealed = asyncio.run(_reseal(installation))
    tenants = tenant_names(installation)

    def finished(secret: InstallationSecret) -> InstallationSecret:
        return secret.finished(lambda text: ReceiptSigner(text).public_key, tenants)

    asyncio.run(change_secret(installation, finished))
    typer.echo(f"The previous secret is removed; {resealed} credentials of customers were encrypted anew.")
    typer.echo("Receipts that it signed still verify: its public key stays known.")


async def _reseal(installation: Settings) -> int:
    clock = _clock(installation)
    async with open_storage(installation, clock, SystemIds(), exclusive=False, create=False) as storage:
        return await storage.credentials.reseal()


def _rotate_setting(settings: Settings, setting: str, *, finish: bool) -> None:
    variable = f"{PREFIX}{setting.upper()}"
    values = secret_values(getattr(settings, setting))
    path = _variables(settings).get(f"{variable}{SUFFIX}")
    if not path:
        raise DeclarationError(
            f"{variable} is not in a file, so this command cannot change it: set {variable}{SUFFIX}, or write both"
            f" values into {variable} yourself, the new one first, with a space between"
        )
    if finish:
        if len(values) < 2:
            raise DeclarationError(f"{variable} has one value: no rotation is to be finished")
        write_secret_file(Path(path), values[:1])
        typer.echo(f"{path} has the new value alone. Restart each server, one after the other.")
        return
    if len(values) > 1:
        raise DeclarationError(
            f"{variable} has two values already: finish that rotation first, with --finish"
        )
    write_secret_file(Path(path), (SystemIds().secret(), *values))
    typer.echo(
        f"{path} has a new value in its first line, and the previous one in its second. Each server that you"
        " restart accepts both. docs/guides/secrets.md has the next step."
    )


async def _own_record(installation: Settings) -> InstallationSecret | None:
    try:
        async with open_conversations(installation) as conversations:
            return await conversations.secrets()
    except DeclarationError:  # nothing is stored yet
        return None


def _of_installation(installation: Settings) -> list[KnownSecret]:
    """The secrets of the settings, and those of other programs that are set, such as providers' keys."""
    variables = _variables(installation)
    ours = [f"{PREFIX}{name.upper()}" for name in secret_settings()]
    others = [
        name
        for name in sorted({one.removesuffix(SUFFIX) for one in variables})
        if IS_SECRET.search(name.upper()) and not name.startswith(PREFIX)
    ]
    return [
        found for name in (*ours, *others) if (found := _known(name, variables, _sources(name))) is not None
    ]


def _of_tenants(installation: Settings) -> list[KnownSecret]:
    found = list[KnownSecret]()
    for tenant in load_tenants(installation):
        file = tenant.folder / FILE
        variables = {name: value for name, value in written_settings(file).items() if value}
        for name in sorted({one.removesuffix(SUFFIX) for one in variables}):
            if IS_SECRET.search(name.upper()):
                known = _known(name, variables, str(file))
                if known is not None:
                    found.append(known)
    return found


def _known(name: str, variables: Mapping[str, str], source: str) -> KnownSecret | None:
    if path := variables.get(f"{name}{SUFFIX}"):
        try:
            values = len(Path(path).read_text("utf-8").split())
        except (OSError, UnicodeDecodeError):
            values = 0
        return KnownSecret(name=name, source=path, values=values, since_ms=_written_ms(Path(path)))
    if value := variables.get(name):
        return KnownSecret(name=name, source=source, values=len(value.split()))
    return None


def _sources(name: str) -> str:
    return "environment" if os.environ.get(name) else FILE


def _variables(settings: Settings) -> dict[str, str]:
    """All that is set, where it is written: files with secrets are not read."""
    places = [written_settings(FILE), os.environ]
    if isinstance(settings, TenantSettings):
        places.append(written_settings(settings.folder / FILE))
    return {name: value for place in places for name, value in place.items() if value}


def _written_ms(file: Path) -> int | None:
    try:
        return round(file.stat().st_mtime * 1000)
    except OSError:
        return None


def _clock(settings: Settings) -> SystemClock:
    return SystemClock(settings.time_zone, settings.now)


def _age(since_ms: int | None, now_ms: int) -> str:
    if since_ms is None:
        return "unknown"
    days = max(0, now_ms - since_ms) // _DAY_MS
    return "1 day" if days == 1 else f"{days} days"


def _time(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
