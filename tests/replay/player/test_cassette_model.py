"""The answers of a cassette's models, and the report of missing and unused replies."""

import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.entries import ModelChunks
from assistant.replay.cassette import Turn
from assistant.replay.played import Played
from assistant.replay.player.cassette_model import timed_chunks
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.replies import (
    ArgumentsPiece,
    Called,
    Ending,
    EndPiece,
    NamePiece,
    Reply,
    TextPiece,
)
from tests.replay.player.written_cassettes import (
    at,
    cassette,
    decides,
    gives,
    narrates,
    scenes,
    stop,
    thanks,
    two_lookups,
)


def brought(played: Played) -> list[ModelChunks]:
    return [logged.entry for logged in played.entries if isinstance(logged.entry, ModelChunks)]


def test_recorded_pieces_come_at_their_times(environment: ReplayEnvironment) -> None:
    reply = Reply(
        role="decider",
        pieces=(
            TextPiece(at_ms=120, text="One moment."),
            NamePiece(at_ms=250, call="get_order_status", id="call-7"),
            ArgumentsPiece(at_ms=260, arguments='{"num'),
            ArgumentsPiece(at_ms=301, arguments='ber": "4"}'),
            EndPiece(
                at_ms=305,
                end="tool_calls",
                input_tokens=5,
                output_tokens=6,
                cached_tokens=1,
                cost_usd=0.5,
                model="m",
            ),
        ),
    )
    turn = Turn(
        customer="Where is order 4?",
        replies=(reply, narrates("On its way.")),
        results=(gives("get_order_status", "shipped", arguments={"number": "4"}),),
    )

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert brought(played)[0].chunks == (
        (120, TextDelta("One moment.")),
        (250, CallNamed(0, "get_order_status", "call-7")),
        (260, CallArguments(0, '{"num')),
        (301, CallArguments(0, 'ber": "4"}')),
        (305, StreamEnded("tool_calls", 5, 6, 1, 0.5, "m")),
    )


def test_a_reply_written_by_hand_is_cut_into_words() -> None:
    reply = Reply(
        role="decider",
        says="One moment.",
        calls=(Called(tool="a", arguments={"x": 1}), Called(tool="b", raw_arguments="{nonsense")),
        first_ms=100,
        each_ms=10,
    )

    assert timed_chunks(reply) == [
        (100, TextDelta("One")),
        (110, TextDelta(" moment.")),
        (120, CallNamed(0, "a")),
        (130, CallArguments(0, '{"x')),
        (140, CallArguments(0, '":1}')),
        (150, CallNamed(1, "b")),
        (160, CallArguments(1, "{non")),
        (170, CallArguments(1, "sense")),
        (180, StreamEnded("tool_calls")),
    ]


def test_pieces_of_a_text_come_as_they_are() -> None:
    assert timed_chunks(Reply(role="narrator", says=("On Tue", "sday."), first_ms=0)) == [
        (0, TextDelta("On Tue")),
        (0, TextDelta("sday.")),
        (0, StreamEnded("stop")),
    ]


@pytest.mark.parametrize(
    ("ends", "after_ms", "error"),
    [
        ("breaks", 310, "breaks off here"),
        ("refused", 310, "refuses"),
        ("timed_out", 310, "too slow"),
        ("stalls", 310 + 15_000, "silent for 15 s"),
    ],
)
def test_a_reply_that_fails_ends_as_the_providers_did(
    environment: ReplayEnvironment, ends: Ending, after_ms: int, error: str
) -> None:
    turn = Turn(customer="Hello", replies=(decides(says="Good day", each_ms=10, ends=ends),) * 4)

    played = replay(cassette(turn), environment)

    first = brought(played)[0]
    assert error in str(first.error)
    assert [at_ms for at_ms, _ in first.chunks] == [300, 310]
    logged = next(one for one in played.entries if one.entry is first)
    assert logged.at_ms - played.began_ms == after_ms


@pytest.mark.parametrize("ends", ["breaks", "refused", "timed_out"])
def test_a_reply_without_text_ends_when_its_first_word_would_have_come(
    environment: ReplayEnvironment, ends: Ending
) -> None:
    played = replay(
        cassette(Turn(customer="Hello", replies=(decides(first_ms=450, ends=ends),) * 4)), environment
    )

    first = next(logged for logged in played.entries if isinstance(logged.entry, ModelChunks))
    assert first.at_ms - played.began_ms == 450


def test_a_provider_that_never_begins_times_out(
    environment: ReplayEnvironment,
) -> None:
    turn = Turn(customer="Hello", replies=(decides(ends="stalls"),) * 4)

    assert str(brought(replay(cassette(turn), environment))[0].error).endswith("silent for 20 s")


def test_a_stopped_reply_waits_for_the_stop(environment: ReplayEnvironment) -> None:
    turn = Turn(
        customer="Hello",
        replies=(decides(says="Good day", ends="stopped"),),
        meanwhile=(stop(at_ms=9000),),
    )

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert at(played, "turn.completed") == [9000]
    assert brought(played)[0].error == "stopped"


def test_a_stopped_reply_without_a_stop_is_reported(environment: ReplayEnvironment) -> None:
    turn = Turn(
        customer="Hello", replies=(decides(says="Good day", ends="stopped"), *[decides(says="Hi")] * 3)
    )

    played = replay(cassette(turn), environment)

    assert (
        played.unscripted[0] == "turn 1: the decider's reply was given up; the turn was to be stopped before"
    )


def test_a_missing_reply_is_reported_and_fails_as_a_broken_model(
    environment: ReplayEnvironment,
) -> None:
    short = two_lookups().model_copy(update={"replies": two_lookups().replies[:1]})

    played = replay(cassette(thanks(), short), environment)

    assert "turn 2: the narrator was asked once more; the cassette has no reply left" in played.unscripted
    assert "the cassette has no reply left" in str(brought(played)[-1].error)


def test_unused_replies_are_reported(environment: ReplayEnvironment) -> None:
    said = "You are booked for Tuesday at two in the afternoon."
    turn = Turn(
        customer="Hello",
        replies=(
            decides(says="Good day."),
            narrates(said),
            decides("get_order_status", "get_open_invoices"),
            decides(ends="refused"),
        ),
    )

    assert replay(cassette(thanks(), turn), environment).unscripted == (
        "turn 2: the decider's reply with get_order_status, get_open_invoices was never asked for",
        "turn 2: the decider's reply without words (refused) was never asked for",
        "turn 2: the narrator's reply 'You are booked for Tuesday at two in the...' was never asked for",
    )


def test_a_reply_may_be_listed_in_any_turn_before_its_use(environment: ReplayEnvironment) -> None:
    early = Turn(customer="Hello", replies=(decides(says="Good day."), decides(says="You are welcome.")))

    played = replay(cassette(early, Turn(customer="Thanks")), environment)

    assert played.unscripted == ()
    assert scenes(played) == ["Assistant: Good day.", "Assistant: You are welcome."]
