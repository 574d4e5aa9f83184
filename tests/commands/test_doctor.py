"""``assistant doctor`` in a terminal: aligned, in words, with an exit code."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.findings import Doubtful, Finding, Fine, Wrong, lines
from tests.commands.conftest import ProjectFolder

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("finding", "shown"),
    [
        (Fine("keys", "none set"), ["ok     keys          none set"]),
        (
            Doubtful("time", "is set", "remove it"),
            ["warn   time          is set", "                     -> remove it"],
        ),
        (Wrong("tools", "a.py:1: wrong; cure"), ["WRONG  tools         a.py:1: wrong; cure"]),
    ],
)
def test_a_finding_has_its_mark_in_words(finding: Finding, shown: list[str]) -> None:
    assert list(lines(finding, None)) == shown


def test_long_lines_stay_in_their_column() -> None:
    shown = list(lines(Doubtful("tools", "word " * 20, "cure " * 20), 80))

    assert max(map(len, shown)) <= 80
    assert all(line.startswith(" " * 21) for line in shown[1:])
    assert shown[-1].startswith(" " * 24)


async def test_a_new_folder_is_healthy_and_not_changed(premises: ProjectFolder) -> None:
    code, output, errors = await premises.run("doctor", ASSISTANT_TIME_ZONE="UTC")

    assert (code, errors) == (0, "")
    assert "ok     model         offline: answers, begins after " in output
    assert output.endswith("\n\nEverything works; 1 to look at.\n")  # the tests' own clock
    assert not list(premises.folder.iterdir())


async def test_it_works_while_a_server_runs(premises: ProjectFolder) -> None:
    async with premises.serving():
        code, output, errors = await premises.run("doctor", "--offline")

    assert (code, errors) == (0, "")
    assert "ok     data folder   data can be written; a running assistant uses it\n" in output
    assert "ok     log           data/log.db can be read; schema " in output
    assert "\nNo model was asked. Everything works" in output
    assert "answers" not in output


async def test_problems_are_counted_and_give_exit_code_1(premises: ProjectFolder) -> None:
    code, output, errors = await premises.run(
        "doctor", "--offline", ASSISTANT_TOOLS_TIMEOUT_S="-1", ASSISTANT_TOOLS_DIR="nowhere"
    )

    assert (code, errors) == (1, "")
    assert "WRONG  settings      ASSISTANT_TOOLS_TIMEOUT_S='-1': " in output
    assert "WRONG  tools         nowhere: there is no such folder" in output
    assert "ok     prompts " in output
    assert output.endswith("\n\nNo model was asked. 2 wrong, 1 to look at.\n")


@pytest.mark.parametrize(("turn_s", "code"), [("30", 0), ("-1", 1)])
def test_the_exit_code_shows_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turn_s: str, code: int
) -> None:
    for name in [name for name in os.environ if name.startswith("ASSISTANT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSISTANT_TOOLS_TIMEOUT_S", turn_s)

    looked = CliRunner().invoke(app, ["doctor"])

    assert looked.exit_code == code
    assert "model         offline: answers" in looked.output
    assert looked.output.endswith("1 wrong, 0 to look at.\n" if code else "\nEverything works.\n")
