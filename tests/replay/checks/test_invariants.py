"""What every conversation must satisfy about agents, consent and late results."""

from collections.abc import Callable
from dataclasses import replace

from assistant.conversation.entries import ConfirmationAnswered, Entry, Handoff, Logged, ResultsDelivered
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import load_text
from assistant.replay.checks.check import check
from assistant.replay.checks.invariants import confirmed_before_writes, delivered_once, silent_during_handoff
from assistant.replay.checks.rendering import render_transcript
from assistant.replay.checks.transcript import CheckFailure, Transcript, played_turns
from assistant.replay.expectations import Expectations
from assistant.replay.played import Played
from assistant.replay.player.cassette_tool import declared_tool
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.testing.virtual_time import VirtualClock

HEAD = "format: 2\nabout: t\nnow: 2026-11-23 09:00:00+01:00\n"
PEOPLE = f"""{HEAD}agents: {{}}
turns:
  - customer: human please
    replies:
      - decider: {{calls: [talk_to_a_person]}}
      - narrator: {{says: "They have been asked.", each_ms: 10}}
    meanwhile:
      - {{agent_accepts: Maja, at_ms: 3000}}
      - {{agent_says: "Hello, Maja here.", at_ms: 4000}}
  - customer: Hi
    at_ms: 5000
"""
ORDER = f"""{HEAD}tools:
  - {{name: order_case, waiting_hint: ordering a case, effect: write, confirm: true}}
turns:
  - customer: Order a case
    replies: [{{decider: {{calls: [order_case]}}}}]
    results: [order_case: {{confirm: order a case}}]
  - customer: "Yes"
    button: yes
    replies: [{{narrator: "Your case is ordered."}}]
    results: [order_case: {{returns: ordered}}]
"""
LATE = f"""{HEAD}limits: {{tools_s: 1}}
tools:
  - {{name: count_frames, waiting_hint: counting your frames}}
turns:
  - customer: How many frames are there?
    replies:
      - decider: {{calls: [count_frames]}}
      - narrator: "Counting your frames takes longer."
      - narrator: "There are 12 frames."
    results: [count_frames: {{returns: {{frames: 12}}, after_ms: 3000}}]
"""


def transcript(
    text: str,
    environment: ReplayEnvironment,
    change: Callable[[Logged], list[Entry]] = lambda one: [one.entry],
) -> Transcript:
    """A conversation, with a log in which each entry has become these."""
    cassette = load_text(text, "t").cassette
    played = replay(cassette, environment)
    assert played.unscripted == ()
    entries = tuple(replace(one, entry=entry) for one in played.entries for entry in change(one))
    specs = {one.name: declared_tool(one, VirtualClock()).spec for one in cassette.tools}
    return Transcript(
        cassette=cassette,
        played=replace(played, entries=entries),
        turns=played_turns(played),
        book=environment.book,
        specs=specs,
    )


def told(failures: list[CheckFailure]) -> list[tuple[int, str, str]]:
    return [(one.turn, one.check, one.found) for one in failures]


def failures_of(cassette: Cassette, played: Played) -> list[tuple[str, str, str]]:
    return [(one.check, one.expected, one.found) for one in check(cassette, played, shipped_book())]


def test_silence_while_an_agent_speaks_causes_no_complaint(
    plain_environment: ReplayEnvironment,
) -> None:
    assert list(silent_during_handoff(transcript(PEOPLE, plain_environment))) == []


def test_speaking_during_a_handoff_is_reported_once(plain_environment: ReplayEnvironment) -> None:
    def sooner(one: Logged) -> list[Entry]:
        queued = isinstance(one.entry, Handoff) and one.entry.state == "queued"
        return [Handoff(handoff_id="h", state="accepted", name="Maja")] if queued else [one.entry]

    (failure,) = silent_during_handoff(transcript(PEOPLE, plain_environment, sooner))

    assert told([failure]) == [(1, "silent_during_handoff", "it asked a model")]
    assert failure.expected == "silence while Maja has the conversation"


def test_a_message_to_an_agent_is_accepted_and_shown(plain_environment: ReplayEnvironment) -> None:
    cassette = load_text(PEOPLE, "t").cassette
    played = replay(cassette, plain_environment)

    assert failures_of(cassette, played) == []
    shown = render_transcript(cassette, played, [])
    assert "Maja             Hello, Maja here." in shown
    assert "5,000 ms  Customer         Hi" in shown


def test_a_handoff_with_other_states_is_reported(plain_environment: ReplayEnvironment) -> None:
    cassette = load_text(PEOPLE, "t").cassette
    played = replay(cassette, plain_environment)
    wrong = Expectations(handoff=("requested", "ticket"))
    first, last = cassette.turns
    turns = (first, last.model_copy(update={"expect": Expectations(ended="answered", handoff=())}))

    changed = cassette.model_copy(update={"turns": turns, "expect": wrong})

    assert failures_of(changed, played) == [
        ("ended", "answered", "forwarded_to_agent"),
        ("handoff", "requested, ticket", "requested, queued, accepted"),
    ]


def test_a_side_effect_with_a_yes_causes_no_complaint(plain_environment: ReplayEnvironment) -> None:
    assert list(confirmed_before_writes(transcript(ORDER, plain_environment))) == []


def test_a_side_effect_without_a_yes_is_reported(plain_environment: ReplayEnvironment) -> None:
    def unasked(one: Logged) -> list[Entry]:
        return [] if isinstance(one.entry, ConfirmationAnswered) else [one.entry]

    (failure,) = confirmed_before_writes(transcript(ORDER, plain_environment, unasked))

    assert told([failure]) == [(2, "agreed", "a yes to nothing")]
    assert failure.expected == "the customer's yes before order_case begins"


def test_a_yes_to_another_call_is_none(plain_environment: ReplayEnvironment) -> None:
    def other(one: Logged) -> list[Entry]:
        answered = one.entry
        return [
            replace(answered, agreed_call_ids=("c9.9",))
            if isinstance(answered, ConfirmationAnswered)
            else answered
        ]

    assert told(list(confirmed_before_writes(transcript(ORDER, plain_environment, other)))) == [
        (2, "agreed", "a yes to nothing")
    ]


def test_a_late_result_that_is_told_twice_is_reported(plain_environment: ReplayEnvironment) -> None:
    def twice(one: Logged) -> list[Entry]:
        return [one.entry] * (2 if isinstance(one.entry, ResultsDelivered) else 1)

    assert list(delivered_once(transcript(LATE, plain_environment))) == []
    assert told(list(delivered_once(transcript(LATE, plain_environment, twice)))) == [
        (1, "delivered_once", "it was told again")
    ]
