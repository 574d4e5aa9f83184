"""A side effect whose end was found out afterwards is recorded so that it is found out again."""

from pathlib import Path

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CallEnded, CallStarted
from assistant.conversation.outcomes import outcome_name
from assistant.replay.cassette_file import load, load_text
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.recording.recorder import cassette_from_log
from assistant.replay.yaml_writer import dump

_KEY = ConversationKey(tenant="demo", customer="demo", conversation="c")


def ends(played: Played) -> list[str]:
    return [outcome_name(one.entry.outcome) for one in played.entries if isinstance(one.entry, CallEnded)]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("charge_done_before_a_restart", "ok"),
        ("charge_not_done_before_a_restart", "failed"),
        ("charge_found_out_after_a_time_out", "ok"),
        ("charge_begun_again_after_a_restart", "ok"),
    ],
)
def test_it_is_found_out_again(name: str, outcome: str, plain_environment: ReplayEnvironment) -> None:
    written = load(Path("tests/conversations") / f"{name}.conversation.yaml").cassette
    played = replay(written, plain_environment)

    cassette = load_text(dump(cassette_from_log(played.entries, _KEY)), "again").cassette
    second = replay(cassette.model_copy(update={"tools": written.tools}), plain_environment)

    assert second.unscripted == ()
    assert ends(second) == ends(played)
    assert ends(second)[-1] == outcome
    started = [one for one in second.entries if isinstance(one.entry, CallStarted)]
    assert len(started) == (2 if name.startswith("charge_begun_again") else 1)
