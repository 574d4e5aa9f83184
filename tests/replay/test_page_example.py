"""The example at the top of the page about every key."""

from assistant.replay.cassette_file import load_text
from assistant.replay.checks.check import check
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from docs.generate.cassettes_head import EXAMPLE


def test_the_pages_example_gives_the_expected_result(plain_environment: ReplayEnvironment) -> None:
    cassette = load_text(EXAMPLE, "example").cassette

    played = replay(cassette, plain_environment)

    assert check(cassette, played, plain_environment.book) == []
