"""The result of a call is the cassette's; missing and unused runs are reported."""

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, ConfirmationAsked
from assistant.conversation.outcomes import CallFailed, Outcome, outcome_name
from assistant.conversation.values import JsonObject
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Turn, Who
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment, environment_with
from assistant.replay.player.play import replay
from assistant.replay.replies import Declared, Run
from assistant.testing.fake_tool import FakeTool, Gives, Refuses, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.decorator import tool
from tests.replay.player.written_cassettes import (
    asks,
    cancelling,
    cassette,
    decides,
    gives,
    narrates,
    scenes,
    thanks,
)


def asking(*calls: str | tuple[str, JsonObject], tools: tuple[Run, ...]) -> Turn:
    return Turn(customer="Have a look", replies=(decides(*calls), narrates("There you are.")), results=tools)


def outcomes(played: Played) -> list[Outcome]:
    return [logged.entry.outcome for logged in played.entries if isinstance(logged.entry, CallEnded)]


def results(played: Played) -> dict[str, object]:
    """What each call was given, by its arguments' one value."""
    return {
        str(next(iter(one.call.arguments.values()))): getattr(one, "value", None) for one in outcomes(played)
    }


def questions(played: Played) -> list[str]:
    return [one.entry.read_back for one in played.entries if isinstance(one.entry, ConfirmationAsked)]


def test_runs_with_a_calls_own_arguments_are_used_first(environment: ReplayEnvironment) -> None:
    turn = asking(
        ("get_order_status", {"number": "1"}),
        ("get_order_status", {"number": "2"}),
        tools=(
            gives("get_order_status", "any"),
            gives("get_order_status", "the second", arguments={"number": "2"}),
        ),
    )

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert results(played) == {"1": "any", "2": "the second"}


def test_runs_without_arguments_are_used_in_their_order(environment: ReplayEnvironment) -> None:
    turn = asking(
        ("get_order_status", {"number": "1"}),
        ("get_order_status", {"number": "2"}),
        tools=(gives("get_order_status", "first"), gives("get_order_status", "second")),
    )

    assert results(replay(cassette(turn), environment)) == {"1": "first", "2": "second"}


def test_a_call_without_a_run_is_reported_and_fails(environment: ReplayEnvironment) -> None:
    turn = asking(
        ("get_order_status", {"number": "1"}),
        "get_open_invoices",
        tools=(gives("get_order_status", "other", arguments={"number": "2"}),),
    )

    played = replay(cassette(turn), environment)

    assert set(played.unscripted) == {
        'turn 1: get_order_status ran with {"number":"1"}; the cassette has it with {"number":"2"}',
        "turn 1: get_open_invoices ran with {}; the cassette has no run of it left",
        'turn 1: get_order_status never ran with {"number":"2"}, and the cassette has a run of it',
    }
    assert {one.say for one in outcomes(played) if isinstance(one, CallFailed)} == {"that was not recorded"}


def test_unused_runs_and_clauses_are_reported(environment: ReplayEnvironment) -> None:
    turn = thanks().model_copy(
        update={"results": (gives("get_open_invoices", []), asks("cancel_appointment", "cancel it"))}
    )

    assert replay(cassette(thanks(), turn), environment).unscripted == (
        "turn 2: get_open_invoices never ran, and the cassette has a run of it",
        "turn 2: the customer was never asked about cancel_appointment",
    )


def test_a_run_may_refuse_break_or_hang(environment: ReplayEnvironment) -> None:
    refuses = Run(
        tool="list_upcoming_appointments", does="fails", fails="the calendar is closed", for_model="x"
    )
    breaks = Run(tool="get_open_invoices", does="raises", raises="division by zero")
    hangs = Run(tool="get_order_status", does="hangs")
    turn = asking(
        "list_upcoming_appointments", "get_open_invoices", "get_order_status", tools=(refuses, breaks, hangs)
    )

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert "[get_order_status timed_out]" in scenes(played)[0]
    failed = [(one.say, one.for_model) for one in outcomes(played) if isinstance(one, CallFailed)]
    assert failed == [("the calendar is closed", "x"), ("that did not work", "RuntimeError inside the tool.")]


def test_a_declared_tool_has_the_declared_texts(environment: ReplayEnvironment) -> None:
    tools = (
        Declared(name="plain", description="Something plain."),
        Declared(
            name="find", waiting_hint="finding it", will="dig it up", hints={"de": ("sucht es", "es suchen")}
        ),
    )
    turn = asking("find", "plain", tools=(gives("find", 1), gives("plain", 2)))

    played = replay(cassette(turn, declares=tools), environment)

    assert played.unscripted == ()
    assert scenes(played)[0].startswith("Assistant (acknowledgement): Sure, I'll dig it up")
    hints = [heard.frame["hint"] for heard in played.frames if heard.frame["type"] == "tool.started"]
    assert hints == ["finding it", ""]
    german = turn.model_copy(update={"customer": "ok", "locale": "de"})
    frames = replay(cassette(german, declares=tools), environment).frames
    assert [one.frame["hint"] for one in frames if one.frame["type"] == "tool.started"] == ["sucht es", ""]


