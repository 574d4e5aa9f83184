"""The command line: a mistake is one line and an exit code, never a traceback."""

import re
import runpy
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app, main, release
from tests.commands.conftest import ROOT, ProjectFolder


def test_it_prints_its_release() -> None:
    (stands,) = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)

    said = CliRunner().invoke(app, ["--version"])

    assert (said.exit_code, said.output) == (0, f"meanwhile {stands}\n")


def test_a_checkout_that_is_not_installed_knows_its_release_too() -> None:
    assert release("a package that nobody has installed") == release()


async def test_a_missing_folder_of_prompts_is_reported_in_one_line(premises: ProjectFolder) -> None:
    told = await premises.run("serve", "--port", "0", ASSISTANT_PROMPTS_DIR="nowhere")

    cure = "there is no such folder; set ASSISTANT_PROMPTS_DIR to the prompts' folder"
    assert told == (2, "", f"nowhere: {cure}\n")


def test_a_mistake_ends_the_command_with_code_2_and_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setattr(sys, "argv", ["assistant", "tools", "list"])

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 2
    cure = "there is no such folder; set ASSISTANT_TOOLS_DIR to the tools' folder"
    assert capsys.readouterr().err == f"{tmp_path}/nowhere: {cure}\n"


def test_the_package_can_be_run_as_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["assistant", "--version"])

    with pytest.raises(SystemExit) as ended:
        runpy.run_module("assistant", run_name="__main__")

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"meanwhile {release()}\n"
