"""An edited prompt replaces another, or is refused with the mistake."""

from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.prompt_diff import edited_environment, source_named

SOURCES = (
    "models/_spoken.j2",
    "customers/de/narration.j2",
    "customers/en/narration.j2",
    "demo_model/en/help.j2",
    "models/simulated_customer.j2",
    "voice.toml",
)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("narration", "customers/en/narration.j2"),
        ("customers/en/narration.j2", "customers/en/narration.j2"),
        ("de/narration", "customers/de/narration.j2"),
        ("voice", "voice.toml"),
        ("_spoken", "models/_spoken.j2"),
    ],
)
def test_a_prompt_is_named_with_or_without_its_suffix(name: str, source: str) -> None:
    assert source_named(name, SOURCES) == source


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "naration",
            "no prompt is called 'naration'; there are: models/_spoken, customers/de/narration, customers/en/"
            "narration, voice$",
        ),
        ("help", "'help' is read by the embedded demo model or by simulated customers"),
        ("models/simulated_customer.j2", "by simulated customers"),
    ],
)
def test_a_prompt_that_recordings_do_not_have_is_refused(name: str, told: str) -> None:
    with pytest.raises(DeclarationError, match=told):
        source_named(name, SOURCES)


def test_only_the_edited_prompt_is_different(plain_environment: ReplayEnvironment, tmp_path: Path) -> None:
    edit = tmp_path / "edit.txt"
    edit.write_text("Be brief.", encoding="utf-8")

    environment = edited_environment(plain_environment, "models/_spoken.j2", edit, "prompts")

    assert environment.book.sources == {**plain_environment.book.sources, "models/_spoken.j2": "Be brief."}
    assert environment.narrate != plain_environment.narrate
    assert environment.bundle != plain_environment.bundle
    assert environment.tools is plain_environment.tools


def test_every_mistake_of_an_edit_is_reported_with_its_file(
    plain_environment: ReplayEnvironment, tmp_path: Path
) -> None:
    edit = tmp_path / "edit.txt"
    edit.write_text("{# what: for #}\n\n{{ nothing_like_it }}\n", encoding="utf-8")

    with pytest.raises(DeclarationError, match=rf"^{edit}:3: unknown variable 'nothing_like_it'"):
        edited_environment(plain_environment, "customers/en/apology.j2", edit, "prompts")


def test_a_mistake_that_appears_elsewhere_is_reported_there(
    plain_environment: ReplayEnvironment, tmp_path: Path
) -> None:
    edit = tmp_path / "edit.txt"
    edit.write_text("{{ nothing_like_it }}", encoding="utf-8")

    with pytest.raises(DeclarationError, match="nothing_like_it"):
        edited_environment(plain_environment, "models/_spoken.j2", edit, "prompts")


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read: No such file"), (b"\xff", ":1: not UTF-8 text .*; save it as UTF-8")],
)
def test_an_unreadable_file_is_refused(
    plain_environment: ReplayEnvironment, tmp_path: Path, content: bytes | None, told: str
) -> None:
    edit = tmp_path / "edit.txt"
    if content is not None:
        edit.write_bytes(content)

    with pytest.raises(DeclarationError, match=told):
        edited_environment(plain_environment, "models/narrator.j2", edit, "prompts")