def test_an_invalid_argument_uses_up_no_run(environment: ReplayEnvironment) -> None:
    turn = asking(("get_open_invoices", {"colour": "red"}), tools=())

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert isinstance(outcomes(played)[0], CallFailed)


def test_a_repeated_question_has_the_same_clause(environment: ReplayEnvironment) -> None:
    asked, pressed = cancelling()
    unclear = Turn(
        customer="Which one is that again?", replies=(decides(("cancel_appointment", {"day": "Tuesday"})),)
    )

    played = replay(cassette(asked, unclear, pressed), environment)

    assert len(questions(played)) == 2
    assert all("cancel your eye test on Tuesday" in question for question in questions(played))


def test_clauses_with_arguments_belong_to_their_calls(environment: ReplayEnvironment) -> None:
    both = (("cancel_appointment", {"day": "Monday"}), ("cancel_appointment", {"day": "Tuesday"}))
    turn = Turn(
        customer="Cancel both",
        replies=(decides(*both),),
        results=(
            asks("cancel_appointment", "cancel the second", arguments={"day": "Tuesday"}),
            asks("cancel_appointment", "cancel the first", arguments={"day": "Monday"}),
        ),
    )

    (question,) = questions(replay(cassette(turn), environment))

    assert question.index("cancel the first") < question.index("cancel the second")


def test_without_a_clause_the_question_has_hint_and_arguments(environment: ReplayEnvironment) -> None:
    asked = cancelling()[0].model_copy(update={"results": ()})

    played = replay(cassette(asked), environment)

    assert played.unscripted == ()
    (question,) = questions(played)
    assert "cancel it" in question
    assert "Tuesday" in question


def _look_into_the_books(number: str) -> str:
    raise AssertionError("the company's books were opened")


def drop(number: str) -> None:
    """Drop it.

    Args:
        number: which.
    """


def test_a_clause_from_the_companys_records_is_not_read(environment: ReplayEnvironment) -> None:
    books = tool(waiting_hint="dropping it", effect="write", confirm=_look_into_the_books)(drop)
    turn = Turn(customer="Drop it", replies=(decides(("drop", {"number": "7"})),))

    played = replay(cassette(turn), environment_with(shipped_book(), [books]))

    assert played.unscripted == ("turn 1: drop was asked about, and the cassette has no clause for it",)
    assert "drop it" in questions(played)[0]


def test_a_tool_that_refuses_its_question_is_reported_and_does_not_run(
    environment: ReplayEnvironment,
) -> None:
    books = tool(waiting_hint="dropping it", effect="write", confirm=_look_into_the_books)(drop)
    refuses = Run(tool="drop", does="fails", fails="there is no number 7", arguments={"number": "7"})
    turn = Turn(
        customer="Drop it",
        replies=(decides(("drop", {"number": "7"})), narrates("I can't: there is no number 7.")),
        results=(refuses,),
    )

    played = replay(cassette(turn), environment_with(shipped_book(), [books]))

    assert played.unscripted == ()
    assert questions(played) == []
    assert [one.say for one in outcomes(played) if isinstance(one, CallFailed)] == ["there is no number 7"]
    assert played.state.turns[0].started == {}


def test_a_clause_from_a_template_is_the_tools_own() -> None:
    templated = tool(
        waiting_hint="dropping it", effect="write", confirm="drop number {{ arguments.number }}"
    )(drop)
    turn = Turn(customer="Drop it", replies=(decides(("drop", {"number": "7"})),))

    played = replay(cassette(turn), environment_with(shipped_book(), [templated]))

    assert played.unscripted == ()
    assert questions(played) == ["Shall I drop number 7?"]


def test_a_real_tool_without_a_clause_is_reported() -> None:
    clock = VirtualClock()
    spec = fake_spec("drop", "dropping it", "drop it", effect="write", confirm=True, needs_customer=False)
    mute = FakeTool(spec, Gives(None), clock, clause=Refuses("the books are closed"))
    turn = Turn(customer="Drop it", replies=(decides("drop"),))

    played = replay(cassette(turn), environment_with(shipped_book(), [mute]))

    assert played.unscripted == (
        "turn 1: drop could not be asked about: the books are closed; the cassette has no clause for it",
    )
    assert len(questions(played)) == 1


