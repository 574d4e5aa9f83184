"""With its own models a conversation runs live: only the customer and the tools are the cassette's."""

import pytest

from assistant.conversation.entries import CallEnded, ConfirmationAsked, MessageText
from assistant.replay.cassette import Cassette, People, Turn
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import play
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import RoleModel
from tests.replay.player.written_cassettes import asks, at, cassette, gives, scenes, stop, thanks, two_lookups

ORDERS = (
    gives("get_order_status", "lost", arguments={"number": "1"}),
    gives("get_order_status", "shipped", arguments={"number": "2"}),
)


def live(recorded: Cassette, environment: ReplayEnvironment, *lines: Line) -> Played:
    model = ScriptedModel(*lines, clock=VirtualClock())
    role = RoleModel(model=model)
    played = run_virtually(play(recorded, environment, models={"decider": role, "narrator": role}))
    model.assert_used_up()
    return played


def values(played: Played) -> list[object]:
    ended = (logged.entry.outcome for logged in played.entries if isinstance(logged.entry, CallEnded))
    return [getattr(outcome, "value", getattr(outcome, "say", None)) for outcome in ended]


def test_messages_are_sent_one_after_the_other_whatever_the_cassette_says(
    environment: ReplayEnvironment,
) -> None:
    recorded = cassette(two_lookups(stop(at_ms=10)), thanks(barge_in_ms=10), thanks(at_ms=5))

    played = live(recorded, environment, says("One.", first_s=7), says("Two."), says("Three."))

    assert played.unscripted == ()
    patience = "Assistant (status): One moment, please."
    assert scenes(played) == [f"{patience}\nAssistant: One.", "Assistant: Two.", "Assistant: Three."]
    assert at(played, "accepted") == [0, 7000, 7000]


def test_a_call_is_answered_by_the_run_with_its_arguments_however_often(
    environment: ReplayEnvironment,
) -> None:
    second = ("get_order_status", {"number": "2"})
    recorded = cassette(thanks().model_copy(update={"results": ORDERS}), thanks())

    played = live(recorded, environment, calls(second), says("There."), calls(second), says("Still there."))

    assert played.unscripted == ()
    assert values(played) == ["shipped", "shipped"]


def test_a_call_with_unrecorded_arguments_gets_the_tools_first_run(
    environment: ReplayEnvironment,
) -> None:
    recorded = cassette(thanks().model_copy(update={"results": ORDERS}))

    played = live(recorded, environment, calls(("get_order_status", {"number": "9"})), says("There."))

    assert values(played) == ["lost"]


def test_a_call_of_an_unrecorded_tool_fails(environment: ReplayEnvironment) -> None:
    played = live(cassette(thanks()), environment, calls("get_open_invoices"), says("I could not."))

    assert played.unscripted == ("turn 1: get_open_invoices ran with {}, which was not recorded",)
    assert values(played) == ["that was not recorded"]


def test_a_question_has_the_recorded_clause(environment: ReplayEnvironment) -> None:
    clauses = (
        asks("cancel_appointment", "cancel any of them"),
        asks("cancel_appointment", "cancel the eye test", arguments={"day": "Tuesday"}),
    )
    turn = Turn(customer="Cancel it", results=clauses)
    again = Turn(customer="And Monday's")

    played = live(
        cassette(turn, again),
        environment,
        calls(("cancel_appointment", {"day": "Tuesday"})),
        calls(("cancel_appointment", {"day": "Monday"})),
    )

    asked = [one.entry.clauses for one in played.entries if isinstance(one.entry, ConfirmationAsked)]
    assert [clause for clauses in asked for clause in clauses][:2] == [
        "cancel the eye test",
        "cancel any of them",
    ]


def test_without_a_recorded_clause_the_tool_words_the_question(environment: ReplayEnvironment) -> None:
    played = live(
        cassette(Turn(customer="Cancel it")), environment, calls(("cancel_appointment", {"day": "Tuesday"}))
    )

    assert played.unscripted == ()
    assert "Tuesday" in scenes(played)[0]


async def test_on_a_real_time_loop_it_runs_in_real_time(environment: ReplayEnvironment) -> None:
    role = RoleModel(model=ScriptedModel(says("One.")))

    played = await play(cassette(thanks()), environment, models={"decider": role, "narrator": role})

    assert played.unscripted == ()
    assert scenes(played) == ["Assistant: One."]
    assert played.frames[0].at_ms < 5000


@pytest.mark.parametrize("agents", [None, People(wait_s=60)])
def test_a_person_is_offered_only_if_the_cassette_has_agents(
    environment: ReplayEnvironment, agents: People | None
) -> None:
    recorded = cassette(thanks()).model_copy(update={"agents": agents})

    played = live(recorded, environment, says("I've refunded you $20."), says("I've refunded you $20."))

    told = "".join(logged.entry.text for logged in played.entries if isinstance(logged.entry, MessageText))
    assert "not something I can do" in told
    assert ("one of my colleagues" in told) == (agents is not None)
