"""``assistant tools import``: drafts HTTP tools from an OpenAPI description, for review."""

from pathlib import Path
from typing import Annotated

import typer


def import_openapi(
    description: Annotated[Path, typer.Argument(help="the OpenAPI file, 3.0 or 3.1, JSON or YAML")],
    only: Annotated[str, typer.Option(help="these operations, by their ids, with commas between")] = "",
    out: Annotated[
        Path | None, typer.Option(help="the file; <name>.http.toml in the tools' folder when left out")
    ] = None,
) -> None:
    """Draft a tool for each operation of an API. None is offered to customers before you have reviewed it."""
    from assistant.errors import DeclarationError
    from assistant.settings import load_settings
    from assistant.shipped import own_or_shipped
    from assistant.tooling.openapi.document import read_document
    from assistant.tooling.openapi.draft_file import draft_file

    names = [name.strip() for name in only.split(",") if name.strip()]
    drafted = draft_file(read_document(description), names)
    folder = Path("tools") if out is None else out.parent
    settings = load_settings()
    if out is None and settings.tools_dir is not None:
        folder = own_or_shipped(settings.tools_dir, "tools")
    file = out or folder / f"{_stem(description)}.http.toml"
    if file.exists():
        raise DeclarationError(f"{file} is there already; name another one with --out")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(drafted.text, encoding="utf-8")
    typer.echo(f"{file}: {len(drafted.names)} drafts: {', '.join(drafted.names)}")
    for one in drafted.left_out:
        typer.echo(f"left out: {one}")
    if drafted.own:
        typer.echo(f"act for the customer who is signed in, with their own token: {', '.join(drafted.own)}")
        typer.echo("    your site gives that token along when it introduces the customer: docs/identity.md")
    typer.echo(
        "Read it, answer each 'review:', and take 'draft = true' out of the tools that customers may use."
    )
    typer.echo("Next: assistant tools check, assistant tools call NAME")


def _stem(description: Path) -> str:
    """The file's name without its kind, in plain letters; "api" for one that only says what it is.

    >>> _stem(Path("My Shop.v2.yaml")), _stem(Path("openapi.json"))
    ('my_shop_v2', 'api')
    """
    from assistant.tooling.openapi.operations import snake

    name = snake(description.stem)
    return "api" if name in ("", "openapi", "open_api", "swagger") else name