def test_arguments_are_compared_as_the_tool_reads_them() -> None:
    @tool(waiting_hint="finding it")
    def find(number: int, colour: str = "red") -> str:
        """Find it.

        Args:
            number: which.
            colour: what it looks like.
        """
        raise AssertionError

    turn = asking(
        ("find", {"number": 8}),
        ("find", {"number": 7}),
        tools=(
            gives("find", "seven", arguments={"number": 7}),
            gives("find", "eight", arguments={"number": 8}),
        ),
    )

    played = replay(cassette(turn), environment_with(shipped_book(), [find]))

    assert played.unscripted == ()
    assert results(played) == {"8": "eight", "7": "seven"}


def test_invalid_arguments_match_no_call(environment: ReplayEnvironment) -> None:
    turn = asking("get_open_invoices", tools=(gives("get_open_invoices", [], arguments={"colour": "red"}),))

    assert len(replay(cassette(turn), environment).unscripted) == 2


def test_every_write_is_asked_about_if_the_cassette_says_so(environment: ReplayEnvironment) -> None:
    quick = Declared(name="note", waiting_hint="noting it", effect="write")
    turn = Turn(
        customer="Note it", replies=(decides("note"), narrates("Noted.")), results=(gives("note", True),)
    )

    trusted = replay(cassette(turn, declares=[quick]), environment)
    asked = replay(cassette(turn, declares=[quick], confirm_every_write=True), environment)

    assert trusted.unscripted == ()
    assert questions(trusted) == []
    assert len(questions(asked)) == 1


def test_a_final_result_is_not_tried_again() -> None:
    @tool(waiting_hint="looking", retries=3)
    def look() -> None:
        """Look."""

    environment = environment_with(shipped_book(), [look])
    turn = asking("look", tools=(Run(tool="look", does="raises", raises="at last"),))

    played = replay(cassette(turn), environment)

    assert played.unscripted == ()
    assert [type(one) for one in outcomes(played)] == [CallFailed]


@tool(waiting_hint="checking that", identifies=True)
def verify(number: str) -> Customer | None:
    """Find out who it is.

    Args:
        number: theirs.
    """
    raise AssertionError


def test_a_run_identifies_its_customer() -> None:
    turn = Turn(
        customer="I'm 7, or 8",
        replies=(decides(("verify", {"number": "7"}), ("verify", {"number": "8"})), narrates("Hello Ana.")),
        results=(gives("verify", None), gives("verify", {"verified": True, "name": "Ana"})),
    )

    stranger = cassette(turn).model_copy(update={"customer": Who(id="visitor", level="anonymous")})
    played = replay(stranger, environment_with(shipped_book(), [verify]))

    assert played.unscripted == ()
    assert played.state.failed_tries == 1
    known = played.state.known_as
    assert known is not None
    assert known.name == "Ana"


def test_a_temporarily_unavailable_service_is_tried_again() -> None:
    @tool(waiting_hint="looking", retries=2)
    def look() -> None:
        """Look."""

    run = Run(tool="look", does="returns", returns="found", fails_first=2)
    played = replay(cassette(asking("look", tools=(run,))), environment_with(shipped_book(), [look]))

    assert played.unscripted == ()
    assert [getattr(one, "value", None) for one in outcomes(played)] == ["found"]


def test_a_service_that_is_unavailable_for_too_long_fails() -> None:
    @tool(waiting_hint="looking", retries=1)
    def look() -> None:
        """Look."""

    run = Run(tool="look", does="returns", returns="found", fails_first=2)
    played = replay(cassette(asking("look", tools=(run,))), environment_with(shipped_book(), [look]))

    assert played.unscripted == ()
    assert [type(one) for one in outcomes(played)] == [CallFailed]


PAY = Declared(name="pay", waiting_hint="paying", effect="write", timeout_s=2, reconciles=True)


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (Run(tool="pay", does="hangs", reconcile="done", returns="paid"), "ok"),
        (Run(tool="pay", does="raises", reconcile="done", returns="paid"), "ok"),
        (Run(tool="pay", does="hangs", reconcile="unknown"), "timed_out"),
        (Run(tool="pay", does="hangs"), "timed_out"),
        # What a log has that was found out afterwards: a result, later than its time.
        (Run(tool="pay", does="returns", returns="paid", after_ms=2300), "ok"),
    ],
)
def test_the_result_of_a_side_effect_is_reconciled_afterwards(
    run: Run, outcome: str, environment: ReplayEnvironment
) -> None:
    played = replay(cassette(asking("pay", tools=(run,)), declares=[PAY]), environment)

    assert played.unscripted == ()
    assert [outcome_name(one) for one in outcomes(played)] == [outcome]
    assert {getattr(one, "value", "paid") for one in outcomes(played)} == {"paid"}


def test_a_reconciled_result_comes_as_late_as_recorded(environment: ReplayEnvironment) -> None:
    run = Run(tool="pay", does="returns", returns="paid", after_ms=2300)
    played = replay(cassette(asking("pay", tools=(run,)), declares=[PAY]), environment)

    (ended,) = [one.entry for one in played.entries if isinstance(one.entry, CallEnded)]
    assert ended.duration_ms == 2300
