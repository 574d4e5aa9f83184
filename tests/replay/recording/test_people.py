"""A conversation that an agent took over is recorded with the agent's actions, and is replayed in the same way."""

import pytest

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import AgentMessage, ForwardedToAgent, Handoff, Logged
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load, load_text
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.recording.masking import mask
from assistant.replay.recording.recorder import cassette_from_log
from assistant.replay.yaml_writer import dump
from tests.support.cassettes import CASSETTES
from tests.support.rows import check_rows

_KEY = ConversationKey(tenant="demo", customer="demo", conversation="c")
# Those whose tools the plain environment knows: none, but the one that asks for a person.
NAMES = (
    "no_agent_in_time",
    "agent_and_a_restart",
    "agent_requested_before_a_restart",
    "agent_and_a_disconnect",
)
TEXT = """\
format: 2
about: Somebody talks to Maja Brandt.
now: 2026-11-23 09:00:00+01:00
agents: {{{people}}}
turns:
  - customer: human please
    replies:
      - decider: {{calls: [talk_to_a_person]}}
      - narrator: {{says: "They have been asked.", each_ms: {each_ms}}}
    meanwhile:
{meanwhile}
"""


def held(played: Played) -> list[tuple[int, object]]:
    """What concerned people, each with its time."""
    return [
        (logged.at_ms - played.began_ms, logged.entry)
        for logged in played.entries
        if isinstance(logged.entry, Handoff | AgentMessage | ForwardedToAgent)
    ]


def compare_with_replay(entries: tuple[Logged, ...]) -> Cassette:
    return load_text(dump(cassette_from_log(entries, _KEY)), "again").cassette


@pytest.mark.parametrize("name", NAMES)
def test_it_is_replayed_as_it_was(name: str, plain_environment: ReplayEnvironment) -> None:
    played = replay(load(CASSETTES[name]).cassette, plain_environment)

    cassette = compare_with_replay(played.entries)
    second = replay(cassette, plain_environment)

    assert second.unscripted == ()
    assert held(second) == held(played)
    assert held(second)


@check_rows(
    ("people", "happened"),
    [
        ("wait_s: 30", []),
        ("", ["agent_declines: all are busy, at_ms: 4000"]),
        ("available: false", []),
        ("", ["agent_accepts: Maja, at_ms: 3000", "agent_ends: true, at_ms: 5000"]),
        ("", ["agent_accepts: Maja, at_ms: 1000", "agent_says: Hello, at_ms: 2000"]),
        ("", ["agent_accepts: Maja, at_ms: 3000", "wants_assistant: true, at_ms: 5000"]),
    ],
)
def test_every_action_of_an_agent_is_replayed(
    people: str, happened: list[str], plain_environment: ReplayEnvironment
) -> None:
    lines = "\n".join(f"      - {{{one}}}" for one in happened) or "      []"
    text = TEXT.format(people=people, meanwhile=lines, each_ms=300)
    played = replay(load_text(text, "t").cassette, plain_environment)

    cassette = compare_with_replay(played.entries)
    second = replay(cassette, plain_environment)

    assert (played.unscripted, second.unscripted) == ((), ())
    assert held(second) == held(played)
    assert len(cassette.turns[0].meanwhile) == len(happened)
    assert cassette.turns[0].results == ()


def test_an_agents_name_is_masked_in_the_file(
    plain_environment: ReplayEnvironment,
) -> None:
    accepts = "      - {agent_accepts: Maja Brandt, at_ms: 3000}\n"
    happened = accepts + '      - {agent_says: "Maja Brandt here.", at_ms: 4000}'
    text = TEXT.format(people="", meanwhile=happened, each_ms=10)
    played = replay(load_text(text, "t").cassette, plain_environment)

    masked = mask(cassette_from_log(played.entries, _KEY)).cassette

    accepts, says = masked.turns[0].meanwhile
    assert "Brandt" not in dump(masked)
    assert accepts.words
    assert says.words == f"{accepts.words} here."
