"""The page on recorded conversations: its commands print what it shows, its files and tests hold."""

import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.errors import DeclarationError
from assistant.language import similarity
from assistant.prompts.book import PromptBook
from assistant.prompts.utterances import OneMoment
from assistant.replay.cassette_file import REFUSED, load, load_text
from assistant.replay.checks.check import check
from assistant.replay.dsl import Conversation, HeardTurn
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.player.play import replay
from assistant.settings import Settings
from tests.docs.pages import ROOT, page
from tests.support.rows import check_rows

PAGE = page("docs/guides/replay.md")
BEGIN = "format: 2\nabout: A part of the page.\nnow: 2026-11-23 09:00:00+01:00\nturns:\n"
RECORDED, BY_HAND, *TURNS = PAGE.blocks("yaml")

CHANGING = (
    (re.compile(r" *[\d,.]+(?= m?s\b)"), " #"),  # times
    (re.compile(r"(?<=\.yaml):\d+:"), ":#:"),  # a model's text has come in more pieces or fewer
    (re.compile(r"\bterminal-\w+"), "terminal-#"),
    (re.compile(r"\d+ -> \d+ words"), "# words"),  # the prompt is edited now and then
)


@pytest.fixture(scope="module")
def environment() -> ReplayEnvironment:
    return environment_of(Settings())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what may be edited, with a data folder of its own; commands are called in it."""
    for room in ("tools", "prompts"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in [name for name in os.environ if name.startswith("ASSISTANT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_NOW", "2026-11-21T10:00")
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(command: str, *, keyboard: str | None = None) -> tuple[int, list[str]]:
    """The exit code of ``assistant ...``, and the lines that it prints."""
    result = CliRunner().invoke(app, shlex.split(command)[1:], input=keyboard)
    return result.exit_code, result.output.splitlines()


def plain(line: str) -> str:
    """A line without what is another in every run."""
    for pattern, stand_in in CHANGING:
        line = pattern.sub(stand_in, line)
    return line.removeprefix("You: ").rstrip()


def is_shown(shown: list[str], printed: list[str]) -> bool:
    """Whether exactly this was printed; where the page has "...", there may be more."""
    parts = re.split(r"\n *\.\.\.\n", "\n".join(map(plain, shown)))
    text = "\n".join(map(plain, printed))
    at = 0
    for number, part in enumerate(parts):
        found = text.find(part, at)
        if found < 0 or (number == 0 and found > 0):
            return False
        at = found + len(part)
    return not text[at:].strip()


def session(beginning: str) -> list[tuple[str, list[str]]]:
    """The commands of the page that begin so, each with what it prints."""
    blocks = [block.splitlines() for block in PAGE.blocks("text")]
    return [(lines[0][2:], lines[1:]) for lines in blocks if lines[0].startswith(f"$ {beginning}")]


def test_five_minutes_go_as_shown(folder: Path) -> None:
    ((chat, said),) = session("assistant chat")
    ((record, recorded),) = session("assistant record")
    (played, differs, renewed, _) = session("assistant replay")
    (asked,) = [line.removeprefix("You: ") for line in said if line.startswith("You: ")]

    printed = chatted(chat, asked, folder)
    assert [plain(line) for line in printed if plain(line)] == [
        plain(line) for line in said if plain(line) != asked
    ]
    code, printed = typed(record)
    assert (code, list(map(plain, printed))) == (0, list(map(plain, recorded)))
    assert recorded_as(load(folder / "hours.conversation.yaml").cassette) == recorded_as(
        load_text(RECORDED, "page").cassette
    )
    code, printed = typed(played[0])
    assert (code, is_shown(played[1], printed)) == (0, True), printed

    edit(folder / "prompts" / "customers/en/acknowledgement.j2")
    code, printed = typed(differs[0])
    assert (code, is_shown(differs[1], printed)) == (1, True), printed
    code, printed = typed(renewed[0])
    assert (code, is_shown(renewed[1], printed)) == (0, True), printed
    assert typed(played[0])[0] == 0


def chatted(chat: str, asked: str, folder: Path) -> list[str]:
    """What a chat prints on a machine that has a moment; where the model needed longer, it is begun anew."""
    book = PromptBook.load(folder / "prompts")
    moments = {f"Robin: {book.render(OneMoment(number=number))}" for number in range(1, 6)}
    for _ in range(4):
        _, printed = typed(chat, keyboard=f"{asked}\n")
        if not moments & set(map(plain, printed)):
            return printed
        (folder / "data" / "log.db").unlink()
    pytest.fail("the model was never there before a customer's patience was over")


def recorded_as(cassette: object) -> object:
    """A recording without what is another in every run: times, and how a model's text was cut."""
    turns = getattr(cassette, "turns")  # noqa: B009 - whatever the page holds
    return [(turn.customer, [(run.tool, run.returns) for run in turn.results], turn.expect) for turn in turns]


def edit(prompt: Path) -> None:
    new, old = re.findall(r'`"(\w[^"`]*I\'ll)"`', PAGE.prose)
    text = prompt.read_text(encoding="utf-8")
    assert f'"{old}"' in text
    prompt.write_text(text.replace(f'"{old}"', f'"{new}"'), encoding="utf-8")


@pytest.mark.parametrize("text", [RECORDED, BY_HAND, *(BEGIN + turns for turns in TURNS)])
def test_every_file_passes(text: str, environment: ReplayEnvironment) -> None:
    cassette = load_text(text, "page").cassette

    assert check(cassette, replay(cassette, environment), environment.book, environment.tools.specs) == []


