"""A side effect whose outcome was reconciled is recorded so that a replay reconciles it again."""

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
from tests.support.cassettes import CASSETTES

_KEY = ConversationKey(tenant="demo", customer="demo", conversation="c")


def ends(played: Played) -> list[str]:
    return [outcome_name(one.entry.outcome) for one in played.entries if isinstance(one.entry, CallEnded)]


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("payment_made_before_a_restart", "ok"),
        ("payment_not_made_before_a_restart", "failed"),
        ("payment_found_after_a_timeout", "ok"),
        ("payment_repeated_after_a_restart", "ok"),
    ],
)
def test_it_is_reconciled_again(name: str, outcome: str, plain_environment: ReplayEnvironment) -> None:
    written = load(CASSETTES[name]).cassette
    played = replay(written, plain_environment)

    cassette = load_text(dump(cassette_from_log(played.entries, _KEY)), "again").cassette
    second = replay(cassette.model_copy(update={"tools": written.tools}), plain_environment)

    assert second.unscripted == ()
    assert ends(second) == ends(played)
    assert ends(second)[-1] == outcome
    started = [one for one in second.entries if isinstance(one.entry, CallStarted)]
    assert len(started) == (2 if name == "payment_repeated_after_a_restart" else 1)
