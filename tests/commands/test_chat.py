"""The terminal: the same conversation, as text."""

import os
import subprocess
import sys
from pathlib import Path


def talk(folder: Path, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What the terminal shows when a customer types these lines."""
    done = subprocess.run(
        [sys.executable, "-m", "assistant", "chat", *options],
        input="".join(f"{line}\n" for line in lines),
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")},
            "ASSISTANT_DATA_DIR": str(folder),
            "ASSISTANT_NOW": "2026-11-21T10:00",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_conversation_in_the_terminal_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first = talk(tmp_path, "Check my appointments and billing", "", "cancel my Tuesday appointment")

    assert "You are talking to an automated assistant." in first
    assert "Sure, I'll look up your appointments and check your billing." in first
    assert "looking up your appointments: ok" in first
    assert "Shall I cancel your eye test on Tuesday, November 24 at 2 pm?" in first

    assert "is cancelled." in talk(tmp_path, "yes")
    assert "Shall I cancel" not in talk(tmp_path, "yes", options=("--new",))
