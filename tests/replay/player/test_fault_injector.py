"""Stops, cut connections and restarts in the middle of an answer."""

from assistant.conversation.entries import ClientConnected, ClientDisconnected, TurnEnded
from assistant.conversation.values import Json
from assistant.replay.cassette import Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.testing.scene import scene
from tests.replay.player.written_cassettes import (
    TWO_LOOKUPS_SCENE,
    at,
    cancelling,
    cassette,
    decides,
    disconnect,
    gives,
    narrates,
    restart,
    scenes,
    stop,
    thanks,
    two_lookups,
    types,
)

WHOLE = scene(TWO_LOOKUPS_SCENE)


def test_a_stop_at_a_time_ends_the_message(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(stop(at_ms=845)), then_told()), environment)

    assert played.unscripted == ()
    assert at(played, "turn.completed")[0] == 845
    assert scenes(played)[0].endswith("Assistant: It's in Vienna on --")


def then_told() -> Turn:
    """Another message, after whose answer the customer is told what they had not been told before."""
    last = thanks()
    return last.model_copy(update={"replies": (*last.replies, narrates("Billing is out of reach."))})


def test_a_stop_comes_as_soon_as_its_words_are_shown(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(stop(after="in Vienna"))), environment)

    assert played.unscripted == ()
    assert at(played, "turn.completed") == at(played, "message.delta")[-1:]
    said = played.state.turns[0].messages[-1].text
    assert said.startswith("It's in Vienna")
    assert "Billing" not in said


def test_words_of_an_earlier_turn_do_not_count(environment: ReplayEnvironment) -> None:
    played = replay(cassette(thanks(), two_lookups(stop(after="You are welcome"))), environment)

    assert played.unscripted == ("turn 2: 'You are welcome' was never shown, so there was no stop",)
    assert scenes(played)[1] == WHOLE


def test_an_event_that_waits_for_missing_words_is_reported(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(stop(after="Wednesday"))), environment)

    assert played.unscripted == ("turn 1: 'Wednesday' was never shown, so there was no stop",)
    assert scenes(played) == [WHOLE]


def test_a_stop_without_a_connection_is_reported_and_has_no_effect(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(500, at_ms=600), stop(at_ms=700))), environment)

    assert played.unscripted == ("turn 1: stop was pressed while there was no line",)
    assert scenes(played) == [WHOLE]


def test_a_barge_in_without_a_connection_arrives_after_the_reconnect(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(2000, at_ms=600)), thanks(barge_in_ms=700)), environment)

    assert played.unscripted == ("turn 2: stop was pressed while there was no line",)
    assert at(played, "accepted") == [0, 2600]
    assert scenes(played) == [WHOLE, "Assistant: You are welcome."]


def test_a_cut_client_reconnects_and_gets_what_it_missed(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(2000, after="It's"))), environment)

    assert played.unscripted == ()
    cut = types(played).index("welcome", 1)
    shown_ms = played.frames[cut - 1].at_ms
    assert 800 <= shown_ms < 930
    assert [(heard.at_ms, heard.frame["type"]) for heard in played.frames[cut:]] == [
        (shown_ms + 2000, "welcome"),
        (shown_ms + 2000, "message.delta"),
        (shown_ms + 2000, "message.completed"),
        (shown_ms + 2000, "turn.completed"),
    ]
    assert resumed(played) == ["new", "replay"]
    assert scenes(played) == [WHOLE]


def test_the_log_knows_when_the_connection_was_cut(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(1000, at_ms=350))), environment)

    came_and_went = [
        (type(logged.entry), logged.at_ms - played.began_ms)
        for logged in played.entries
        if isinstance(logged.entry, ClientConnected | ClientDisconnected)
    ]
    assert came_and_went == [
        (ClientConnected, 0),
        (ClientDisconnected, 350),
        (ClientConnected, 1350),
        (ClientDisconnected, 1350),
    ]


def test_a_client_without_state_gets_the_current_conversation(
    environment: ReplayEnvironment,
) -> None:
    """The message is on its way when the connection is lost: the client that returns has shown nothing of it."""
    played = replay(cassette(two_lookups(disconnect(850, at_ms=0))), environment)

    assert played.unscripted == ()
    assert resumed(played) == ["new", "snapshot"]
    assert at(played, "accepted") == [850]
    assert scenes(played) == [WHOLE]


def test_a_second_cut_of_the_same_connection_is_reported(environment: ReplayEnvironment) -> None:
    played = replay(
        cassette(two_lookups(disconnect(1000, at_ms=100), disconnect(10, at_ms=200))), environment
    )

    assert played.unscripted == ("turn 1: the line was cut already when it was to be cut",)
    assert at(played, "welcome") == [0, 1100]


