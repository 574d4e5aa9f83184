"""What a model was given in a conversation, from the log of a server that may be running."""

import asyncio
from datetime import UTC, datetime

import typer

from assistant.app import known_to_tools
from assistant.assembly.context_inspector import Asking, askings_of, onlooking, overhear
from assistant.clock import SystemClock
from assistant.commands.which_conversation import which_conversation
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import ModelRole
from assistant.sessions.config_version import bundle_of
from assistant.settings import Settings
from assistant.store.bundles import KeptBundle
from assistant.store.log_reader import LogReader


def given_to_model(
    settings: Settings, role: ModelRole, conversation: str, turn: str | None, *, edited: bool
) -> str:
    """The instructions that the model in this role was given when it was asked last.

    Args:
        settings: where the log, the prompts and the tools are.
        role: which model.
        conversation: its id, the beginning of one, or "last".
        turn: in this turn (t1, t2, ...) instead of the last one that asked the model.
        edited: as the prompts are now instead of as they were.

    Raises:
        typer.BadParameter: there is no such conversation, or the model was not asked there.
        AssistantError: something in the folders is wrong, or the log cannot be read.
    """
    key = which_conversation(conversation, settings.data_dir / "log.db")
    with LogReader(settings.data_dir / "log.db") as log:
        askings = askings_of(log.read(key), role, turn)
        if not askings:
            where = f"turn {turn!r} of this conversation" if turn else "this conversation"
            raise typer.BadParameter(f"no {role} was asked in {where}", param_hint="NAME")
        asking = askings[-1]
        bundle = bundle_of(asking.before) or ""
        kept = log.bundle(bundle)
        if kept is None and not edited:
            typer.echo(f"The prompts of then (bundle {bundle}) were not kept; these are today's.", err=True)
    with known_to_tools(settings):
        return asyncio.run(_given(asking, key, settings, None if edited else kept))


async def _given(asking: Asking, key: ConversationKey, settings: Settings, kept: KeptBundle | None) -> str:
    then = datetime.fromtimestamp(asking.asked.at_ms / 1000, UTC)
    parts = onlooking(settings, SystemClock(settings.time_zone, then), kept)
    return (await overhear(asking, key, parts)).view.instructions
