"""The terminal: the same conversation, as text."""

import signal
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from assistant.cli import app
from tests.commands.conftest import ProjectFolder, signals_left_alone

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def premises_of_this_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_NOW", "2026-11-21T10:00")
    monkeypatch.setenv("COLUMNS", "200")


def talk(monkeypatch: pytest.MonkeyPatch, *lines: str, options: tuple[str, ...] = ()) -> list[str]:
    """What the terminal shows when a customer types these lines."""
    with signals_left_alone():
        typed = "".join(f"{line}\n" for line in lines)
        done = CliRunner().invoke(app, ["chat", *options], input=typed)
        structlog.reset_defaults()
    assert done.exit_code == 0, done.output
    return [line.replace("You: ", "").strip() for line in done.stdout.splitlines()]


def test_a_conversation_continues_where_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    first = talk(monkeypatch, "Check my appointments and billing", "", "cancel my Tuesday appointment")

    assert first[1].startswith("You are talking to an automated assistant. (demo model, English only)")
    assert "Robin: Sure, I'll look up your appointments and check your billing." in first
    assert "looking up your appointments: ok" in first
    assert first[-2:] == ["Robin: Shall I cancel your eye test on Tuesday, November 24 at 2 pm?", ""]

    assert talk(monkeypatch, "yes")[-2].endswith("is cancelled.")
    assert "Shall I cancel" not in "".join(talk(monkeypatch, "yes", options=("--new",)))


async def test_ctrl_c_leaves_while_the_input_is_open(premises: ProjectFolder) -> None:
    process = await premises.start("chat")
    assert process.stdout is not None
    await process.stdout.readuntil(b"You: ")

    process.send_signal(signal.SIGINT)
    output, errors = await process.communicate()

    assert (process.returncode, output, errors) == (0, b"\n", b"")
    assert not (premises.data / "log.db-wal").exists()
