"""``assistant documents``: what the company knows, and what its customers have shown: see it, add to it, try it."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="See, add, remove and search the documents that answers are drawn from.", no_args_is_help=True
)

_Tenant = Annotated[str, typer.Option(help="whose customers; the demo shop's when left out")]
_DEMO = "demo"


@app.command()
def add(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="files, or folders of them: Markdown, text, HTML, PDF"),
    ],
    customer: Annotated[
        str, typer.Option(help="the id of the one customer who may read them; all of them when left out")
    ] = "",
    title: Annotated[
        str, typer.Option(help="what answers call their source; read from the file when left out")
    ] = "",
    expires: Annotated[
        str,
        typer.Option(help="when they are deleted: a day such as 2027-01-31, or days from now such as 90d"),
    ] = "",
    tenant: _Tenant = _DEMO,
) -> None:
    """Add documents, so that answers can be drawn from them. A file that was added before is replaced."""
    from assistant.commands.documents.add import Wishes
    from assistant.commands.documents.add import add as run

    raise typer.Exit(
        run(Wishes(paths=tuple(paths), customer=customer, title=title, expires=expires, tenant=tenant))
    )


@app.command("list")
def list_documents(
    customer: Annotated[str | None, typer.Option(help="only what this customer alone may read")] = None,
    results: Annotated[bool, typer.Option("--results", help="also what tools have found")] = False,
    tenant: _Tenant = _DEMO,
) -> None:
    """Show what there is, how long it is kept, and what waits to be taken up."""
    from assistant.commands.documents.list import list_documents as run

    run(tenant, customer, results=results)


@app.command()
def remove(
    ref: Annotated[str, typer.Argument(help="its reference, as `assistant documents list` shows it")],
    tenant: _Tenant = _DEMO,
) -> None:
    """Delete a document for good."""
    from assistant.commands.documents.list import remove as run

    raise typer.Exit(run(tenant, ref))


@app.command()
def search(
    question: Annotated[str, typer.Argument(help="what a customer might ask")],
    customer: Annotated[str, typer.Option(help="as this customer, who has documents of their own")] = "",
    tenant: _Tenant = _DEMO,
) -> None:
    """Show which passages a question would find, how near they are, and whether that is near enough."""
    from assistant.commands.documents.search import search as run

    run(tenant, customer, question)