def test_a_message_without_a_connection_is_sent_after_the_reconnect(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(3000, at_ms=500)), thanks(at_ms=600)), environment)

    assert played.unscripted == ()
    assert at(played, "accepted") == [0, 3500]


def test_a_restart_in_the_middle_of_a_lookup_runs_it_again(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(restart(at_ms=400))), environment)

    assert played.unscripted == ()
    assert scenes(played) == [WHOLE]
    assert [message.kind for message in played.state.turns[0].messages] == ["acknowledgement", "response"]
    assert at(played, "welcome") == [0, 400]


def test_a_restart_in_the_middle_of_an_answer_uses_the_next_reply(
    environment: ReplayEnvironment,
) -> None:
    turn = two_lookups(restart(after="It's in"))
    twice = turn.model_copy(update={"replies": (*turn.replies, turn.replies[1])})

    played = replay(cassette(twice), environment)

    assert played.unscripted == ()
    assert scenes(played) == [WHOLE]


def test_a_side_effect_that_a_restart_cuts_off_is_not_run_twice(environment: ReplayEnvironment) -> None:
    asked, agreed = cancelling(restart(at_ms=50))
    honest = agreed.model_copy(update={"replies": (narrates("I don't know whether that worked."),)})
    played = replay(cassette(asked, honest), environment)

    assert played.unscripted == ()
    assert "[cancel_appointment unknown]" in scenes(played)[1]


def test_a_restart_without_a_connection_lets_the_client_stay_away(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(5000, at_ms=350), restart(at_ms=400))), environment)

    assert played.unscripted == ()
    assert at(played, "welcome") == [0, 5350]
    assert scenes(played) == [WHOLE]


def test_a_restarted_server_continues_without_a_client(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(5000, at_ms=350), restart(at_ms=400))), environment)

    (ended,) = [logged for logged in played.entries if isinstance(logged.entry, TurnEnded)]
    assert ended.at_ms - played.began_ms < 1100


def test_a_client_that_reconnects_during_the_restart_waits_for_it(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(200, at_ms=200), restart(at_ms=400))), environment)

    assert played.unscripted == ()
    assert at(played, "welcome") == [0, 400]
    assert scenes(played) == [WHOLE]


def test_an_immediate_reconnect_comes_after_the_disconnect(environment: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(disconnect(0, at_ms=350))), environment)

    visits = [
        type(one.entry)
        for one in played.entries
        if isinstance(one.entry, ClientConnected | ClientDisconnected)
    ]
    assert visits == [ClientConnected, ClientDisconnected, ClientConnected, ClientDisconnected]


def test_events_after_the_last_answer_happen_too(environment: ReplayEnvironment) -> None:
    played = replay(cassette(thanks(), two_lookups(disconnect(100, at_ms=5000))), environment)

    assert types(played)[-1] == "welcome"
    assert played.frames[-1].at_ms == 300 + 5100


def test_words_in_a_snapshot_trigger_waiting_events(environment: ReplayEnvironment) -> None:
    """Cut before anything was shown; the words come with the snapshot, and the stop right after them."""
    played = replay(cassette(two_lookups(disconnect(845, at_ms=0), stop(after="It's in"))), environment)

    assert played.unscripted == ()
    assert resumed(played) == ["new", "snapshot"]
    assert at(played, "turn.completed") == [845]
    assert played.state.turns[0].how == "interrupted"


def resumed(played: Played) -> list[Json]:
    return [heard.frame["resumed"] for heard in played.frames if heard.frame["type"] == "welcome"]


def test_a_question_survives_a_cut_and_its_button_works(environment: ReplayEnvironment) -> None:
    asked, pressed = cancelling()
    cut = asked.model_copy(update={"meanwhile": (disconnect(700, at_ms=0),)})

    played = replay(cassette(cut, pressed), environment)

    assert played.unscripted == ()
    assert resumed(played) == ["new", "snapshot"]
    assert played.state.turns[1].how == "answered"


def test_a_lookup_that_hangs_over_a_restart_is_not_waited_for(
    environment: ReplayEnvironment,
) -> None:
    hangs = gives("get_order_status", None).model_copy(update={"does": "hangs"})
    turn = Turn(
        customer="Where is my order?",
        replies=(decides("get_order_status"), narrates("It is on its way.")),
        results=(hangs, gives("get_order_status", {"status": "shipped"}, after_ms=100)),
        meanwhile=(restart(at_ms=1000),),
    )

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert "[get_order_status ok]" in scenes(played)[0]
