"""``assistant prompts try`` as it is typed: what an edit would have changed, for models and for customers."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.shipped import own_or_shipped
from assistant.testing.script import says
from tests.replay.cassette_files import GOOD, UNREADABLE, written
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.scripted_replies import on_the_wire

LOOKUP = """\
format: 2
about: A lookup is announced, and its result is told.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Check my billing
    replies:
      - decider: {calls: [find_balance]}
      - narrator: {says: "You owe nothing."}
    results:
      - find_balance: {returns: 0}
tools:
  - {name: find_balance, waiting_hint: checking your billing}
"""

PROMPTS = own_or_shipped(None, "prompts")


def edited(folder: Path, source: str, old: str, new: str) -> Path:
    """A file with the text of a prompt, in which ``new`` replaces ``old``."""
    text = (PROMPTS / source).read_text(encoding="utf-8")
    assert old in text
    file = folder / "edit.txt"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file


def typed(*words: object) -> tuple[int, str]:
    """The exit code, and what is printed."""
    result = CliRunner().invoke(app, ["prompts", "try", *map(str, words)])
    if isinstance(result.exception, DeclarationError):
        raise result.exception
    return result.exit_code, result.output


def test_a_changed_request_is_shown_once_for_all_equal_turns(tmp_path: Path) -> None:
    written(tmp_path, "a", LOOKUP)
    written(tmp_path, "b", LOOKUP)
    written(tmp_path, "c", GOOD)
    edit = edited(tmp_path, "models/narrator.j2", "Do not say that again", "Do not ever say that again")

    code, shown = typed("narrator", "--edit", edit, tmp_path)

    assert code == 0
    first, *rest = shown.splitlines()
    assert first.startswith("narrator: 2 turns in 2 conversations; 2 differ; ")
    before, _, after = first.rpartition("; ")[2].split()[:3]
    assert int(after.replace(",", "")) == int(before.replace(",", "")) + 1
    assert rest[1] == "  2 turns: a 1; b 1"
    assert (
        "    - Do not say that again, in these or other words, nor that you have looked something up: "
        "say what the results show." in rest
    )
    assert (
        "    + Do not ever say that again, in these or other words, nor that you have looked something up: "
        "say what the results show." in rest
    )
    assert shown.count("say that again") == 2
    assert rest[-1] == "customers would hear something else in 0 of 3 conversations"
    assert "decider:" not in shown


def test_an_edit_that_changes_nothing_says_so(tmp_path: Path) -> None:
    written(tmp_path, "a", LOOKUP)
    edit = edited(tmp_path, "models/narrator.j2", "narrator: tells", "narrator: makes")

    code, shown = typed("models/narrator.j2", "--edit", edit, tmp_path)

    assert code == 0
    assert "narrator: 1 turn in 1 conversation; 0 differ;" in shown
    assert "\n    " not in shown


def test_changes_for_customers_are_shown_line_by_line(tmp_path: Path) -> None:
    written(tmp_path, "a", LOOKUP)
    written(tmp_path, "b", LOOKUP)
    written(tmp_path, "c", GOOD)
    edit = edited(tmp_path, "customers/en/acknowledgement.j2", "Sure", "Certainly")

    code, shown = typed("acknowledgement", "--edit", edit, tmp_path)

    assert (code, shown.splitlines()) == (
        0,
        [
            "",
            "customers would hear something else in 2 of 3 conversations",
            "",
            "  a, b",
            "    - turn 1  Assistant (acknowledgement): Sure, I'll check your billing.",
            "    + turn 1  Assistant (acknowledgement): Certainly, I'll check your billing.",
        ],
    )


def test_the_voice_is_tried_with_both_models_and_with_customers(tmp_path: Path) -> None:
    written(tmp_path, "a", LOOKUP)
    edit = edited(tmp_path, "voice.toml", 'name = "Robin"', 'name = "Sky"')

    _, shown = typed("voice.toml", "--edit", edit, tmp_path)

    for model in ("decider", "narrator"):
        assert f"{model}: 1 turn in 1 conversation; 1 differs;" in shown
    assert shown.count("    + You are Sky,") == 2
    assert "    - name: Robin\n" in shown


def test_a_mistake_in_an_edit_is_reported_with_file_and_line(tmp_path: Path) -> None:
    written(tmp_path, "a", GOOD)
    edit = edited(tmp_path, "models/narrator.j2", "{% if acknowledgement %}", "{% if acknowledged %}")

    with pytest.raises(DeclarationError, match=rf"^{edit}:11: unknown variable 'acknowledged'"):
        typed("narrator", "--edit", edit, tmp_path)


def test_a_conversation_that_cannot_be_replayed_does_not_stop_the_others(tmp_path: Path) -> None:
    written(tmp_path, "a", UNREADABLE)
    written(tmp_path, "b", LOOKUP)
    written(tmp_path, "c", LOOKUP.replace("  - {name: find_balance, ", "  - {name: find_order, "))
    edit = edited(tmp_path, "models/narrator.j2", "Do not say", "Never say")

    code, shown = typed("narrator", "--edit", edit, tmp_path)

    assert code == 2
    assert "1 turn in 1 conversation; 1 differs" in shown
    assert "a.conversation.yaml:4: turns" in shown
    assert "c.conversation.yaml: cannot be played: turn 1: 'find_balance' is not a tool" in shown


def test_without_a_path_or_a_library_a_path_is_requested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(DeclarationError, match="name files or folders"):
        typed("narrator", "--edit", "edit.txt")


async def test_with_ask_both_versions_are_sent_to_the_configured_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, "a", LOOKUP)
    edit = edited(tmp_path, "models/narrator.j2", "Do not say", "Never say")
    lines = [on_the_wire(line, "openai") for line in (says("You owe nothing."), says("Nothing is owed."))]
    async with FakeModelServer(*lines, clock=SystemClock()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("ASSISTANT_MODEL", "openai/scripted")
        monkeypatch.setenv("ASSISTANT_FALLBACK_MODELS", "offline")
        code, shown = await asyncio.to_thread(typed, "narrator", "--edit", edit, tmp_path, "--ask")

    assert code == 0
    told = shown.splitlines()
    assert "2 requests for openai/scripted; the provider may charge for them." in told
    assert told.index("    - You owe nothing.") < told.index("    + Nothing is owed.")
    assert "  answers                 1 of 1      1 of 1" in told
    asked = [str(received.body["messages"][-1]["content"]) for received in server.received]
    assert ["Never say that again" in note for note in asked] == [False, True]


def test_the_embedded_model_is_not_asked_because_it_reads_no_prompts(tmp_path: Path) -> None:
    written(tmp_path, "a", LOOKUP)
    edit = edited(tmp_path, "models/narrator.j2", "Do not say", "Never say")

    with pytest.raises(DeclarationError, match="the narrator is the embedded demo model"):
        typed("narrator", "--edit", edit, tmp_path, "--ask")


def test_an_edit_that_no_model_reads_needs_no_request(tmp_path: Path) -> None:
    written(tmp_path, "a", GOOD)
    edit = edited(tmp_path, "models/narrator.j2", "Do not say", "Never say")

    code, shown = typed("narrator", "--edit", edit, tmp_path, "--ask")

    assert code == 0
    assert shown.endswith("\nNothing to ask: every model would read what it reads today.\n")
