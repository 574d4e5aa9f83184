"""The progress of adding documents, shown in a terminal."""

from io import StringIO

from rich.console import Console

from assistant.commands.stored.documents import add_progress
from assistant.memory.retrieval_tools import EmptyLibrary


def on(console: Console) -> None:
    with add_progress(console, 2) as stage:
        stage.show("reading", "returns.md")
        stage.step("reading")
        stage.begin(served=True)
        stage.show("embedding", "[bold]Returns policy")
        stage.reach("embedding", 1)


def test_a_terminal_shows_two_bars_and_the_current_step() -> None:
    screen = StringIO()
    on(Console(file=screen, force_terminal=True, width=120))

    shown = screen.getvalue()
    assert "1/2" in shown
    assert "[bold]Returns policy" in shown
    assert "A server has this data folder" in shown


def test_a_file_contains_no_bars() -> None:
    screen = StringIO()
    on(Console(file=screen, width=120))

    assert screen.getvalue() == "A server has this data folder; it takes the documents up.\n"


async def test_without_documents_nothing_is_found() -> None:
    assert await EmptyLibrary().search("shop", "ana", "How long?") == []
    assert await EmptyLibrary().load("shop", "ana", "document:1") is None
