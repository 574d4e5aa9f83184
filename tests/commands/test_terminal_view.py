"""What a terminal shows of a conversation."""

from io import StringIO

import pytest
from rich.console import Console

from assistant.commands.chat import TerminalView
from assistant.conversation.calls import Call
from assistant.conversation.entries import (
    CallEnded,
    CallStarted,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnEnded,
)
from assistant.conversation.outcomes import CallEmpty

CALL = Call(id="c1.1", tool="orders", arguments={})
OPENED = MessageOpened(message_id="m1", round=1)
CLOSED = MessageClosed(message_id="m1", kind="acknowledgement")
STARTED = CallStarted(call_id="c1.1", tool="orders", idempotency_key="k")
ENDED = CallEnded(outcome=CallEmpty(call=CALL, value=[]), duration_ms=3)


def text(words: str) -> MessageText:
    return MessageText(message_id="m1", text=words)


def shown(*entries: Entry) -> list[str]:
    """The text on the terminal after these entries."""
    console = Console(file=StringIO(), width=80, highlight=False, markup=False, emoji=False)
    screen = TerminalView(console, "Robin", lambda tool, _locale: f"looking at your {tool}")
    for seq, entry in enumerate(entries, start=1):
        screen.show([Logged(seq, seq, "t1", entry)])
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_a_message_grows_after_the_name() -> None:
    assert shown(OPENED, text("Sure, "), text("I'll look."), CLOSED) == ["Robin: Sure, I'll look."]


def test_markup_is_shown_as_text() -> None:
    assert shown(OPENED, text("[bold]no[/bold] :smile:"), CLOSED) == ["Robin: [bold]no[/bold] :smile:"]


@pytest.mark.parametrize(
    "entries",
    [(OPENED, STARTED, text("Sure."), ENDED, CLOSED), (OPENED, text("Sure."), CLOSED, STARTED, ENDED)],
)
def test_a_call_waits_for_the_end_of_the_sentence(entries: tuple[Entry, ...]) -> None:
    assert shown(*entries) == [
        "Robin: Sure.",
        "  looking at your orders ...",
        "  looking at your orders: empty",
    ]


def test_calls_that_never_ran_and_internal_entries_are_not_shown() -> None:
    assert shown(ENDED, TurnEnded(turn_id="t1", how="answered")) == []
