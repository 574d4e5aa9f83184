"""Prints what is remembered of a conversation, and what models would be given of it."""

import asyncio

import typer
from rich.console import Console

from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.memory.as_json import as_json as json_of
from assistant.commands.memory.remembered import remembered
from assistant.commands.memory.tables import print_tables
from assistant.commands.memory.texts import print_texts
from assistant.commands.which_conversation import which_conversation
from assistant.settings import load_settings


def show(conversation: str, *, as_json: bool, full: bool) -> None:
    """Print it.

    Args:
        conversation: its id, the beginning of one, or "last".
        as_json: as one JSON object.
        full: also the text of each request.

    Raises:
        typer.BadParameter: there is no such conversation, or more than one.
        AssistantError: something cannot be read, or a setting is wrong.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    key = which_conversation(conversation, settings.data_dir / "log.db")
    clock = SystemClock(settings.time_zone, settings.now)
    found = asyncio.run(remembered(settings, clock, key))
    if as_json:
        typer.echo(json_of(found, full=full))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    print_tables(console, found)
    if full:
        print_texts(console, found)
