"""What the pages say about commands, settings, files and each other is right."""

import re
import shlex
from functools import cache
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.settings import Settings
from assistant.settings_sources import secret_settings
from tests.docs.pages import ROOT, Page, all_pages, page
from tests.support.rows import check_rows

FOLDERS = ("start", "guides", "reference", "explanation", "lab")
every_page = check_rows("shown", all_pages(), ids=lambda shown: shown.name)
GROUPS = {"tools", "prompts", "customer", "documents", "memory", "users"}
EVALUATIONS = (["evaluate", "import"], ["evaluate", "report"])
COMMAND = re.compile(
    r"(?:^|^\$ |bin/|`)assistant "
    r"((?:new|serve|chat|tools|prompts|doctor|evaluate|embed|record|replay|recall|receipt|customer|documents|memory|users)"
    r"\b[^`\n#|]*)",
    re.MULTILINE,
)


def _commands(shown: Page) -> list[list[str]]:
    return [shlex.split(command) for command in COMMAND.findall(shown.text)]


@every_page
def test_every_link_leads_somewhere(shown: Page) -> None:
    lost: list[str] = []
    for link in shown.links:
        address = urlsplit(link)
        if address.scheme:
            continue
        target = (shown.folder / address.path).resolve() if address.path else ROOT / shown.name
        if not target.exists():
            lost.append(link)
        elif address.fragment and target.suffix == ".md":
            there = page(target.relative_to(ROOT).as_posix())
            lost += [link] if address.fragment not in there.anchors else []

    assert lost == []


@every_page
def test_every_command_exists_with_its_options(shown: Page) -> None:
    unknown: list[list[str]] = []
    for words in _commands(shown):
        name = words[:2] if words[0] in GROUPS or words[:2] in EVALUATIONS else words[:1]
        told = _help(*name)
        options = [word for word in words if word.startswith("--")]
        if told is None or any(option not in told for option in options):
            unknown.append(words)

    assert unknown == []


@cache
def _help(*name: str) -> str | None:
    """What a command's help says; None where it ends with an error."""
    done = CliRunner().invoke(app, [*name, "--help"], env={"COLUMNS": "400"})
    return None if done.exit_code else done.output


def test_commands_are_written_in_one_way() -> None:
    named = {tuple(words[:2]) for shown in all_pages() for words in _commands(shown)}

    assert {("tools", "check"), ("tools", "call"), ("serve", "--port")} <= named
    assert [shown.name for shown in all_pages() if "-m assistant " in shown.text] == []


@every_page
def test_every_make_target_exists(shown: Page) -> None:
    targets = set(re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

    assert set(re.findall(r"(?:`|^)make (\w[\w-]*)", shown.text, re.MULTILINE)) <= targets


@every_page
def test_every_setting_that_is_named_exists(shown: Page) -> None:
    known = {f"ASSISTANT_{name.upper()}" for name in Settings.model_fields}
    known |= {f"ASSISTANT_{name.upper()}_FILE" for name in secret_settings()}

    assert set(re.findall(r"ASSISTANT_[A-Z_]+[A-Z]\b", shown.text)) <= known


@check_rows("name", Settings.model_fields)
def test_every_setting_is_listed_with_its_default_and_meaning(name: str) -> None:
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=False)
    shown = (
        "none" if default is None else f"`{str(default).lower() if default in (True, False) else default}`"
    )
    row = f"| `ASSISTANT_{name.upper()}` | {shown} | {field.description} |"

    assert row in page("docs/reference/settings.md").text.splitlines()


def test_the_example_file_has_a_line_for_every_setting_and_no_other() -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    offered = re.findall(r"^# ASSISTANT_(\w+)=\S.*$", example, re.MULTILINE)

    assert sorted(offered) == sorted(name.upper() for name in Settings.model_fields)


def test_every_value_of_the_example_file_is_accepted(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    file = tmp_path_factory.mktemp("settings") / ".env"
    file.write_text(re.sub(r"^# (?=ASSISTANT_)", "", example, flags=re.MULTILINE), encoding="utf-8")
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ASSISTANT_{name.upper()}", raising=False)

    settings = Settings(_env_file=file)  # pyright: ignore[reportCallIssue]

    assert settings.model_fields_set == set(Settings.model_fields)


def test_the_layers_of_the_guide_are_those_that_are_checked() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    checked = re.findall(
        r'^    "(assistant\.[^"]+)",$', project.partition("layers = [")[2].partition("]")[0], re.M
    )

    assert [
        block.split("\n")[:-1] for block in page("CONTRIBUTING.md").blocks("") if "assistant.cli" in block
    ] == [checked]


def test_each_decision_has_number_parts_and_a_line_in_the_index() -> None:
    decisions = [shown for shown in all_pages() if re.match(r"docs/explanation/decisions/\d", shown.name)]
    index = page("docs/explanation/decisions/README.md").links

    for number, decision in enumerate(decisions, start=1):
        assert decision.text.startswith(f"# {number:04}. ")
        assert re.findall(r"^## (.+)$", decision.text, re.M) == [
            "Context",
            "Decision",
            "Reason",
            "Consequences",
        ]
        assert decision.name.rpartition("/")[2] in index


def test_every_page_is_listed_for_its_readers() -> None:
    listed = {(ROOT / "docs" / link).resolve() for link in page("docs/README.md").links}
    pages = [file for folder in FOLDERS for file in (ROOT / "docs" / folder).glob("*.*")]

    assert pages
    assert [file.name for file in pages if file.resolve() not in listed] == []


def test_the_pictures_are_light_enough_to_load() -> None:
    pictures = list((ROOT / "docs" / "images").glob("*.png"))

    assert len(pictures) == 4
    assert all(picture.stat().st_size < 250_000 for picture in pictures)
