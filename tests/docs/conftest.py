"""Runs the product as a reader of the README does: with its commands, in a copy of the editable folders."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import ROOT


@dataclass(frozen=True, slots=True)
class Checkout:
    """A copy of the tools and prompts, to be edited, with a data folder of its own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a command is run with: nothing of the tester's own settings, and no documents by itself."""
        mine = {name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")}
        return {
            **mine,
            "ASSISTANT_KNOWLEDGE_DIR": os.environ["ASSISTANT_KNOWLEDGE_DIR"],
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "400",
            "ASSISTANT_DATA_DIR": str(self.folder / "data"),
            "ASSISTANT_NOW": "2026-11-21T10:00",
        }

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text in a file."""
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def run(self, *command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run ``python <command>`` to its end."""
        return subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env=self.environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def chat(self, *messages: str) -> list[str]:
        """What the assistant says in the terminal to these messages, line by line."""
        done = self.run("-m", "assistant", "chat", typed="\n".join(messages) + "\n")
        assert done.returncode == 0, done.stderr
        return [line.removeprefix("You: ").strip() for line in done.stdout.splitlines()]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A fresh copy."""
    for room in ("tools", "prompts", "knowledge"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return Checkout(tmp_path)
