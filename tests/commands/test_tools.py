"""``assistant tools`` with settings: the tools' folder, their records and their mistakes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app

Assistant = Callable[..., Result]

BROKEN = '''
from assistant import Customer, tool


@tool(waiting_hint="asking billing")
def ask_billing(customer: Customer, pin: str) -> str:
    """Ask billing.

    Args:
        pin: the customer's.
    """
    return _look_up(pin)


def _look_up(secret: str) -> str:
    raise KeyError("no ledger")
'''

TOLD = '''
import os

from assistant import tool


@tool(waiting_hint="looking around")
def look_around() -> list[str]:
    """Look around."""
    return [os.environ["ASSISTANT_DATA_DIR"], os.environ["ASSISTANT_NOW"]]
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the command is called, with an empty folder of tools."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools").mkdir()
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(app, ["tools", *words])


def test_an_empty_folder_is_named(folder: Path) -> None:
    assert call("list").stdout == "There are no tools in tools.\n"
    assert call("check").stdout == "0 tools, no mistakes.\n"


def test_a_tool_that_raises_shows_its_own_lines_and_no_values(folder: Path) -> None:
    (folder / "tools" / "billing.py").write_text(BROKEN)

    called = call("call", "ask_billing", "--json", '{"pin": "4711"}')

    lines = called.stderr.splitlines()
    assert called.exit_code == 1
    assert [line.strip() for line in lines if line.startswith("  File")] == [
        f'File "{folder}/tools/billing.py", line 12, in ask_billing',
        f'File "{folder}/tools/billing.py", line 16, in _look_up',
    ]
    assert "KeyError: 'no ledger'" in lines
    assert lines[-2:] == ["failed: that did not work", "for the model: KeyError inside the tool."]
    assert "4711" not in called.output


def test_tools_get_the_settings_of_the_env_file(folder: Path) -> None:
    (folder / "tools" / "around.py").write_text(TOLD)
    (folder / ".env").write_text("ASSISTANT_DATA_DIR=kept\nASSISTANT_NOW=2026-11-21T10:00\n")

    assert call("call", "look_around").stdout.split() == ["[", '"kept",', '"2026-11-21T10:00:00"', "]"]


MISNAMED = '''
from assistant import tool


@tool(
    waiting_hint="counting your points",
    narration="""You have
    {{ value.points.left }} points.""",
)
def count_points() -> dict[str, int]:
    """Count the points."""
    return {"points": 3}
'''


def test_a_narration_with_a_missing_key_is_reported_with_tool_and_place(folder: Path) -> None:
    (folder / "tools" / "points.py").write_text(MISNAMED)

    called = call("call", "count_points")

    assert called.exit_code == 1
    assert called.stdout.split() == ["{", '"points":', "3", "}"]
    assert str(called.exception) == (
        "tools/points.py:5: tool 'count_points': narration, line 2: 'int object' has no attribute 'left'; "
        "name what the result above has"
    )
