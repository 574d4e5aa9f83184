"""``assistant new`` and ``assistant tools new`` in odd places, and with odd names."""

import ast
import builtins
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.tools.discovery import discover


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize(
    "name", ["two words", "Café Zürich", 'o\'neil & "sons"', "日本", "a$b{{c}}", "x\\1y", "__NAME__"]
)
def test_a_project_may_have_any_name(here: Path, name: str) -> None:
    assert call("new", name).exit_code == 0

    assert PromptBook.load(here / name / "prompts").voice.company
    assert [spec.name for spec in discover(here / name / "tools").specs] == ["track_parcel"]


@pytest.mark.parametrize("folder", ["a-file/inside", "n" * 300])
def test_a_folder_that_cannot_be_created_is_reported(here: Path, folder: str) -> None:
    (here / "a-file").touch()

    failed = call("new", folder)

    assert isinstance(failed.exception, DeclarationError)
    assert str(failed.exception).startswith(folder.split("/")[0][:20])


def test_nothing_is_written_through_a_link_to_another_place(here: Path) -> None:
    (here / "tools").mkdir()
    (here / "elsewhere").mkdir()
    (here / "tools" / "track_refund.py").symlink_to(here / "elsewhere" / "taken.py")

    failed = call("tools", "new", "track_refund")

    assert isinstance(failed.exception, DeclarationError)
    assert "there already" in str(failed.exception)
    assert not list((here / "elsewhere").iterdir())
    assert not (here / "tests").exists()


def test_a_tool_that_cannot_be_written_leaves_nothing(here: Path) -> None:
    (here / "tests").touch()

    failed = call("tools", "new", "track_refund")

    assert isinstance(failed.exception, DeclarationError)
    assert "tests" in str(failed.exception)
    assert not (here / "tools").exists() or not list((here / "tools").iterdir())


def test_a_tool_cannot_have_a_name_that_its_own_files_use(here: Path) -> None:
    call("tools", "new", "track_refund")
    used: set[str] = set()
    for file in ("tools/track_refund.py", "tests/test_track_refund.py"):
        for node in ast.walk(ast.parse((here / file).read_text())):
            used |= {node.id} if isinstance(node, ast.Name) else set()
            used |= {node.arg} if isinstance(node, ast.arg) else set()
    ours = {name for name in used if name.islower() and not hasattr(builtins, name)} - {"track_refund"}
    assert {"tool", "calls", "customer"} < ours

    for name in ours:
        assert "cannot be a tool's name" in str(call("tools", "new", name).exception)


def test_a_name_that_customers_should_not_hear_causes_a_warning(here: Path) -> None:
    call("tools", "new", "database_check")

    warned = call("tools", "check")

    assert "database" in warned.output
    assert "customers do not know what that is" in warned.output


@pytest.mark.parametrize("name", ["list", "print", "match", "opening_hours"])
def test_a_new_tool_loads_with_any_name(here: Path, name: str) -> None:
    call("tools", "new", name)

    assert [spec.name for spec in discover(here / "tools").specs] == [name]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Track",
        "track-refund",
        "2nd",
        "../evil",
        "a/b",
        "a.py",
        "_x",
        "a__b",
        "a_",
        "class",
        "None",
        "é",
        "x" * 65,
        "a\nb",
    ],
)
def test_an_invalid_name_is_refused(here: Path, name: str) -> None:
    failed = call("tools", "new", "--", name)

    assert isinstance(failed.exception, DeclarationError)
    assert not list(here.iterdir())
