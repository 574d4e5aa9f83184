"""``assistant new`` and ``assistant tools new``: what they write, and what they do not change."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.errors import DeclarationError
from assistant.policies.folder import check_policies, read_policies
from assistant.prompts.book import PromptBook
from assistant.prompts.folder import read_folder
from assistant.shipped import shipped
from assistant.tools.discovery import discover


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def test_a_new_project_has_a_tool_prompts_settings_and_tests(here: Path) -> None:
    said = call("new", "blue-kettle").stdout

    assert said.startswith("blue-kettle: a project of your own, with one tool and ")
    assert "Next: cd blue-kettle; assistant chat" in said
    project = here / "blue-kettle"
    written = {file.relative_to(project).as_posix() for file in project.rglob("*") if file.is_file()}
    assert {name for name in written if not name.startswith("prompts/")} == {
        ".env.example",
        ".gitignore",
        "README.md",
        "knowledge/terms.md",
        "policies/late_parcels.md",
        "pytest.ini",
        "tests/conversations/parcels.conversation.yaml",
        "tests/test_parcels.py",
        "tools/parcels.py",
    }
    assert not [name for name in written if "__" in (project / name).read_text().replace("__pycache__", "")]
    tools = discover(project / "tools")
    assert [spec.name for spec in tools.specs] == ["track_parcel"]
    check_policies(read_policies(project / "policies"), tools)


def test_its_prompts_are_the_packages_with_the_companys_name(here: Path) -> None:
    call("new", "blue-kettle")
    own, ours = read_folder(here / "blue-kettle" / "prompts"), read_folder(shipped("prompts"))
    book = PromptBook.load(here / "blue-kettle" / "prompts")
    voice = book.voice

    assert own.keys() == {"voice.toml"}
    assert {name for name in ours if book.sources[name] != ours[name]} == {"voice.toml"}
    assert book.sources.keys() == ours.keys()
    assert (voice.company, voice.starters) == ("Blue Kettle", ("Where is my parcel?",))
    assert voice.in_locale("de").starters == ("Wo ist mein Paket?",)
    assert "Willow" not in "".join(own.values())


def test_an_empty_folder_is_accepted_and_no_other(here: Path) -> None:
    (here / "empty").mkdir()
    (here / "full").mkdir()
    (here / "full" / "a").touch()

    assert call("new", "empty").exit_code == 0
    for name in ("full", "full/a"):
        assert (
            str(call("new", name).exception) == f"{name}: there already; name a folder that is new or empty"
        )
    assert [file.name for file in (here / "full").iterdir()] == ["a"]
    assert isinstance(call("new", "--", "---").exception, DeclarationError)


def test_a_new_tool_has_a_test(here: Path) -> None:
    assert call("tools", "new", "track_refund").stdout.splitlines() == [
        "Written: tools/track_refund.py, tests/test_track_refund.py.",
        "Next: assistant tools call track_refund, pytest tests/test_track_refund.py",
    ]
    (spec,) = discover(here / "tools").specs
    assert (spec.name, spec.hints["en"].will) == ("track_refund", "track your refund")
    assert call("tools", "call", "track_refund").stdout.split() == [
        "[",
        "{",
        '"number":',
        '"1",',
        '"status":',
        '"ready"',
        "}",
        "]",
    ]


def test_a_new_tool_is_where_the_settings_say(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", "crm")
    call("tools", "new", "hours")

    assert (here / "crm" / "hours.py").is_file()


@pytest.mark.parametrize("name", ["Track", "track-refund", "class", "_crm", "x" * 65, "../x", "a__b"])
def test_an_invalid_tool_name_is_refused(name: str, here: Path) -> None:
    refused = call("tools", "new", name)

    assert str(refused.exception) == (
        f"{name!r} cannot be a tool's name; write small letters, digits and underscores, as 'track_refund'"
    )
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("there", ["tools/track_refund.py", "tests/test_track_refund.py"])
def test_nothing_is_overwritten_and_nothing_is_half_written(here: Path, there: str) -> None:
    (here / there).parent.mkdir()
    (here / there).write_text("mine")

    refused = call("tools", "new", "track_refund")

    assert str(refused.exception) == f"{there}: there already; nothing was written, choose another name"
    assert [file.read_text() for file in here.rglob("*.py")] == ["mine"]