def test_an_edited_prompt_is_tried_as_shown(folder: Path) -> None:
    ((command, shown),) = session("assistant prompts try")
    (folder / "hours.conversation.yaml").write_text(RECORDED, encoding="utf-8")
    today = (folder / "prompts" / "models/narrator.j2").read_text(encoding="utf-8")
    (wanted,) = re.findall(r"here to say `([^`]+)`", PAGE.prose)
    (folder / "shorter.j2").write_text(today.replace("say what the results show", wanted), encoding="utf-8")

    code, printed = typed(command)

    assert (code, is_shown(shown, printed)) == (0, True), printed


def test_a_conversation_runs_live_as_shown(folder: Path) -> None:
    ((command, shown),) = session("assistant replay two_lookups")
    (folder / "two_lookups.conversation.yaml").write_text(BY_HAND, encoding="utf-8")

    code, printed = typed(command)

    assert (code, is_shown(shown, printed)) == (0, True), printed


def test_a_mistake_is_reported_as_shown(folder: Path) -> None:
    (shown,) = [block.splitlines() for block in PAGE.blocks("text") if block.startswith("typo.")]
    wrong = f"{BEGIN}  - custmer: Hi\n"
    (folder / "typo.conversation.yaml").write_text(wrong, encoding="utf-8")

    code, printed = typed("assistant replay typo.conversation.yaml")

    assert (code, printed[1:-1]) == (2, shown)


def rows(heading: str) -> list[list[str]]:
    """The cells of the tables under a heading."""
    section = PAGE.text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


ASSERTED = [(row[0].strip("` "), row[1].strip("`")) for row in rows("What can be asserted")[2:]]
HAPPENING = [row[1].strip("`") for row in rows("What can happen")[2:]]


@check_rows(("key", "example"), ASSERTED)
def test_every_assertion_can_be_written_as_shown(key: str, example: str) -> None:
    (turn,) = load_text(f"{BEGIN}  - customer: Hi\n    expect:\n      {example}\n", "page").cassette.turns

    assert turn.expect.model_fields_set == {key or "hears"}


def test_every_assertion_is_shown() -> None:
    (turn,) = load_text(f"{BEGIN}  - customer: Hi\n", "page").cassette.turns

    assert {key for key, _ in ASSERTED if key} == set(type(turn.expect).model_fields)


@check_rows("example", HAPPENING)
def test_every_event_can_be_written_as_shown(example: str) -> None:
    begin = BEGIN.replace("turns:", "agents: {}\nturns:")
    *_, turn = load_text(
        f"{begin}  - customer: Hi\n  - customer: And now?\n    {example}\n", "page"
    ).cassette.turns

    assert turn.model_fields_set == {"customer", example.partition(":")[0]}


def test_every_check_is_described() -> None:
    told = {row[0].strip("`") for row in rows("What is looked at without being asked for")[2:]}
    unasked = (ROOT / "assistant/replay/checks/check.py").read_text(encoding="utf-8")

    named = re.findall(r'^    "(\w+)": [\w.]+,$', unasked, re.MULTILINE)
    always = {"script", "order", "agreed", "silent_during_handoff", "delivered_once", "frames"}
    assert {*named, *always} == told


def test_the_threshold_of_repetition_is_as_described() -> None:
    text = " ".join(PAGE.prose.split())

    assert f"at least {similarity.MOST_SHARE:.0%} of its meaningful words".replace("%", " %") in text
    assert f"and at least {similarity.FEWEST_SHARED}, were in earlier messages" in text
    assert (
        f"a run of at least {similarity.SHORTEST_RUN} words makes up {similarity.MOST_RUN * 100:.0f} %"
        in text
    )
    assert f"{similarity.MOST_TRIGRAMS * 100:.0f} % of its runs of three words" in text


@pytest.mark.parametrize("key", ["audio", "heard_ms"])
def test_unsupported_keys_are_refused(key: str) -> None:
    assert key in REFUSED
    assert f"`{key}`" in PAGE.prose
    with pytest.raises(DeclarationError, match="sound is not kept"):
        load_text(f"{BEGIN}  - customer: Hi\n    {key}: 3\n", "page")


def fluent_tests() -> dict[str, Callable[[Conversation], None]]:
    (code,) = PAGE.blocks("python")
    names: dict[str, object] = {}
    exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102 - the page's own code
    return {
        name: cast("Callable[[Conversation], None]", test)
        for name, test in names.items()
        if name.startswith("test_")
    }


@pytest.mark.parametrize("name", fluent_tests())
def test_every_test_in_python_passes(name: str, environment: ReplayEnvironment) -> None:
    with Conversation(environment) as customer:
        fluent_tests()[name](customer)


def test_every_name_in_python_exists() -> None:
    named = set(re.findall(r"`(?:customer\.)?(\w+)\(", PAGE.prose))

    assert named
    assert {
        name for name in named if not hasattr(HeardTurn, name) and not hasattr(Conversation, name)
    } == set()


@pytest.mark.parametrize("command", ["record", "replay"])
def test_every_option_that_is_named_exists(command: str) -> None:
    _, helped = typed(f"assistant {command} --help")
    named = re.findall(rf"\bassistant {command}\b[^`\n]*?(--\w[\w-]*)", PAGE.text)
    if command == "record":
        named += re.findall(r"--[a-z][a-z-]+", str(rows("Recording and masking")))

    assert named
    assert [option for option in named if option not in "\n".join(helped)] == []
