"""``assistant customer``: give out all that is kept of one customer, or erase it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assistant.assembly.customer_data import Erased

app = typer.Typer(help="Give out what is kept of a customer, or erase it.", no_args_is_help=True)

_Id = Annotated[str, typer.Argument(help="the customer's number, as tools and the log know it")]
_Tenant = Annotated[str, typer.Option(help="whose customer it is")]


@app.command()
def export(
    customer: _Id,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="the file; <ID>.customer.json when left out")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="write over a file that is there")] = False,
    tenant: _Tenant = "demo",
) -> None:
    """Write everything that is kept of a customer into a JSON file; a server may be running."""
    from assistant.commands.customer_run import export as run

    file = out or Path(f"{_as_a_name(customer)}.customer.json")
    if not file.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {file.parent}", param_hint="-o")
    if file.exists() and not force:
        raise typer.BadParameter(f"{file} is there already; --force writes over it", param_hint="-o")
    counts = run(tenant, customer, file)
    if not any(counts.values()):
        typer.echo(f"Nothing is kept of customer {customer!r} of {tenant!r}.")
        raise typer.Exit(1)
    told = ", ".join(f"{count} {what}" for what, count in counts.items())
    typer.echo(f"Written to {file}: {told}. It is as private as the customer is: keep it so.")


@app.command()
def erase(
    customer: _Id,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask")] = False,
    tenant: _Tenant = "demo",
) -> None:
    """Erase everything that is kept of a customer, for good.

    While a server runs on the same data folder, ask that one: DELETE /v1/operators/customers/ID.
    """
    from assistant.commands.customer_run import erase as run

    if not yes:
        typer.confirm(f"Erase all that is kept of customer {customer!r} of {tenant!r}, for good?", abort=True)
    _say(customer, tenant, run(tenant, customer))


def _say(customer: str, tenant: str, erased: "Erased") -> None:
    if erased.nothing:
        typer.echo(f"Nothing is kept of customer {customer!r} of {tenant!r}.")
        raise typer.Exit(1)
    typer.echo(f"Erased: {erased}.")
    for path in erased.left:
        typer.echo(f"Also recorded in {path}, which is not in the data folder: delete it yourself.", err=True)
    typer.echo("What your own systems know of them is not kept here, nor what backups hold.")


def _as_a_name(customer: str) -> str:
    """A file's name without anything that a path could mean.

    >>> _as_a_name("../7")
    '.._7'
    """
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in customer)
