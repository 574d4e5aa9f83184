"""New expectations are written into a file, and everything else in it stays unchanged."""

import re

import pytest
from hypothesis import HealthCheck, given, settings

from assistant.errors import DeclarationError
from assistant.replay.cassette import Cassette, HeardFrame
from assistant.replay.cassette_file import load_text
from assistant.replay.yaml_writer import dump, with_expected
from tests.replay.any_cassette import cassettes
from tests.support.rows import check_rows

HEAD = "# A comment.\nformat: 2\nabout:   'A test.'   # why\nnow: 2026-11-23 09:00\n"
COMMENTED = "frames:  # recorded\n  # these:"
TURNS = "turns:\n\n  - customer: Hi\n"
FRAMES = (HeardFrame(at_ms=5, frame={"type": "a"}), HeardFrame(at_ms=12, frame={"type": "b"}))
NEW = 'frames:\n  - [ 5, {"type": "a"}]\n  - [12, {"type": "b"}]\n'


@check_rows(
    ("before", "after"),
    [
        (f"{HEAD}{TURNS}frames: [[1, {{}}]]\n", f"{HEAD}{TURNS}{NEW}"),
        (f"{HEAD}{TURNS}frames: [[1, {{}}]]\n# End.", f"{HEAD}{TURNS}{NEW}# End."),
        (
            f"{HEAD}{TURNS}{COMMENTED}\n  - [1, {{}}]  # first\n  - [2,\n     {{}}]\n\n# End.\n",
            f"{HEAD}{TURNS}{NEW.replace('frames:', COMMENTED)}\n# End.\n",
        ),
        (f"{HEAD}frames:\n- [1, {{}}]\n\n{TURNS}", f"{HEAD}{NEW.replace('  -', '-')}\n{TURNS}"),
        (f"{HEAD}frames:\n    - [1, {{}}]\n{TURNS}", f"{HEAD}{NEW.replace('  -', '    -')}{TURNS}"),
    ],
)
def test_frames_replace_the_old_frames(before: str, after: str) -> None:
    assert with_expected(before, {}, FRAMES) == after


SCENE = "Assistant: Hello.\n  [a ok]"
HOW = f"{TURNS}    expect:\n      ended: answered\n"
PUT = "      scene: |\n        Assistant: Hello.\n          [a ok]\n"


@check_rows(
    ("before", "after"),
    [
        (f"{TURNS}    expect: {{scene: old}}\n", f"{TURNS}    expect:\n{PUT}"),
        (
            f"{TURNS}    expect: {{scene: old, ended:\n       answered, calls: []}}\n    locale: en\n",
            f"{TURNS}    expect:\n{PUT}      ended: answered\n      calls: []\n    locale: en\n",
        ),
        (
            f"{HOW}      scene: |\n        Old.\n\n      # More:\n      calls: []\n",
            f"{HOW}{PUT}\n      # More:\n      calls: []\n",
        ),
        (f"{TURNS}    expect:\n      scene: |\n        Old.", f"{TURNS}    expect:\n{PUT.rstrip()}"),
        (f"{TURNS}    expect:\n      scene: Old.\n\n", f"{TURNS}    expect:\n{PUT}\n"),
    ],
)  # fmt: skip
def test_a_scene_is_written_into_the_expectations_of_its_turn(before: str, after: str) -> None:
    more = "  - customer: Bye\n    expect: {scene: Bye.}\n"
    first = re.sub("customer: Hi", "customer: Oh", TURNS)

    assert with_expected(f"{HEAD}{before}", {0: SCENE}) == f"{HEAD}{after}"
    assert with_expected(f"{HEAD}{first}{before[7:]}", {1: SCENE}) == f"{HEAD}{first}{after[7:]}"
    if "#" not in before and before.endswith("\n") and not before.endswith("\n\n"):
        assert with_expected(f"{HEAD}{before}{more}", {0: SCENE}) == f"{HEAD}{after}{more}"


@pytest.mark.parametrize(
    "turns",
    [
        "turns: [{customer: Hi, expect: {scene: old}}]",
        "turns:\n  - {customer: Hi, expect: {scene: old}}",
        "turns:\n  - customer: Hi\n    expect: {scene: old, ended:  # so\n      answered}",
        "turns:\n  - customer: Hi\n    expect: &same\n      scene: old\n  - customer: Ho\n    expect: *same",
    ],
)
def test_a_file_that_only_its_author_can_change_is_not_changed(turns: str) -> None:
    with pytest.raises(DeclarationError, match="write turns, expect and frames on separate lines"):
        with_expected(f"{HEAD}{turns}\n", {0: SCENE})


def test_a_file_that_is_no_cassette_is_reported_as_usual() -> None:
    with pytest.raises(DeclarationError, match="conversation:1: about: this is missing"):
        with_expected("format: 2\nturns: [{customer: a}]\nnow: 2026-11-23", {}, FRAMES)


@given(cassettes(), cassettes())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_every_written_file_can_be_renewed(cassette: Cassette, other: Cassette) -> None:
    scenes = {
        n: f"{turn.expect.scene}\n{SCENE}" for n, turn in enumerate(cassette.turns) if turn.expect.scene
    }
    frames = other.frames if cassette.frames else ()

    again = load_text(with_expected(dump(cassette), scenes, frames), "again").cassette

    assert again.frames == (frames or cassette.frames)
    assert {n: again.turns[n].expect.scene for n in scenes} == scenes
    assert again.model_copy(update={"frames": (), "turns": ()}) == cassette.model_copy(
        update={"frames": (), "turns": ()}
    )
