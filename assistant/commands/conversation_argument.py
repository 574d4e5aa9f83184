"""Finds the conversation that the command line names, in the log of a server that may be running."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import typer

from assistant.conversation.customer import ConversationKey
from assistant.store.log_reader import LoggedConversation, conversations_in_log

_LISTED = 10


def find_conversation(asked: str, log: Path) -> ConversationKey:
    """The conversation of this id, the one that begins so, or the one that went on last for "last".

    Raises:
        typer.BadParameter: there is none, or more than one; it says which there are.
        DeclarationError: there is no log, or it cannot be read.
    """
    listed = conversations_in_log(log)
    if not listed:
        raise typer.BadParameter(f"there are none in {log} yet", param_hint="CONVERSATION")
    exact = [one for one in listed if one.key.conversation == asked]
    begun = [one for one in listed if one.key.conversation.startswith(asked)]
    found = exact or (listed[-1:] if asked == "last" else begun)
    if len(found) == 1:
        return found[0].key
    told = f"{len(found)} begin with {asked!r}" if found else f"there is none that begins with {asked!r}"
    raise typer.BadParameter(f"{told}; there are:\n{_listing(found or listed)}", param_hint="CONVERSATION")


def _listing(listed: Sequence[LoggedConversation]) -> str:
    shown = [
        f"  {one.key.conversation}  ({datetime.fromtimestamp(one.last_ms / 1000, UTC):%Y-%m-%d %H:%M} UTC)"
        for one in reversed(listed[-_LISTED:])
    ]
    more = len(listed) - len(shown)
    return "\n".join([*shown, *([f"  and {more} older ones"] if more else [])])
