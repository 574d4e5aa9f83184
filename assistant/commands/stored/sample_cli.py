"""The command line of the example conversations: ``assistant sample``."""

import typer

app = typer.Typer(
    help="Add example conversations of the demo shop to look at in the console, and remove them.",
    no_args_is_help=True,
)


@app.command()
def add() -> None:
    """Add the example conversations. Reports do not count them, and no webhook gets them. A server may run."""
    from assistant.commands.stored.sample import add as run

    run()


@app.command()
def remove() -> None:
    """Remove the example conversations and all that came of them. Stop the server on this data folder before."""
    from assistant.commands.stored.sample import remove as run

    run()
