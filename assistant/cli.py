"""The command line. Each command imports what it needs only when it is called."""

import sys
from typing import Annotated

import typer

from assistant.commands.tools import app as tools
from assistant.errors import AssistantError

app = typer.Typer(
    help="Meanwhile: a customer-service assistant that says what it is looking up while it looks it up.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(tools, name="tools")


def _say_release(wanted: bool) -> None:
    if wanted:
        from assistant.commands.version import release

        typer.echo(f"meanwhile {release()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="say which release this is", callback=_say_release, is_eager=True),
    ] = False,
) -> None:
    """What every command takes."""


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="where to listen; 0 takes any free port")] = 8000,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
) -> None:
    """Serve the demo page and the websocket."""
    from assistant.commands.serve import serve as run

    run(host, port)


@app.command()
def chat(
    new: Annotated[bool, typer.Option("--new", help="begin a new conversation")] = False,
) -> None:
    """Talk to the assistant in this terminal."""
    from assistant.commands.chat import chat as run

    run(new=new)


def main() -> None:
    """Run a command; what is wrong is said in a line, without a traceback."""
    try:
        app()
    except AssistantError as error:
        print(error, file=sys.stderr)  # noqa: T201
        sys.exit(2)
