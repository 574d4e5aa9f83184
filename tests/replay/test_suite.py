"""Files are played one after the other: as expected, different, or unplayable."""

from pathlib import Path

from assistant.clock import SystemClock
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.suite import (
    AsExpected,
    Different,
    Unplayable,
    play_file,
    result_text,
)
from assistant.replay.yaml_writer import renew
from tests.replay.cassette_files import GOOD, UNREADABLE, written

CLOCK = SystemClock()


def test_a_conversation_that_goes_as_written_is_as_expected(
    tmp_path: Path, plain_environment: ReplayEnvironment
) -> None:
    file = written(tmp_path, "greeting", GOOD)

    result = play_file(file, plain_environment, CLOCK)

    assert isinstance(result, AsExpected), result_text(result)
    assert result.played.frames[-1].at_ms == 300
    assert result_text(result).splitlines()[0] == f"{file}: as expected"


def test_a_difference_has_a_mark_and_the_line_of_the_expectation(
    tmp_path: Path, plain_environment: ReplayEnvironment
) -> None:
    file = written(tmp_path, "greeting", GOOD.replace("within_ms: 305", "within_ms: 299"))

    result = play_file(file, plain_environment, CLOCK)

    assert isinstance(result, Different)
    shown = result_text(result).splitlines()
    assert shown[0] == f"{file}: different"
    assert [line for line in shown if line.startswith(">")] == [
        ">     300 ms  response         Good morning."
    ]
    assert shown[-1] == f"{file}:12: turn 1: hears (300 ms)"


def test_a_file_with_mistakes_is_not_played_and_each_mistake_is_reported(
    tmp_path: Path, plain_environment: ReplayEnvironment
) -> None:
    file = written(tmp_path, "nobody", UNREADABLE)

    result = play_file(file, plain_environment, CLOCK)

    assert isinstance(result, Unplayable)
    assert f"{file}:4: turns: " in result.why
    assert result_text(result).splitlines()[0] == f"{file}: cannot be played"


def test_a_conversation_needs_its_tools(tmp_path: Path, plain_environment: ReplayEnvironment) -> None:
    asks = GOOD.replace("    expect:", "    results: [{find_parcel: {returns: 7}}]\n    expect:")

    result = play_file(written(tmp_path, "parcel", asks), plain_environment, CLOCK)

    assert isinstance(result, Unplayable)
    assert "find_parcel" in result.why


def test_a_renewal_writes_scenes_and_nothing_else(
    tmp_path: Path, plain_environment: ReplayEnvironment
) -> None:
    changed = GOOD.replace('says: "Good morning."', 'says: "Good evening."')
    file = written(tmp_path, "greeting", changed)
    different = play_file(file, plain_environment, CLOCK)
    assert isinstance(different, Different)

    now = renew(changed, different.loaded.cassette, different.played)

    assert now == changed.replace("Assistant: Good morning.", "Assistant: Good evening.")


def test_renewed_frames_agree_afterwards(tmp_path: Path, plain_environment: ReplayEnvironment) -> None:
    recorded = GOOD + 'frames:\n  - [0, {"type": "welcome"}]\n'
    different = play_file(written(tmp_path, "greeting", recorded), plain_environment, CLOCK)
    assert isinstance(different, Different)

    now = renew(recorded, different.loaded.cassette, different.played)

    assert isinstance(play_file(written(tmp_path, "greeting", now), plain_environment, CLOCK), AsExpected)
    assert now.startswith(GOOD)
