"""A cassette is played exactly, frame by frame and millisecond by millisecond."""

from datetime import UTC, datetime

from assistant.conversation.entries import CallsPending, ConfirmationAnswered, CustomerMessage
from assistant.replay.cassette import Limits, Turn, Who
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.testing.scene import scene
from tests.replay.player.written_cassettes import (
    MORNING,
    TWO_LOOKUPS_SCENE,
    at,
    cancelling,
    cassette,
    decides,
    gives,
    narrates,
    scenes,
    thanks,
    two_lookups,
    types,
)


def test_the_conversation_runs_as_written(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(), thanks()), environment)

    assert played.unscripted == ()
    assert scenes(played) == [scene(TWO_LOOKUPS_SCENE), "Assistant: You are welcome."]


def test_the_client_gets_each_frame_at_its_time(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups()), environment)

    frames = [(heard.at_ms, heard.frame["type"]) for heard in played.frames]
    assert frames[:11] == [
        (0, "welcome"),
        (0, "accepted"),
        (0, "turn.started"),
        (300, "message.started"),
        (300, "message.delta"),
        (300, "tool.started"),
        (300, "tool.started"),
        (300, "message.delta"),
        (300, "message.completed"),
        (380, "tool.finished"),
        (530, "tool.finished"),
    ]
    # How soon words are shown is for the turn to say; the model has begun at 800 and ended at 930.
    assert frames[11][1] == "message.started"
    assert all(kind == "message.delta" for _, kind in frames[12:-2])
    assert all(800 <= at_ms <= 930 for at_ms, _ in frames[11:])
    assert frames[-2:] == [(930, "message.completed"), (930, "turn.completed")]


def test_the_conversation_begins_when_the_cassette_says(environment: ReplayEnvironment) -> None:
    played = replay(cassette(thanks()), environment)

    assert datetime.fromtimestamp(played.began_ms / 1000, UTC) == MORNING
    assert played.entries[0].at_ms == played.began_ms
    assert played.bundle == environment.bundle
    assert played.state.turns[0].turn.bundle == environment.bundle


def test_the_welcome_names_the_customer_and_keeps_its_token(environment: ReplayEnvironment) -> None:
    who = Who(tenant="shop", id="4711", level="signed_in", name="Ana", locale="de")
    welcome = replay(cassette(thanks()).model_copy(update={"customer": who}), environment).frames[0].frame

    assert "token" not in welcome
    assert welcome["customer"] == {"id": "4711", "level": "signed_in", "name": "Ana"}
    assert welcome["assistant"] == {
        "name": environment.book.voice.in_locale("de").name,
        "greeting": environment.book.voice.in_locale("de").greeting,
        "starters": list(environment.book.voice.in_locale("de").starters),
        "disclosure": environment.book.voice.in_locale("de").disclosure,
        "note": None,
    }


def test_a_message_waits_until_the_one_before_is_answered(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(), thanks(after_ms=70)), environment)

    assert at(played, "accepted") == [0, 930 + 70]
    assert at(played, "turn.completed") == [930, 1000 + 300]


def test_a_message_with_its_own_time_waits_in_the_queue(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(), thanks(at_ms=400)), environment)

    assert at(played, "accepted") == [0, 400]
    assert at(played, "turn.started") == [0, 930]
    assert scenes(played) == [scene(TWO_LOOKUPS_SCENE), "Assistant: You are welcome."]


def test_a_message_whose_time_has_passed_comes_immediately(environment: ReplayEnvironment) -> None:
    played = replay(cassette(thanks(), thanks(), thanks(at_ms=10)), environment)

    assert at(played, "accepted") == [0, 300, 310]


def test_a_barge_in_stops_the_message_and_is_answered(environment: ReplayEnvironment) -> None:
    thanked = thanks(barge_in_ms=840)
    told = thanked.model_copy(update={"replies": (*thanked.replies, narrates("Billing is out of reach."))})
    played = replay(cassette(two_lookups(), told), environment)

    assert played.unscripted == ()
    assert [turn.how for turn in played.state.turns] == ["interrupted", "answered"]
    assert at(played, "accepted") == [0, 840]
    assert at(played, "turn.completed")[0] == 840


def test_a_side_effect_runs_once_the_button_is_pressed(environment: ReplayEnvironment) -> None:
    played = replay(cassette(*cancelling()), environment)

    assert played.unscripted == ()
    assert scenes(played) == [
        "  [cancel_appointment asked]\nAssistant: Shall I cancel your eye test on Tuesday?",
        scene("""
            Assistant (acknowledgement): All right, I'll cancel it.
              [cancel_appointment ok]
            Assistant: Your eye test on Tuesday is cancelled.
        """),
    ]
    said = [logged.entry for logged in played.entries if isinstance(logged.entry, CustomerMessage)]
    assert (said[1].text, said[1].button) == ("Yes, please", "yes")
    assert any(isinstance(logged.entry, ConfirmationAnswered) for logged in played.entries)


