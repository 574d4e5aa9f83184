"""The page for beginners: its terminal output is the real output."""

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from tests.docs.pages import page

PAGE = page("docs/start/getting-started.md")


def test_the_output_on_the_page_is_the_real_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, tree = PAGE.blocks("text")[:2]
    command, *shown = begun.splitlines()
    monkeypatch.chdir(tmp_path)

    printed = CliRunner().invoke(app, shlex.split(command.removeprefix("$ assistant "))).stdout.splitlines()

    assert printed[1:] == shown[1:]
    assert printed[0].partition("tool and")[0] == shown[0].partition("tool and")[0]
    for line in tree.splitlines()[1:]:
        names = line.split() if line.startswith("  pytest.ini") else line.split()[:1]
        assert all((tmp_path / "blue-kettle" / name).exists() for name in names)


def test_a_new_tools_result_is_told_as_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(app, ["tools", "new", "track_refund"]).stdout

    assert all(f"   {line}\n" in PAGE.text for line in printed.splitlines())
