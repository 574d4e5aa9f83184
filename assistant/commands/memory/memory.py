"""``assistant memory``: what is remembered of a conversation, and what models would be given of it."""

from typing import Annotated

import typer

app = typer.Typer(help="See what is remembered of conversations.", no_args_is_help=True)


@app.callback()
def options() -> None:
    """See what is remembered of conversations."""


@app.command()
def show(
    conversation: Annotated[
        str, typer.Argument(help="its id, or the beginning of it; 'last' is the one that went on last")
    ],
    json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="also the very text that each model would be given")
    ] = False,
) -> None:
    """Show what each model would be given of a conversation now, part by part, in tokens; and what else is kept.

    What the customer said stands in it.
    """
    from assistant.commands.memory.show import show as run

    run(conversation, as_json=json, full=full)
