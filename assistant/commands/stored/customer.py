"""``assistant customer``: exports or erases all data of one customer."""

import asyncio
from pathlib import Path
from urllib.parse import quote

import orjson
import typer

from assistant.commands.logging import set_up_logging
from assistant.privacy.customer_data import ErasureReport, customer_data_in
from assistant.store.storage import StorageInUse
from assistant.tenants import load_settings


def export(tenant: str, customer: str, out: Path | None, *, force: bool) -> None:
    """Write all data into the file, if there is any.

    Raises:
        AssistantError: some data cannot be read.
    """
    file = out or Path(f"{_file_name(customer)}.customer.json")
    if not file.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {file.parent}", param_hint="-o")
    if file.exists() and not force:
        raise typer.BadParameter(f"{file} is there already; --force writes over it", param_hint="-o")
    counts = asyncio.run(_export(tenant, customer, file))
    if not any(counts.values()):
        typer.echo(f"Nothing is kept of customer {customer!r} of {tenant!r}.")
        raise typer.Exit(1)
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    typer.echo(f"Written to {file}: {told}. It is as private as the customer is: keep it so.")


def erase(tenant: str, customer: str, *, ask: bool) -> None:
    """Erase everything; with ``ask``, after a question.

    Raises:
        DeclarationError: a server uses the folder.
    """
    if ask:
        typer.confirm(f"Erase all data of customer {customer!r} of {tenant!r} permanently?", abort=True)
    erased = asyncio.run(_erase(tenant, customer))
    if erased.nothing:
        typer.echo(f"Nothing is kept of customer {customer!r} of {tenant!r}.")
        raise typer.Exit(1)
    typer.echo(f"Erased: {erased}.")
    for path in erased.left:
        typer.echo(f"Also recorded in {path}, which is not in the data folder: delete it yourself.", err=True)
    for one in erased.elsewhere:
        typer.echo(
            f"Also recorded in {one}: it is deleted when a server or worker runs there.",
            err=True,
        )
    typer.echo("What your own systems know of them is not kept here, nor what backups hold.")


async def _export(tenant: str, customer: str, out: Path) -> dict[str, int]:
    set_up_logging("ERROR")
    async with customer_data_in(load_settings()) as data:
        everything = await data.export(tenant, customer)
    counts = {what: len(rows) for what, rows in everything.items() if isinstance(rows, list)}
    if any(counts.values()):
        out.touch(mode=0o600)
        out.chmod(0o600)  # the file may have existed before
        out.write_bytes(orjson.dumps(everything, option=orjson.OPT_INDENT_2, default=dict))
    return counts


async def _erase(tenant: str, customer: str) -> ErasureReport:
    set_up_logging("ERROR")
    try:
        async with customer_data_in(load_settings(), exclusive=True) as data:
            return await data.erase(tenant, customer)
    except StorageInUse as error:
        address = f"http://127.0.0.1:8000/v1/operators/customers/{quote(customer, safe='')}"
        raise StorageInUse(
            f"{error}. A running server can erase, with the operators' token:\n"
            f'curl -X DELETE -H "Authorization: Bearer $ASSISTANT_OPERATOR_TOKEN" {address}'
        ) from error


def _file_name(customer: str) -> str:
    """A file's name without characters that have a meaning in a path.

    >>> _file_name("../7")
    '.._7'
    """
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in customer)
