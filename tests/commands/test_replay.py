"""``assistant replay`` as it is typed: what it shows, its exit codes, and how expectations are renewed."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.commands.replay import replay_progress
from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.replay.player.environment import environment_with
from assistant.replay.suite import play_file
from tests.replay.cassette_files import GOOD, UNREADABLE, written

LATE = GOOD.replace("within_ms: 305", "within_ms: 299")
CHANGED = GOOD.replace('says: "Good morning."', 'says: "Good evening."')


def typed(*words: object) -> tuple[int, str]:
    """The exit code, and what is printed."""
    result = CliRunner().invoke(app, ["replay", *map(str, words)])
    if isinstance(result.exception, DeclarationError):
        raise result.exception
    return result.exit_code, result.output


def test_a_passing_run_prints_one_line(tmp_path: Path) -> None:
    written(tmp_path, "a", GOOD)
    written(tmp_path, "b", GOOD)

    code, shown = typed(tmp_path)

    assert code == 0
    assert len(shown.splitlines()) == 1
    assert shown.startswith(
        "2 of 2 as expected; kept back by the guardrails: 0 repeated, 0 deeds and 0 facts without evidence. 1 s of "
    )


def test_a_difference_is_shown_and_gives_exit_code_1(tmp_path: Path) -> None:
    late = written(tmp_path, "late", LATE)
    written(tmp_path, "good", GOOD)

    code, shown = typed(tmp_path)

    assert code == 1
    assert f"{late}: different" in shown
    assert f"{late}:12: turn 1: hears (300 ms)" in shown
    assert "good.conversation" not in shown
    assert shown.splitlines()[-1].startswith("1 of 2 as expected; 1 different; ")


def test_an_unplayable_file_gives_exit_code_2_in_any_case(tmp_path: Path) -> None:
    nobody = written(tmp_path, "nobody", UNREADABLE)
    late = written(tmp_path, "late", LATE)

    code, shown = typed(nobody, late)

    assert code == 2
    assert f"{nobody}:4: turns: " in shown
    assert "0 of 2 as expected; 1 different; 1 cannot be played; " in shown


def test_on_request_every_conversation_is_shown(tmp_path: Path) -> None:
    code, shown = typed(written(tmp_path, "a", GOOD), "--show")

    assert code == 0
    assert "300 ms  response         Good morning." in shown


def test_an_intended_change_is_written_and_shown(tmp_path: Path) -> None:
    file = written(tmp_path, "a", CHANGED)

    code, shown = typed(file, "--update")

    assert file.read_text() == CHANGED.replace("Assistant: Good morning.", "Assistant: Good evening.")
    assert shown.splitlines()[:3] == [
        f"renewed {file}",
        "  -        Assistant: Good morning.",
        "  +        Assistant: Good evening.",
    ]
    assert code == 1  # what the customer was to hear word by word is for a person to change
    assert "hears" in shown


def test_a_file_that_cannot_be_renewed_is_not_changed(tmp_path: Path) -> None:
    file = written(tmp_path, "a", LATE)

    code, shown = typed(file, "--update")

    assert (code, file.read_text()) == (1, LATE)
    assert not shown.startswith("renewed")


def test_without_a_path_the_default_folder_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DeclarationError, match="name files or folders; there is no tests/conversations here"):
        typed()

    (tmp_path / "tests" / "conversations").mkdir(parents=True)
    written(tmp_path / "tests" / "conversations", "a", GOOD)

    code, shown = typed()

    assert (code, shown[:19]) == (0, "1 of 1 as expected;")


def test_a_terminal_shows_a_bar(tmp_path: Path) -> None:
    told = io.StringIO()
    console = Console(file=told, force_terminal=True, width=100)
    result = play_file(written(tmp_path, "a", LATE), environment_with(shipped_book()), SystemClock())

    with replay_progress(console, 1) as show:
        show(result)

    assert "1/1" in told.getvalue()
    assert "1 different" in told.getvalue()