def test_a_button_without_a_question_is_reported_and_sent_as_text(environment: ReplayEnvironment) -> None:
    pressed = Turn(customer="Yes", button="yes", replies=(decides(says="What do you mean?"),))

    played = replay(cassette(pressed), environment)

    assert played.unscripted == ("turn 1: there was no question yet whose button 'Yes' could be",)
    assert scenes(played) == ["Assistant: What do you mean?"]


def test_a_late_button_has_its_question_repeated(environment: ReplayEnvironment) -> None:
    asked, pressed = cancelling()
    late = pressed.model_copy(update={"after_ms": 31 * 60 * 1000, "replies": (), "results": ()})

    played = replay(cassette(asked, late), environment)

    assert played.unscripted == ()
    assert [turn.message.client_message_id for turn in played.state.turns] == ["m1", "m2"]
    assert [turn.how for turn in played.state.turns] == ["awaiting_confirmation"] * 2
    assert played.state.question is not None
    assert played.state.question.attempt == 2


def test_a_message_may_be_in_another_language_than_the_page(environment: ReplayEnvironment) -> None:
    turn = Turn(customer="ok", locale="de", replies=(decides(says="Gern."),))

    played = replay(cassette(turn), environment)

    assert played.state.turns[0].message.locale == "de"


def test_the_limits_of_the_cassette_hold(environment: ReplayEnvironment) -> None:
    short = cassette(two_lookups()).model_copy(update={"limits": Limits(tools_s=0.4)})

    played = replay(short, environment)

    (pending,) = [logged.entry for logged in played.entries if isinstance(logged.entry, CallsPending)]
    assert len(pending.call_ids) == 1


def test_an_abandoned_call_is_reported_before_the_customer_leaves(
    environment: ReplayEnvironment,
) -> None:
    slow = gives("list_upcoming_appointments", [], after_ms=5000)
    turn = Turn(customer="Look", replies=(decides("list_upcoming_appointments"),), results=(slow,))

    played = replay(cassette(turn, thanks(barge_in_ms=600)), environment)

    assert played.unscripted == ()
    assert types(played)[-1] == "tool.finished"
    assert 5300 <= played.frames[-1].at_ms < 5400


def test_no_turn_has_more_rounds_than_the_cassette_allows(environment: ReplayEnvironment) -> None:
    first, second = ({"number": number} for number in "12")
    again = decides(("get_order_status", second)).model_copy(update={"role": "narrator"})
    turn = Turn(
        customer="Look twice",
        replies=(decides(("get_order_status", first)), again, narrates("There are none.")),
        results=tuple(gives("get_order_status", [], arguments=number) for number in (first, second)),
    )

    twice = replay(cassette(turn), environment)
    once = replay(cassette(turn).model_copy(update={"limits": Limits(rounds=2)}), environment)

    assert scenes(twice)[0].count("[get_order_status empty]") == 2
    assert scenes(once)[0].count("[get_order_status empty]") == 1


def test_a_script_may_say_more_than_a_customer_could(environment: ReplayEnvironment) -> None:
    played = replay(cassette(*[thanks()] * 40), environment)

    assert played.unscripted == ()
    assert len(played.state.turns) == 40


def test_an_hour_of_conversation_passes_in_no_time_of_ours(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(), *[thanks(after_ms=60_000)] * 59), environment)

    assert played.frames[-1].at_ms == 930 + 59 * 60_300
    assert len(played.state.turns) == 60


def test_a_server_that_disconnects_is_reported_and_the_wait_ends(environment: ReplayEnvironment) -> None:
    endless = Turn(customer="Hello " * 12_000, replies=(decides(says="Good day."),))

    assert replay(cassette(endless), environment).unscripted == (
        "turn 0: the server hung up: 1009 the frame is larger than this server takes",
        "turn 0: there was no end after 3600 s; it was given up",
        "turn 1: the decider's reply 'Good day.' was never asked for",
    )


def test_a_frame_that_the_server_refuses_is_reported(environment: ReplayEnvironment) -> None:
    asked, pressed = cancelling()
    long_label = pressed.model_copy(update={"customer": "Yes " * 40})

    noted = replay(cassette(asked, long_label), environment).unscripted[0]

    assert noted.startswith("turn 1: the server answered bad_frame: ")


def test_an_empty_message_is_refused_and_the_next_one_answered(environment: ReplayEnvironment) -> None:
    played = replay(cassette(Turn(customer=" "), thanks()), environment)

    assert played.unscripted == ()
    assert at(played, "rejected") == [0]
    assert scenes(played) == ["Assistant: You are welcome."]
